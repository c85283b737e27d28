// A hash of short byte strings for the tokenizer's own tables: a few multiplications, no quality promises beyond that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tamis {

inline std::uint64_t MixHash(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t h = (a ^ (b * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
  return h ^ h >> 32;
}

// The first `size` (at most 8) bytes as a number.
inline std::uint64_t LoadUpTo8(const char* p, std::size_t size) {
  if (size >= 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
  }
  if (size >= 4) {
    std::uint32_t low, high;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + size - 4, 4);
    return low | static_cast<std::uint64_t>(high) << (8 * (size - 4));
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i)
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
  return word;
}

inline std::uint64_t HashBytes(std::string_view bytes) {
  std::uint64_t h = bytes.size();
  std::size_t i = 0;
  for (; i + 8 < bytes.size(); i += 8) h = MixHash(h, LoadUpTo8(bytes.data() + i, 8));
  return MixHash(h, LoadUpTo8(bytes.data() + i, bytes.size() - i));
}

}  // namespace tamis

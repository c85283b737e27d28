// AlignedBuffer<T>: an uninitialised array on a 64-byte boundary (one cache line, one ZMM register).
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace tamis {

inline constexpr std::size_t kBufferAlignment = 64;

// Movable, not copyable. Elements are trivially copyable and start out uninitialised.
template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size)
      : data_(size == 0 ? nullptr
                        : static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t{kBufferAlignment}))),
        size_(size) {}

  // Makes room for at least `size` elements. Old contents are lost when it grows; it never shrinks.
  void EnsureSize(std::size_t size) {
    if (size > size_) {
      data_.reset();
      *this = AlignedBuffer(size);
    }
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t{kBufferAlignment}); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace tamis

// Two ways to the same result: the pair of the lowest rank merges first, of equal ranks the leftmost.
//
// Short pieces look at all pairs for each merge: the pairs sit in a few vectors' worth of memory, which no queue beats.
// Long ones (a megabyte without a space) use a heap, with entries that have gone stale recognised when they come up.
#include "text/bpe_model.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace tamis {
namespace {

// Positions must fit the 8 low bits of a packed (rank, position) word.
constexpr std::size_t kShortPieceMax = 128;
constexpr std::uint32_t kNoPair = 0x7FFFFFFF;

std::uint32_t PackPair(std::uint32_t rank, std::size_t position) {
  return rank == MergeTable::kNone ? kNoPair : rank << 8 | static_cast<std::uint32_t>(position);
}

// Four lanes keep the comparison chain short and let the compiler use vectors. `count` is a multiple of 4.
std::uint32_t Smallest(const std::uint32_t* pairs, std::size_t count) {
  std::int32_t lanes[4] = {kNoPair, kNoPair, kNoPair, kNoPair};
  for (std::size_t i = 0; i < count; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) {
      const auto v = static_cast<std::int32_t>(pairs[i + j]);
      lanes[j] = v < lanes[j] ? v : lanes[j];
    }
  }
  return static_cast<std::uint32_t>(std::min(std::min(lanes[0], lanes[1]), std::min(lanes[2], lanes[3])));
}

std::uint64_t HeapEntry(std::uint32_t rank, std::int32_t position) {
  return static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint32_t>(position);
}

}  // namespace

BpeModel::BpeModel(Vocabulary vocabulary, MergeTable merges, bool ignore_merges)
    : vocabulary_(std::move(vocabulary)),
      merges_(std::move(merges)),
      ignore_merges_(ignore_merges),
      char_merges_(vocabulary_, merges_) {
  for (int b = 0; b < 256; ++b) {
    const char byte = static_cast<char>(b);
    byte_ids_[static_cast<std::size_t>(b)] = vocabulary_.Find({&byte, 1});
    TAMIS_CHECK(byte_ids_[static_cast<std::size_t>(b)] != kNoToken);
  }
  low_pair_ranks_.assign(65536, MergeTable::kNone);
  merges_.ForEach([this](TokenId left, TokenId right, std::uint32_t rank) {
    if (left < 256 && right < 256) low_pair_ranks_[static_cast<std::size_t>(left * 256 + right)] = rank;
  });
}

std::uint32_t BpeModel::Rank(TokenId left, TokenId right) const {
  if ((left | right) < 256) return low_pair_ranks_[static_cast<std::size_t>(left * 256 + right)];
  return merges_.Rank(left, right);
}

// What merging starts from: bytes, and whole characters where that makes no difference. `symbols` has room for
// piece.size() of them.
std::size_t BpeModel::InitialSymbols(std::string_view piece, TokenId* symbols) const {
  const char* const begin = piece.data();
  const char* const end = begin + piece.size();
  std::size_t count = 0;
  for (const char* p = begin; p < end;) {
    const auto byte = static_cast<unsigned char>(*p);
    if ((byte & 0xF0) == 0xE0) {
      if (const TokenId id = char_merges_.WholeAt(begin, p, end); id != kNoToken) {
        symbols[count++] = id;
        p += 3;
        continue;
      }
    }
    symbols[count++] = byte_ids_[byte];
    ++p;
  }
  return count;
}

void BpeModel::EncodePiece(std::string_view piece, BpeScratch* scratch, std::vector<TokenId>* ids) const {
  if (piece.size() == 1) {
    ids->push_back(byte_ids_[static_cast<unsigned char>(piece[0])]);
    return;
  }
  if (ignore_merges_) {
    if (const TokenId id = vocabulary_.Find(piece); id != kNoToken) {
      ids->push_back(id);
      return;
    }
  }
  if (piece.size() <= kShortPieceMax) {
    EncodeShort(piece, ids);
  } else {
    EncodeLong(piece, scratch, ids);
  }
}

void BpeModel::EncodeShort(std::string_view piece, std::vector<TokenId>* ids) const {
  TokenId symbols[kShortPieceMax];
  std::uint8_t previous[kShortPieceMax + 1], next[kShortPieceMax + 1];
  std::uint32_t pairs[kShortPieceMax + 4];  // pairs[i]: symbol i and the next one
  const std::size_t size = InitialSymbols(piece, symbols);
  for (std::size_t i = 0; i < size; ++i) {
    previous[i] = static_cast<std::uint8_t>(i - 1);
    next[i] = static_cast<std::uint8_t>(i + 1);
  }
  for (std::size_t i = 0; i + 1 < size; ++i) pairs[i] = PackPair(Rank(symbols[i], symbols[i + 1]), i);
  const std::size_t lanes = (size + 2) / 4 * 4;
  for (std::size_t i = size - 1; i < lanes + 4 && i < kShortPieceMax + 4; ++i) pairs[i] = kNoPair;

  for (std::uint32_t best = Smallest(pairs, lanes); best != kNoPair; best = Smallest(pairs, lanes)) {
    const std::size_t at = best & 0xFF, gone = next[at], after = next[gone];
    symbols[at] = merges_.Merged(best >> 8);
    next[at] = static_cast<std::uint8_t>(after);
    previous[after] = static_cast<std::uint8_t>(at);
    pairs[gone] = kNoPair;
    pairs[at] = after < size ? PackPair(Rank(symbols[at], symbols[after]), at) : kNoPair;
    if (at > 0) {
      const std::size_t before = previous[at];
      pairs[before] = PackPair(Rank(symbols[before], symbols[at]), before);
    }
  }
  for (std::size_t i = 0; i < size; i = next[i]) ids->push_back(symbols[i]);
}

void BpeModel::EncodeLong(std::string_view piece, BpeScratch* scratch, std::vector<TokenId>* ids) const {
  auto& symbols = scratch->symbols;
  auto& heap = scratch->heap;
  scratch->initial.resize(piece.size());
  const auto size = static_cast<std::int32_t>(InitialSymbols(piece, scratch->initial.data()));
  symbols.resize(static_cast<std::size_t>(size));
  heap.clear();
  for (std::int32_t i = 0; i < size; ++i) {
    symbols[static_cast<std::size_t>(i)] = {scratch->initial[static_cast<std::size_t>(i)], i - 1, i + 1};
  }
  const auto push = [&](std::int32_t left, std::int32_t right) {
    const std::uint32_t rank =
        Rank(symbols[static_cast<std::size_t>(left)].id, symbols[static_cast<std::size_t>(right)].id);
    if (rank == MergeTable::kNone) return false;
    heap.push_back(HeapEntry(rank, left));
    return true;
  };
  for (std::int32_t i = 0; i + 1 < size; ++i) push(i, i + 1);
  std::make_heap(heap.begin(), heap.end(), std::greater<>());

  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const auto rank = static_cast<std::uint32_t>(heap.back() >> 32);
    const auto at = static_cast<std::int32_t>(heap.back() & 0xFFFFFFFF);
    heap.pop_back();
    auto& symbol = symbols[static_cast<std::size_t>(at)];
    if (symbol.id == kNoToken || symbol.next >= size) continue;
    auto& gone = symbols[static_cast<std::size_t>(symbol.next)];
    if (Rank(symbol.id, gone.id) != rank) continue;
    symbol.id = merges_.Merged(rank);
    symbol.next = gone.next;
    gone.id = kNoToken;
    if (symbol.next < size) {
      symbols[static_cast<std::size_t>(symbol.next)].previous = at;
      if (push(at, symbol.next)) std::push_heap(heap.begin(), heap.end(), std::greater<>());
    }
    if (symbol.previous >= 0 && push(symbol.previous, at)) {
      std::push_heap(heap.begin(), heap.end(), std::greater<>());
    }
  }
  for (std::int32_t i = 0; i < size; i = symbols[static_cast<std::size_t>(i)].next) {
    ids->push_back(symbols[static_cast<std::size_t>(i)].id);
  }
}

}  // namespace tamis

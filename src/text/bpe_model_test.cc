// The two ways of merging against the definition, spelled out naively.
#include "text/bpe_model.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tamis {
namespace {

struct Toy {
  Vocabulary vocabulary;
  MergeTable merges;
  std::map<std::pair<TokenId, TokenId>, std::pair<int, TokenId>> rules;

  // Random merges over the letters a to d, tokens of up to 12 bytes. Some pairs join into a token that another made.
  explicit Toy(unsigned seed) {
    for (int b = 0; b < 256; ++b) {
      const char byte = static_cast<char>(b);
      (void)vocabulary.Add(b, {&byte, 1});
    }
    std::mt19937 random(seed);
    std::vector<TokenId> known = {'a', 'b', 'c', 'd'};
    for (int rank = 0; rank < 60;) {
      const TokenId left = known[random() % known.size()], right = known[random() % known.size()];
      const std::string joined = std::string(vocabulary.Bytes(left)) + std::string(vocabulary.Bytes(right));
      if (joined.size() > 12 || rules.contains({left, right})) continue;
      TokenId merged = vocabulary.Find(joined);
      if (merged == kNoToken) {
        merged = vocabulary.end_id();
        (void)vocabulary.Add(merged, joined);
        known.push_back(merged);
      }
      rules[{left, right}] = {rank++, merged};
      merges.Add(left, right, merged);
    }
  }

  std::vector<TokenId> Naive(const std::string& piece) const {
    std::vector<TokenId> ids;
    for (const char c : piece) ids.push_back(static_cast<unsigned char>(c));
    while (true) {
      int best = 1 << 30;
      std::size_t at = 0;
      for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        const auto rule = rules.find({ids[i], ids[i + 1]});
        if (rule != rules.end() && rule->second.first < best) best = rule->second.first, at = i;
      }
      if (best == 1 << 30) return ids;
      ids[at] = rules.at({ids[at], ids[at + 1]}).second;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
  }
};

TEST(BpeModel, EqualsTheDefinitionAtEveryLength) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Toy toy(seed);
    const BpeModel model(toy.vocabulary, toy.merges, false);
    BpeScratch scratch;
    std::mt19937 random(seed);
    for (std::size_t size = 1; size <= 300; size += size < 140 ? 1 : 37) {
      std::string piece;
      for (std::size_t i = 0; i < size; ++i) piece.push_back(static_cast<char>('a' + random() % (seed % 4 + 1)));
      std::vector<TokenId> ids = {-7};
      model.EncodePiece(piece, &scratch, &ids);
      EXPECT_EQ(ids.front(), -7);
      ids.erase(ids.begin());
      ASSERT_EQ(ids, toy.Naive(piece)) << piece;
    }
  }
}

TEST(BpeModel, IgnoreMergesTakesWholeTokens) {
  Toy toy(1);
  const TokenId id = toy.vocabulary.end_id();
  ASSERT_EQ(toy.vocabulary.Add(id, "unreachable"), Vocabulary::Added::kOk);
  BpeScratch scratch;
  std::vector<TokenId> ids;
  BpeModel(toy.vocabulary, toy.merges, true).EncodePiece("unreachable", &scratch, &ids);
  EXPECT_EQ(ids, std::vector<TokenId>{id});
  ids.clear();
  BpeModel(toy.vocabulary, toy.merges, false).EncodePiece("unreachable", &scratch, &ids);
  EXPECT_GT(ids.size(), 1u);
}

}  // namespace
}  // namespace tamis

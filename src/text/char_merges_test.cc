// Merging that starts from whole characters against merging that starts from bytes, on tables made to tell them apart.
#include "text/char_merges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "text/bpe_model.h"
#include "text/utf8.h"

namespace tamis {
namespace {

// Characters that share bytes with each other, so that merges across their borders are likely to be learned.
const std::vector<std::string>& Characters() {
  static const std::vector<std::string> characters = [] {
    std::vector<std::string> all = {"a", " ", "\u00e9", "\U0001f600"};
    for (const std::uint32_t base : {0x4E00u, 0x4E40u, 0x5E00u, 0x3040u, 0xAC00u}) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        all.emplace_back();
        AppendUtf8(base + i, &all.back());
      }
    }
    return all;
  }();
  return characters;
}

std::string RandomText(std::mt19937* random, std::size_t characters) {
  std::string text;
  while (characters-- > 0) text += Characters()[(*random)() % Characters().size()];
  return text;
}

struct Learned {
  Vocabulary vocabulary;
  MergeTable merges;
  std::map<std::pair<TokenId, TokenId>, std::pair<int, TokenId>> rules;

  // Learns merges from random text as a trainer does, but takes any of the present pairs rather than the most frequent.
  Learned(unsigned seed, int count) {
    for (int b = 0; b < 256; ++b) {
      const char byte = static_cast<char>(b);
      (void)vocabulary.Add(b, {&byte, 1});
    }
    std::mt19937 random(seed);
    std::vector<TokenId> text;
    for (const char c : RandomText(&random, 400)) text.push_back(static_cast<unsigned char>(c));
    for (int rank = 0; rank < count;) {
      const std::size_t at = random() % (text.size() - 1);
      const std::pair pair(text[at], text[at + 1]);
      const std::string joined = std::string(vocabulary.Bytes(pair.first)).append(vocabulary.Bytes(pair.second));
      const TokenId merged = vocabulary.end_id();
      if (vocabulary.Add(merged, joined) != Vocabulary::Added::kOk) continue;
      merges.Add(pair.first, pair.second, merged);
      rules[pair] = {rank++, merged};
      text = Apply(text, pair, merged);
    }
  }

  static std::vector<TokenId> Apply(const std::vector<TokenId>& text, std::pair<TokenId, TokenId> pair,
                                    TokenId merged) {
    std::vector<TokenId> out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool joins = i + 1 < text.size() && text[i] == pair.first && text[i + 1] == pair.second;
      out.push_back(joins ? merged : text[i]);
      i += joins ? 1 : 0;
    }
    return out;
  }

  std::vector<TokenId> FromBytes(const std::string& piece) const {
    std::vector<TokenId> ids;
    for (const char c : piece) ids.push_back(static_cast<unsigned char>(c));
    while (true) {
      auto best = rules.end();
      for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        const auto rule = rules.find({ids[i], ids[i + 1]});
        if (rule != rules.end() && (best == rules.end() || rule->second.first < best->second.first)) best = rule;
      }
      if (best == rules.end()) return ids;
      ids = Apply(ids, best->first, best->second.second);
    }
  }
};

TEST(CharMerges, GiveWhatBytesGive) {
  std::size_t whole = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Learned learned(seed, 20 + static_cast<int>(seed));
    const CharMerges characters(learned.vocabulary, learned.merges);
    const BpeModel model(learned.vocabulary, learned.merges, false);
    BpeScratch scratch;
    std::mt19937 random(seed + 1000);
    for (int i = 0; i < 150; ++i) {
      const std::string piece = RandomText(&random, 1 + random() % (i % 10 == 0 ? 80 : 12));
      std::vector<TokenId> ids;
      model.EncodePiece(piece, &scratch, &ids);
      ASSERT_EQ(ids, learned.FromBytes(piece)) << piece;
      for (std::size_t at = 0; at < piece.size(); at += DecodeUtf8(piece, at).length) {
        if ((piece[at] & 0xF0) != 0xE0) continue;
        whole += characters.WholeAt(piece.data(), piece.data() + at, piece.data() + piece.size()) != kNoToken;
      }
    }
  }
  EXPECT_GT(whole, 1000u);  // the test is about them
}

TEST(CharMerges, NoCharacterQualifiesWhereMergesAreOutOfOrder) {
  const Learned learned(3, 40);
  // The same merges, the first one last: tokens built on it are made before it.
  std::vector<std::array<TokenId, 3>> list(learned.merges.size());
  learned.merges.ForEach([&](TokenId left, TokenId right, std::uint32_t rank) {
    list[rank] = {left, right, learned.merges.Merged(rank)};
  });
  const auto is_used = [&](const auto& merge) {
    return std::any_of(list.begin(), list.end(), [&](const auto& m) { return m[0] == merge[2] || m[1] == merge[2]; });
  };
  const auto used = std::find_if(list.begin(), list.end(), is_used);
  ASSERT_NE(used, list.end());
  std::rotate(used, used + 1, list.end());
  MergeTable merges;
  for (const auto& [left, right, merged] : list) merges.Add(left, right, merged);
  const CharMerges characters(learned.vocabulary, merges);
  for (const std::string& c : Characters()) {
    if (c.size() == 3) { EXPECT_EQ(characters.WholeAt(c.data(), c.data(), c.data() + 3), kNoToken); }
  }
}

}  // namespace
}  // namespace tamis

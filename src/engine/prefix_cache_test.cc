#include "engine/prefix_cache.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/fake_backend.h"

namespace tamis {
namespace {

using Ids = std::vector<TokenId>;

std::shared_ptr<const PrefixState> State(std::size_t own) { return std::make_shared<test::FakeState>(Ids(own), own); }

TEST(PrefixCache, SameIdsAfterTheSameParentAreOnePrefix) {
  PrefixCache cache(1000);
  const auto a = cache.Get(nullptr, Ids{1, 2});
  EXPECT_EQ(cache.Get(nullptr, Ids{1, 2}), a);
  EXPECT_NE(cache.Get(nullptr, Ids{1, 3}), a);
  const auto child = cache.Get(a, Ids{3});
  EXPECT_EQ(cache.Get(a, Ids{3}), child);
  EXPECT_NE(cache.Get(nullptr, Ids{3}), child);
  EXPECT_EQ(child->tokens_before, 2u);
  EXPECT_EQ(cache.size(), 4u);
}

TEST(PrefixCache, WhatNobodyUsesGoesUnlessItIsWorthKeeping) {
  PrefixCache cache(1000);
  auto used = cache.Get(nullptr, Ids{1});
  auto kept = cache.Get(nullptr, Ids{2});
  auto dropped = cache.Get(nullptr, Ids{3});
  kept->keep_unused = true;
  for (auto* prefix : {&used, &kept, &dropped}) cache.SetState(prefix->get(), State(10));
  EXPECT_EQ(cache.bytes(), 300u);
  kept.reset();
  dropped.reset();
  cache.Trim();
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.bytes(), 200u);
  EXPECT_NE(cache.Get(nullptr, Ids{2})->state, nullptr);
}

TEST(PrefixCache, TheLeastRecentlyUsedGoesFirstAndParentsAfterTheirChildren) {
  PrefixCache cache(500);
  for (TokenId instruction : {1, 2}) {
    for (TokenId query : {10, 20}) {
      auto parent = cache.Get(nullptr, Ids{instruction});
      auto child = cache.Get(parent, Ids{query});
      for (auto* prefix : {&parent, &child}) {
        (*prefix)->keep_unused = true;
        if (!(*prefix)->state) cache.SetState(prefix->get(), State(10));
      }
    }
  }
  EXPECT_EQ(cache.bytes(), 600u);
  (void)cache.Get(cache.Get(nullptr, Ids{1}), Ids{10});  // used again: (1, 20) is the oldest now
  cache.Trim();
  EXPECT_EQ(cache.bytes(), 500u);
  EXPECT_EQ(cache.Get(cache.Get(nullptr, Ids{1}), Ids{20})->state, nullptr);
  EXPECT_NE(cache.Get(cache.Get(nullptr, Ids{1}), Ids{10})->state, nullptr);
}

TEST(PrefixCache, KeepsNothingUnusedWithoutBytes) {
  PrefixCache cache(0);
  auto prefix = cache.Get(nullptr, Ids{1});
  prefix->keep_unused = true;
  EXPECT_FALSE(cache.WantsState(*prefix));
  prefix->waiting_units = 1;
  EXPECT_TRUE(cache.WantsState(*prefix));
  cache.SetState(prefix.get(), State(10));
  cache.Trim();
  EXPECT_EQ(cache.bytes(), 100u) << "used";
  prefix.reset();
  cache.Trim();
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(PrefixCache, RandomUseKeepsItsBooks) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](int max) { return std::uniform_int_distribution<int>(0, max)(random); };
    PrefixCache cache(800);
    std::vector<std::shared_ptr<SharedPrefix>> used;
    for (int i = 0; i < 500; ++i) {
      auto parent = pick(3) > 0 ? cache.Get(nullptr, Ids{pick(3)}) : nullptr;
      auto prefix = cache.Get(parent, Ids(static_cast<std::size_t>(pick(5) + 1), pick(3)));
      prefix->keep_unused = prefix->keep_unused || pick(1) > 0;
      if (!prefix->state) cache.SetState(prefix.get(), State(prefix->ids.size()));
      used.push_back(std::move(prefix));
      if (pick(4) == 0) used.clear();
      cache.Trim();
      std::size_t bytes = 0;
      std::vector<bool> slots(static_cast<std::size_t>(cache.slots()));
      bool all_used = true;
      cache.ForEach([&](const SharedPrefix& p) {
        bytes += p.state ? p.state->bytes() : 0;
        EXPECT_FALSE(slots[static_cast<std::size_t>(p.slot)]) << "one slot for two";
        slots[static_cast<std::size_t>(p.slot)] = true;
      });
      EXPECT_EQ(bytes, cache.bytes());
      all_used = !used.empty();
      EXPECT_TRUE(all_used || bytes <= 800);
    }
  }
}

}  // namespace
}  // namespace tamis

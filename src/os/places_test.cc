#include "os/places.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace ka::os {
namespace {

TEST(Places, NoMoreThanThereAreAndEverybodyGetsOne) {
  const Places places(3);
  std::atomic<int> now = 0, most = 0, done = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 64; ++i) {
      threads.emplace_back([&] {
        const Result<Places::Place> place = places.take({});
        ASSERT_TRUE(place);
        const int with_me = ++now;
        for (int seen = most; seen < with_me && !most.compare_exchange_weak(seen, with_me);) {
        }
        std::this_thread::yield();
        --now;
        ++done;
      });
    }
  }
  EXPECT_EQ(done, 64);
  EXPECT_LE(most, 3);
}

TEST(Places, APlaceThatWasMovedIsGivenBackOnce) {
  const Places places(1);
  {
    Result<Places::Place> first = places.take({});
    ASSERT_TRUE(first);
    const Places::Place second = std::move(*first);
  }
  const Result<Places::Place> held = places.take({});
  ASSERT_TRUE(held);
  CancelSource source;
  source.cancel();
  const Result<Places::Place> none = places.take(source.token());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::cancelled);
}

TEST(Places, WhoWaitsCanBeCancelled) {
  const Places places(1);
  const Result<Places::Place> held = places.take({});
  ASSERT_TRUE(held);
  CancelSource source;
  std::jthread waiter([&] {
    const Result<Places::Place> none = places.take(source.token());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::cancelled);
  });
  source.cancel();
}

}  // namespace
}  // namespace ka::os

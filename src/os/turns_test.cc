#include "os/turns.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace ka::os {
namespace {

TEST(Turns, WhoeverIsAloneHasNobodyBeside) {
  Turns turns;
  std::atomic<int> beside = 0, alone = 0, most = 0;
  std::atomic<bool> wrong = false;
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 4; ++worker) {
      workers.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          Result<Turns::Turn> turn = turns.beside({});
          const int now = ++beside;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {}
          if (alone != 0) wrong = true;
          std::this_thread::yield();
          --beside;
          if (!turn->become_alone({}) || ++alone != 1 || beside != 0) wrong = true;
          --alone;
        }
      });
    }
  }
  EXPECT_FALSE(wrong);
  EXPECT_GT(most, 1) << "they work side by side";
}

TEST(Turns, WhoWaitsToBeAloneGoesBeforeThoseWhoBegin) {
  Turns turns;
  std::optional<Turns::Turn> first(*turns.beside({}));
  std::atomic<int> order = 0;
  int alone_at = 0, beside_at = 0;
  std::jthread waits([&] {
    const Result<Turns::Turn> turn = turns.alone({});
    alone_at = ++order;
  });
  // whoever begins now is let in only while nobody waits
  CancelSource never_waits;
  never_waits.cancel();
  const Deadline deadline = Deadline::in(std::chrono::seconds(20));
  while (turns.beside(never_waits.token()) && !deadline.passed()) {}
  EXPECT_FALSE(deadline.passed()) << "others are let in while somebody waits to be alone";
  std::jthread begins([&] {
    const Result<Turns::Turn> turn = turns.beside({});
    beside_at = ++order;
  });
  first.reset();
  waits.join();
  begins.join();
  EXPECT_EQ(alone_at, 1);
  EXPECT_EQ(beside_at, 2);
}

TEST(Turns, AWaitIsCancelledAndHoldsNobodyUp) {
  Turns turns;
  std::optional<Turns::Turn> first(*turns.beside({}));
  CancelSource source;
  source.cancel();
  const Result<Turns::Turn> none = turns.alone(source.token());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(turns.beside({})) << "nobody waits any more";
}

}  // namespace
}  // namespace ka::os

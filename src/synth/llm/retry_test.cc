#include "synth/llm/retry.h"

#include <gtest/gtest.h>

#include <vector>

namespace ka::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Time that passes only by sleeping.
struct FakeTime {
  os::TimePoint now{seconds(1000)};
  std::vector<milliseconds> slept;
  os::CancelSource* cancel_in_sleep = nullptr;

  RetryClock clock() {
    return {[this] { return now; },
            [this](milliseconds length, const os::CancelToken& cancel) {
              slept.push_back(length);
              now += length;
              if (cancel_in_sleep != nullptr) cancel_in_sleep->cancel();
              return !cancel.cancelled();
            }};
  }
};

Failure failed(bool again = true, std::optional<milliseconds> after = {}) { return {Error{ErrorKind::network, "it failed"}, again, after}; }

Retried run_tries(FakeTime& time, std::vector<std::optional<Failure>> outcomes, int& tries, os::Deadline deadline = {}, const os::CancelToken& cancel = {},
    const RetryPolicy& policy = {}) {
  Random random(1);
  return with_retries(policy, deadline, time.clock(), random, cancel, [&](os::Deadline) {
    const auto at = static_cast<std::size_t>(tries++);
    return outcomes[std::min(at, outcomes.size() - 1)];
  });
}

TEST(Retry, WaitsGrowAndKeepToTheirBounds) {
  const RetryPolicy policy{7, milliseconds(100), milliseconds(1000), milliseconds(5000)};
  const int bounds[] = {100, 200, 400, 800, 1000, 1000, 1000};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    for (int failures = 1; failures <= 7; ++failures) {
      const milliseconds wait = wait_before_retry(policy, failures, {}, random);
      EXPECT_GE(wait.count(), bounds[failures - 1] / 2);
      EXPECT_LE(wait.count(), bounds[failures - 1]);
    }
  }
}

TEST(Retry, WhatTheServerAsksForIsTheLeastButCut) {
  const RetryPolicy policy{7, milliseconds(100), milliseconds(1000), milliseconds(5000)};
  struct Case {
    int asked, least, most;
  };
  for (const Case& row : {Case{0, 0, 10}, Case{50, 50, 60}, Case{2000, 2000, 2200}, Case{60000, 5000, 5500}}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Random random(seed);
      const auto wait = wait_before_retry(policy, 1, milliseconds(row.asked), random).count();
      EXPECT_GE(wait, row.least);
      EXPECT_LE(wait, row.most);
    }
  }
}

TEST(Retry, TheSameSeedWaitsTheSame) {
  Random one(7), two(7), three(8);
  const milliseconds first = wait_before_retry({}, 3, {}, one);
  EXPECT_EQ(first, wait_before_retry({}, 3, {}, two));
  EXPECT_NE(first, wait_before_retry({}, 3, {}, three));
}

TEST(Retry, UntilItIsAnswered) {
  FakeTime time;
  int tries = 0;
  const Retried retried = run_tries(time, {failed(), failed(), std::nullopt}, tries);
  EXPECT_FALSE(retried.error);
  EXPECT_EQ(retried.retries, 2);
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(time.slept.size(), 2U);
}

TEST(Retry, NotWhereItCannotHelp) {
  FakeTime time;
  int tries = 0;
  const Retried retried = run_tries(time, {failed(false)}, tries);
  ASSERT_TRUE(retried.error);
  EXPECT_EQ(retried.error->message, "it failed");
  EXPECT_EQ(tries, 1);
  EXPECT_TRUE(time.slept.empty());
}

TEST(Retry, GivesUpAfterSoManyAttempts) {
  FakeTime time;
  int tries = 0;
  const Retried retried = run_tries(time, {failed()}, tries);
  ASSERT_TRUE(retried.error);
  EXPECT_EQ(retried.error->message, "it failed (after 6 retries)");
  EXPECT_EQ(tries, 7);
}

TEST(Retry, GivesUpBeforeAWaitThatIsTooLong) {
  FakeTime time;
  int tries = 0;
  const Retried retried = run_tries(time, {failed(true, seconds(30))}, tries, os::Deadline{time.now + seconds(29)});
  ASSERT_TRUE(retried.error);
  EXPECT_EQ(retried.error->kind, ErrorKind::network);
  EXPECT_NE(retried.error->message.find("after the time for the question"), std::string::npos);
  EXPECT_EQ(tries, 1);
  EXPECT_TRUE(time.slept.empty());
}

TEST(Retry, CancelledBeforeOrWhileItWaits) {
  FakeTime time;
  int tries = 0;
  os::CancelSource before;
  before.cancel();
  EXPECT_EQ(run_tries(time, {failed()}, tries, {}, before.token()).error->kind, ErrorKind::cancelled);
  EXPECT_EQ(tries, 0);
  os::CancelSource meanwhile;
  time.cancel_in_sleep = &meanwhile;
  EXPECT_EQ(run_tries(time, {failed()}, tries, {}, meanwhile.token()).error->kind, ErrorKind::cancelled);
  EXPECT_EQ(tries, 1);
}

TEST(Retry, TheRealClockIsCancelledAtOnce) {
  os::CancelSource source;
  source.cancel();
  const os::TimePoint start = std::chrono::steady_clock::now();
  EXPECT_FALSE(real_clock().sleep(seconds(60), source.token()));
  EXPECT_LT(os::seconds_since(start), 5);
  EXPECT_TRUE(real_clock().sleep(milliseconds(1), {}));
}

TEST(RetryAfter, SecondsOrADate) {
  const WallTime now = *parse_utc_timestamp("1994-11-06T08:49:00.000Z");
  struct Case {
    const char* text;
    std::optional<int> milliseconds;
  };
  const Case rows[] = {
      {"5", 5000},  {" 5 ", 5000}, {"0", 0}, {"1.5", 1500}, {"-3", 0}, {"Sun, 06 Nov 1994 08:49:37 GMT", 37000}, {"Sun, 06 Nov 1994 08:48:00 GMT", 0}, {"1e99", 1000000000},
      {"", {}}, {"soon", {}}, {"5 s", {}}, {"nan", {}}, {"inf", {}}, {"Sun, 06 Nov 1994 08:49:37 CET", {}}, {"Sun, 06 Foo 1994 08:49:37 GMT", {}},
          {"Sun, 99 Nov 1994 08:49:37 GMT", {}},
      {"Sun, 06 Nov 1994 0x:49:37 GMT", {}},
  };
  for (const Case& row : rows) {
    const std::optional<milliseconds> got = parse_retry_after(row.text, now);
    EXPECT_EQ(got.has_value(), row.milliseconds.has_value()) << row.text;
    if (got && row.milliseconds) {
      EXPECT_EQ(got->count(), *row.milliseconds) << row.text;
    }
  }
}

}  // namespace
}  // namespace ka::llm

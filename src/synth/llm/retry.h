// Asking again: how often, after which waits, until when. No clock and no chance of its own, so that tests decide both.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>

#include "os/cancel.h"
#include "os/clock.h"
#include "synth/llm/failure.h"

namespace ka::llm {

struct RetryPolicy {
  int attempts = 7;  // the first one included
  std::chrono::milliseconds first_wait{500};
  std::chrono::milliseconds longest_wait{20'000};
  std::chrono::milliseconds longest_asked_wait{60'000};  // of Retry-After; a longer one is cut to this
};

using Random = std::mt19937_64;

// The wait before the next attempt, when `failures` have failed so far: doubled each time, the half of it by chance. What the server asked
// for is waited at least, and up to a tenth more, so that many callers do not come back at once.
std::chrono::milliseconds wait_before_retry(const RetryPolicy& policy, int failures, std::optional<std::chrono::milliseconds> retry_after, Random& random);

struct RetryClock {
  std::function<os::TimePoint()> now;
  // False when cancelled.
  std::function<bool(std::chrono::milliseconds length, const os::CancelToken& cancel)> sleep;
};
RetryClock real_clock();

// One attempt: nothing when it was answered.
using TryOnce = std::function<std::optional<Failure>(os::Deadline deadline)>;

struct Retried {
  std::optional<Error> error;  // of the last attempt; says how often it was tried
  int retries = 0;
};
Retried with_retries(const RetryPolicy& policy, os::Deadline deadline, const RetryClock& clock, Random& random, const os::CancelToken& cancel, const TryOnce& try_once);

}  // namespace ka::llm

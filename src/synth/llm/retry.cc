#include "synth/llm/retry.h"

#include <algorithm>

#include <fmt/format.h>

namespace ka::llm {
namespace {

using std::chrono::milliseconds;

constexpr double kAskedJitter = 0.1;

// In [0, 1), the same on every machine.
double chance(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

milliseconds share(milliseconds length, double part) { return milliseconds(static_cast<std::int64_t>(static_cast<double>(length.count()) * part)); }

std::string how_often(const Error& error, int retries) {
  return retries == 0 || error.kind == ErrorKind::cancelled ? error.message : fmt::format("{} (after {} {})", error.message, retries, retries == 1 ? "retry" : "retries");
}

}  // namespace

milliseconds wait_before_retry(const RetryPolicy& policy, int failures, std::optional<milliseconds> retry_after, Random& random) {
  milliseconds wait = policy.first_wait;
  for (int i = 1; i < failures && wait < policy.longest_wait; ++i) wait *= 2;
  wait = std::min(wait, policy.longest_wait);
  const double by_chance = chance(random);
  if (!retry_after) return share(wait, 0.5 + 0.5 * by_chance);
  const milliseconds asked = std::min(*retry_after, policy.longest_asked_wait);
  return asked + share(std::max(asked, wait), kAskedJitter * by_chance);
}

RetryClock real_clock() {
  return {[] { return std::chrono::steady_clock::now(); },
          [](milliseconds length, const os::CancelToken& cancel) {
            const Result<os::Ready> ready = os::wait_ready(-1, 0, os::Deadline::in(length), cancel);
            return ready && *ready == os::Ready::timeout;
          }};
}

Retried with_retries(const RetryPolicy& policy, os::Deadline deadline, const RetryClock& clock, Random& random, const os::CancelToken& cancel, const TryOnce& try_once) {
  Retried out;
  while (true) {
    if (cancel.cancelled()) return {cancelled_error("the question was cancelled"), out.retries};
    const std::optional<Failure> failure = try_once(deadline);
    if (!failure) return out;
    const Error& error = failure->error;
    out.error = Error{error.kind, how_often(error, out.retries)};
    if (!failure->again || out.retries + 1 >= policy.attempts) return out;
    const milliseconds wait = wait_before_retry(policy, out.retries + 1, failure->retry_after, random);
    if (!deadline.is_never() && clock.now() + wait >= deadline.at) {
      out.error->message += fmt::format("; the next try would come in {:g} s, after the time for the question", static_cast<double>(wait.count()) / 1000);
      return out;
    }
    if (!clock.sleep(wait, cancel)) return {cancelled_error("the question was cancelled"), out.retries};
    ++out.retries;
    out.error.reset();
  }
}

}  // namespace ka::llm

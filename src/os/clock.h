// Deadlines on the clock that never jumps.
#pragma once

#include <chrono>

namespace ka::os {

using TimePoint = std::chrono::steady_clock::time_point;

// A moment after which a wait gives up; every waiting function takes one.
struct Deadline {
  TimePoint at = TimePoint::max();  // max() = never

  static Deadline in(std::chrono::milliseconds from_now);
  static Deadline never() { return {}; }
  static Deadline earlier(Deadline a, Deadline b) { return a.at < b.at ? a : b; }

  bool is_never() const { return at == TimePoint::max(); }
  bool passed() const;
  // For poll(2): -1 = never, 0 = passed. Rounded up, so that a wait of this length never ends before the
  // deadline.
  int remaining_ms() const;
};

// Seconds since `start`.
double seconds_since(TimePoint start);

}  // namespace ka::os

#include "os/clock.h"

#include <limits>

namespace ka::os {

Deadline Deadline::in(std::chrono::milliseconds from_now) {
  const TimePoint now = std::chrono::steady_clock::now();
  // So long that adding would overflow is never.
  if (from_now > std::chrono::duration_cast<std::chrono::milliseconds>(TimePoint::max() - now))
    return never();
  return Deadline{now + from_now};
}

bool Deadline::passed() const {
  return remaining_ms() == 0;
}

int Deadline::remaining_ms() const {
  if (is_never()) return -1;
  const TimePoint now = std::chrono::steady_clock::now();
  if (now >= at) return 0;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(at - now).count();
  constexpr int kMost = std::numeric_limits<int>::max();
  return left > kMost ? kMost : static_cast<int>(left);
}

double seconds_since(TimePoint start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace ka::os

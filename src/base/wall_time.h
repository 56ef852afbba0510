// Wall-clock time as something a caller can hand in, so that tests see fixed time stamps.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace ka {

using WallTime = std::chrono::system_clock::time_point;
using WallClock = std::function<WallTime()>;

WallClock system_wall_clock();

// "2026-11-15T06:40:20.123Z", always UTC.
std::string utc_timestamp(WallTime time);

}  // namespace ka

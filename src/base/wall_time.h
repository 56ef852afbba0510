// Wall-clock time as something a caller can hand in, so that tests see fixed time stamps.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ka {

using WallTime = std::chrono::system_clock::time_point;
using WallClock = std::function<WallTime()>;

WallClock system_wall_clock();

// "2026-11-15T06:40:20.123Z", always UTC.
std::string utc_timestamp(WallTime time);
// The same form only; nothing for anything else.
std::optional<WallTime> parse_utc_timestamp(std::string_view text);

}  // namespace ka

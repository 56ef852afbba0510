#include "base/wall_time.h"

#include <ctime>

#include <fmt/format.h>

namespace ka {

WallClock system_wall_clock() {
  return [] { return std::chrono::system_clock::now(); };
}

std::string utc_timestamp(WallTime time) {
  const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::time_t whole = static_cast<std::time_t>(seconds.count());
  std::tm parts{};
  gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     (since_epoch - seconds).count());
}

}  // namespace ka

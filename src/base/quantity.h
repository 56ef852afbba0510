// Sizes and durations as people write and read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ka {

// "2GiB", "500 MB", "1.5TiB", "0B": a number and a unit. Nothing is assumed where the unit is missing.
Result<std::uint64_t> parse_bytes(std::string_view text);

// "7d", "12h", "1.5w", "30m", "45s".
Result<std::chrono::seconds> parse_duration(std::string_view text);

// "0 B", "812 B", "12.3 KiB", "4.0 GiB".
std::string bytes_text(std::uint64_t bytes);

// "0.53 s", "42.1 s", "3 min 20 s", "2 h 5 min": about three digits.
std::string seconds_text(double seconds);

}  // namespace ka

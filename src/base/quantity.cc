#include "base/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/strings.h"

namespace ka {
namespace {

struct Scale {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024;
constexpr auto kByteUnits = std::to_array<Scale>({
    {"B", 1},
    {"kB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"KiB", kKi},
    {"MiB", kMi},
    {"GiB", kGi},
    {"TiB", kTi},
});
constexpr double kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour, kWeek = 7 * kDay;
constexpr auto kTimeUnits =
    std::to_array<Scale>({{"s", 1}, {"m", kMinute}, {"h", kHour}, {"d", kDay}, {"w", kWeek}});
constexpr double kLargest = 9e18;  // fits 64 bits

std::optional<double> parse(std::string_view text, std::span<const Scale> units) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (code != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string unit = trim(std::string_view(stop, static_cast<std::size_t>(end - stop)));
  for (const Scale& row : units) {
    if (row.name == unit && number * row.factor <= kLargest) return number * row.factor;
  }
  return std::nullopt;
}

}  // namespace

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const std::optional<double> value = parse(text, kByteUnits);
  if (!value)
    return invalid_input(fmt::format(
        "\"{}\" is no size; accepted: a number and B, kB, MB, GB, TB, KiB, MiB, GiB or TiB, such as 2GiB",
        text));
  return static_cast<std::uint64_t>(*value);
}

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  const std::optional<double> value = parse(text, kTimeUnits);
  // The clock counts in nanoseconds, which reach a few hundred years.
  constexpr double kLongest = 100 * 365 * kDay;
  if (!value || *value > kLongest)
    return invalid_input(
        fmt::format("\"{}\" is no time; accepted: a number and s, m, h, d or w, such as 7d", text));
  return std::chrono::seconds(static_cast<std::int64_t>(*value));
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> names = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / kKi;
  std::size_t unit = 0;
  constexpr double kRoundsUp = 1023.95;  // would print as 1024.0
  for (; value >= kRoundsUp && unit + 1 < names.size(); ++unit) value /= kKi;
  return fmt::format("{:.1f} {}", value, names[unit]);
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > kLargest) return "?";
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace ka

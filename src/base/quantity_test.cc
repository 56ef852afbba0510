#include "base/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/wall_time.h"

namespace ka {
namespace {

using ::testing::HasSubstr;

TEST(Quantity, ReadsSizes) {
  const struct {
    const char* text;
    std::uint64_t bytes;
  } cases[] = {
      {"0B", 0},
      {"12B", 12},
      {"1kB", 1000},
      {"1KiB", 1024},
      {"2GiB", std::uint64_t{2} << 30},
      {"2 GiB", std::uint64_t{2} << 30},
      {"1.5MiB", 1572864},
      {"3TB", 3000000000000},
      {"1TiB", std::uint64_t{1} << 40},
  };
  for (const auto& row : cases) EXPECT_EQ(parse_bytes(row.text).value(), row.bytes) << row.text;
}

TEST(Quantity, RefusesWhatIsNoSize) {
  for (const char* text :
       {"", "2", "GiB", "2gib", "2G", "-1B", "nan B", "inf B", "1e3B", "2GiBx", "99999999999TiB", "0x10B"}) {
    const Result<std::uint64_t> value = parse_bytes(text);
    ASSERT_FALSE(value) << text;
    EXPECT_THAT(value.error().message, HasSubstr("such as 2GiB")) << text;
  }
}

TEST(Quantity, ReadsDurations) {
  const struct {
    const char* text;
    std::int64_t seconds;
  } cases[] = {{"0s", 0}, {"90s", 90}, {"2m", 120}, {"1.5h", 5400}, {"7d", 604800}, {"1w", 604800}};
  for (const auto& row : cases) EXPECT_EQ(parse_duration(row.text)->count(), row.seconds) << row.text;
  for (const char* text : {"", "7", "d", "7days", "-7d", "9999999d", "7 d d"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Quantity, WritesSizesAndTimes) {
  const struct {
    std::uint64_t bytes;
    const char* text;
  } sizes[] = {{0, "0 B"},        {1023, "1023 B"},           {1024, "1.0 KiB"},
               {1536, "1.5 KiB"}, {(1 << 20) - 1, "1.0 MiB"}, {std::uint64_t{4} << 30, "4.0 GiB"}};
  for (const auto& row : sizes) EXPECT_EQ(bytes_text(row.bytes), row.text);
  const struct {
    double seconds;
    const char* text;
  } times[] = {{0, "0.00 s"},         {0.534, "0.53 s"},   {9.999, "10.0 s"},   {42.14, "42.1 s"},
               {99.96, "1 min 40 s"}, {200, "3 min 20 s"}, {7500, "2 h 5 min"}, {-1, "?"}};
  for (const auto& row : times) EXPECT_EQ(seconds_text(row.seconds), row.text);
}

TEST(WallTime, ReadsBackWhatItWrote) {
  for (const char* text :
       {"2026-11-15T06:40:20.123Z", "1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"}) {
    ASSERT_TRUE(parse_utc_timestamp(text)) << text;
    EXPECT_EQ(utc_timestamp(*parse_utc_timestamp(text)), text);
  }
  for (const char* text : {"", "2026-11-15", "2026-11-15T06:40:20Z", "2026-13-15T06:40:20.123Z",
                           "2026-02-30T06:40:20.123Z", "2026-11-15T24:40:20.123Z", "2026-11-15T06:40:20.123",
                           "2026-11-15 06:40:20.123Z", "9x26-11-15T06:40:20.123Z"})
    EXPECT_FALSE(parse_utc_timestamp(text)) << text;
}

}  // namespace
}  // namespace ka

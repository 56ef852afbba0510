#include "base/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ka {
namespace {

WallTime at_seconds(long seconds) {
  return WallTime(std::chrono::seconds(seconds));
}

TEST(RunId, HoldsTimeAndRandomNumber) {
  EXPECT_EQ(new_run_id(at_seconds(1794724820), 0x1a2b3c4d), "run_20261115_064020_1a2b3c4d");
  EXPECT_EQ(new_run_id(at_seconds(0), 1), "run_19700101_000000_00000001");
}

TEST(RunId, IsNewEachTime) {
  EXPECT_NE(new_run_id(), new_run_id());
  EXPECT_THAT(new_run_id(), ::testing::MatchesRegex("run_[0-9]{8}_[0-9]{6}_[0-9a-f]{8}"));
}

TEST(Nonce, IsNewEachTime) {
  EXPECT_NE(new_nonce(), new_nonce());
  EXPECT_THAT(new_nonce(), ::testing::MatchesRegex("[0-9a-f]{32}"));
}

TEST(WallTime, TimestampIsUtcWithMilliseconds) {
  EXPECT_EQ(utc_timestamp(at_seconds(1794724820) + std::chrono::milliseconds(7)), "2026-11-15T06:40:20.007Z");
  EXPECT_EQ(utc_timestamp(at_seconds(0) - std::chrono::milliseconds(1)), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace ka

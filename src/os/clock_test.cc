#include "os/clock.h"

#include <limits>

#include <gtest/gtest.h>

namespace ka::os {
namespace {

using std::chrono::milliseconds;

TEST(Deadline, NeverDoesNotPass) {
  EXPECT_EQ(Deadline::never().remaining_ms(), -1);
  EXPECT_FALSE(Deadline::never().passed());
}

TEST(Deadline, PassesAtItsMoment) {
  EXPECT_TRUE(Deadline::in(milliseconds(0)).passed());
  EXPECT_TRUE(Deadline::in(milliseconds(-5)).passed());
  EXPECT_EQ(Deadline::in(milliseconds(0)).remaining_ms(), 0);
  const int left = Deadline::in(milliseconds(60000)).remaining_ms();
  EXPECT_GT(left, 50000);
  EXPECT_LE(left, 60000);
}

TEST(Deadline, FarAwayDoesNotOverflow) {
  EXPECT_TRUE(Deadline::in(milliseconds::max()).is_never());
  EXPECT_EQ(Deadline::in(std::chrono::hours(24 * 365)).remaining_ms(), std::numeric_limits<int>::max());
}

TEST(Deadline, EarlierOfTwo) {
  const Deadline soon = Deadline::in(milliseconds(5));
  EXPECT_EQ(Deadline::earlier(soon, Deadline::never()).at, soon.at);
  EXPECT_EQ(Deadline::earlier(Deadline::never(), soon).at, soon.at);
  EXPECT_TRUE(Deadline::earlier(Deadline::never(), Deadline::never()).is_never());
}

}  // namespace
}  // namespace ka::os

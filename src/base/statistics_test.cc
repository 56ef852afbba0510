#include "base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ka {
namespace {

std::vector<double> noisy(double center, double spread, int count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(center * (1 + spread * (static_cast<double>(engine() % 2001) / 1000.0 - 1)));
  return out;
}

TEST(Median, OfOddEvenAndNothing) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({7}), 7);
  EXPECT_DOUBLE_EQ(median({}), 0);
  EXPECT_DOUBLE_EQ(mean({1, 2, 6}), 3);
  EXPECT_DOUBLE_EQ(mean({}), 0);
}

TEST(GeometricMean, OfSomeAndNothing) {
  EXPECT_DOUBLE_EQ(geometric_mean({1, 4, 16}), 4);
  EXPECT_DOUBLE_EQ(geometric_mean({}), 0);
}

TEST(Quantile, LiesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(Ratio, OfAProductIsAsUnsureAsBothTogether) {
  const Ratio a{2, 1.8, 2.2, 0.95, 50}, b{3, 2.7, 3.3, 0.95, 20}, certain{3, 3, 3, 0.95, 20};
  const Ratio both = product_of(a, b), one = product_of(a, certain);
  EXPECT_DOUBLE_EQ(both.value, 6);
  EXPECT_EQ(both.rounds, 20);
  EXPECT_NEAR(one.low, 5.4, 1e-9);
  EXPECT_NEAR(one.high, 6.6, 1e-9);
  EXPECT_LT(both.low, one.low);
  EXPECT_GT(both.low, 6 * 0.9 * 0.9) << "not as if both were at their worst at once";
}

TEST(Ratio, HasAnIntervalAroundTheTrueOne) {
  const Ratio ratio = ratio_of_medians(noisy(2.0, 0.05, 50, 1), noisy(1.0, 0.05, 50, 2));
  EXPECT_NEAR(ratio.value, 2.0, 0.1);
  EXPECT_LE(ratio.low, ratio.value);
  EXPECT_GE(ratio.high, ratio.value);
  EXPECT_LT(ratio.high - ratio.low, 0.2);
  EXPECT_TRUE(ratio.is_certain());
  EXPECT_EQ(ratio.rounds, 50);
}

TEST(Ratio, OfEqualContendersIsNotCertain) {
  int certain = 0;
  for (unsigned seed = 0; seed < 40; ++seed)
    certain += ratio_of_medians(noisy(1.0, 0.1, 40, 2 * seed), noisy(1.0, 0.1, 40, 2 * seed + 1), 0.95, 400).is_certain();
  EXPECT_LE(certain, 6);  // one in twenty is what 95 % promises
}

TEST(Ratio, MoreRoundsMakeItNarrower) {
  const auto width = [](int rounds) {
    const Ratio ratio = ratio_of_medians(noisy(1.1, 0.2, rounds, 5), noisy(1.0, 0.2, rounds, 6));
    return ratio.high - ratio.low;
  };
  EXPECT_LT(width(400), width(25));
}

// What disturbs whole rounds moves both medians of a resample together; drawn apart, the interval would be far wider.
TEST(Ratio, RoundsAreDrawnAsAWhole) {
  std::vector<double> one, two;
  for (int i = 0; i < 60; ++i) {
    const double clock = i % 2 == 0 ? 1.0 : 3.0;
    one.push_back(1.2 * clock);
    two.push_back(1.0 * clock);
  }
  const Ratio ratio = ratio_of_medians(one, two);
  EXPECT_NEAR(ratio.low, 1.2, 1e-9);
  EXPECT_NEAR(ratio.high, 1.2, 1e-9);
}

TEST(Ratio, IsTheSameEachTime) {
  const std::vector<double> a = noisy(1.3, 0.2, 30, 3), b = noisy(1.0, 0.2, 30, 4);
  const Ratio one = ratio_of_medians(a, b), two = ratio_of_medians(a, b);
  EXPECT_EQ(one.low, two.low);
  EXPECT_EQ(one.high, two.high);
  EXPECT_NE(one.low, ratio_of_medians(a, b, 0.95, 2000, 9).low);
}

TEST(Ratio, OfNothing) {
  const Ratio ratio = ratio_of_medians({}, {});
  EXPECT_EQ(ratio.rounds, 0);
  EXPECT_FALSE(ratio.is_certain() && ratio.low > 0);
}

}  // namespace
}  // namespace ka

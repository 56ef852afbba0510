#include "verify/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace ka::verify {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

// A float32 tensor from numbers, together with its bytes.
template <typename T>
struct Tensor {
  ir::DType dtype;
  std::vector<T> values;
  TensorView view() const {
    return {dtype, {static_cast<std::int64_t>(values.size())}, std::as_bytes(std::span(values))};
  }
};

Tensor<float> f32(std::vector<float> values) { return {ir::DType::float32, std::move(values)}; }
Tensor<double> f64(std::vector<double> values) { return {ir::DType::float64, std::move(values)}; }
Tensor<std::uint8_t> mask(std::vector<std::uint8_t> values) { return {ir::DType::bool_, std::move(values)}; }

Comparison compared(const std::vector<double>& got, const std::vector<double>& want) {
  std::vector<float> a(got.begin(), got.end()), b(want.begin(), want.end());
  const auto candidate = f32(a), native = f32(b);
  const auto wide = f64(want);
  return compare(candidate.view(), {native.view(), wide.view(), {}, {}, {}}, {1e-3, 1e-3}, {16, 64});
}

TEST(Compare, AcceptsEqualValues) {
  const Comparison seen = compared({1, -2, 0}, {1, -2, 0});
  EXPECT_EQ(seen.mismatch, Mismatch::none);
  EXPECT_EQ(seen.max_abs_error, 0);
}

TEST(Compare, NamesTheWorstElement) {
  const Comparison seen = compared({1, 2.5, 3.01}, {1, 2, 3});
  EXPECT_EQ(seen.mismatch, Mismatch::value);
  EXPECT_EQ(seen.wrong_elements, 2);
  EXPECT_EQ(seen.worst_element, 1);
  EXPECT_EQ(seen.got, 2.5);
  EXPECT_EQ(seen.want, 2);
}

TEST(Compare, RefusesNanWhereANumberIsWanted) {
  EXPECT_EQ(compared({1, kNan}, {1, 2}).mismatch, Mismatch::value);
}

TEST(Compare, RefusesASwallowedNan) {
  const Comparison seen = compared({1, 0}, {1, kNan});
  EXPECT_EQ(seen.mismatch, Mismatch::special);
  EXPECT_EQ(seen.worst_element, 1);
}

TEST(Compare, AcceptsNanForNanAndInfForInf) {
  EXPECT_EQ(compared({kNan, kInf, -kInf}, {kNan, kInf, -kInf}).mismatch, Mismatch::none);
  EXPECT_EQ(compared({-kInf}, {kInf}).mismatch, Mismatch::value);
  EXPECT_EQ(compared({3.4e38}, {kInf}).mismatch, Mismatch::value);
}

// Softmax of long rows: every element is smaller than the absolute tolerance.
TEST(Compare, RefusesZerosForTinyAnswersByTheBudget) {
  const Comparison seen = compared({0, 0, 0, 0}, {1e-4, 2e-4, 3e-4, 1e-4});
  EXPECT_EQ(seen.mismatch, Mismatch::precision);
  EXPECT_GT(seen.multiple_seen, 1e6);
}

TEST(Compare, RefusesTf32ErrorsInFloat32) {
  std::vector<double> want, got;
  for (int i = 0; i < 1000; ++i) {
    want.push_back(1 + i * 0.001);
    got.push_back(want.back() * (1 + (i % 2 ? 3e-4 : -3e-4)));
  }
  EXPECT_EQ(compared(got, want).mismatch, Mismatch::precision);
}

TEST(Compare, AcceptsTheTiersOwnError) {
  std::vector<float> got, tier;
  std::vector<double> want;
  for (int i = 0; i < 1000; ++i) {
    want.push_back(1 + i * 0.001);
    got.push_back(static_cast<float>(want.back() * (1 + (i % 2 ? 3e-4 : -3e-4))));
    tier.push_back(static_cast<float>(want.back() * (1 + (i % 3 ? 2e-4 : -2e-4))));
  }
  std::vector<float> native(want.begin(), want.end());
  const auto a = f32(got), b = f32(native), c = f32(tier);
  const auto wide = f64(want);
  EXPECT_EQ(compare(a.view(), {b.view(), wide.view(), c.view(), {}, {}}, {1e-3, 1e-3}, {16, 64}).mismatch, Mismatch::none);
  EXPECT_EQ(compare(a.view(), {b.view(), wide.view(), {}, {}, {}}, {1e-3, 1e-3}, {16, 64}).mismatch, Mismatch::precision);
}

TEST(Compare, AcceptsRoundingErrorsAndAFewUlps) {
  std::vector<double> want, got;
  for (int i = 1; i < 100; ++i) {
    want.push_back(i / 7.0);
    got.push_back(std::nextafter(std::nextafter(static_cast<float>(i / 7.0), 1e9f), 1e9f));
  }
  EXPECT_EQ(compared(got, want).mismatch, Mismatch::none);
}

TEST(Compare, OneBadElementAmongManyExceedsTheLargestErrorBudget) {
  std::vector<double> want(100000, 1.0), got(100000, 1.0);
  got[777] = 1.0005;
  const Comparison seen = compared(got, want);
  EXPECT_EQ(seen.mismatch, Mismatch::precision);
  EXPECT_EQ(seen.worst_element, 777);
}

TEST(Compare, UndefinedPositionsTakeNanOrTheFiniteAnswer) {
  const auto native = f32({NAN, NAN, NAN}), wide_f = f32({0, 0, 0});
  const auto wide = f64({kNan, kNan, kNan}), finite = f64({5, 5, 5});
  const auto undefined = mask({1, 1, 1});
  const ReferenceViews reference{native.view(), wide.view(), {}, undefined.view(), finite.view()};
  EXPECT_EQ(compare(f32({5, NAN, 5}).view(), reference, {1e-3, 1e-3}, {16, 64}).mismatch, Mismatch::none);
  EXPECT_EQ(compare(f32({5, 7, 5}).view(), reference, {1e-3, 1e-3}, {16, 64}).mismatch, Mismatch::special);
}

TEST(Compare, IntegersMustBeEqual) {
  const Tensor<std::int64_t> a{ir::DType::int64, {1, (1LL << 60) + 1}}, b{ir::DType::int64, {1, 1LL << 60}};
  EXPECT_EQ(compare(a.view(), {b.view(), b.view(), {}, {}, {}}, {1, 1}, {16, 64}).mismatch, Mismatch::value);
  EXPECT_EQ(compare(b.view(), {b.view(), b.view(), {}, {}, {}}, {1, 1}, {16, 64}).mismatch, Mismatch::none);
}

TEST(Compare, EmptyTensorsAgree) { EXPECT_EQ(compared({}, {}).mismatch, Mismatch::none); }

TEST(Unflatten, CountsRowMajor) {
  EXPECT_EQ(unflatten(7, {2, 2, 3}), (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(unflatten(0, {}), (std::vector<std::int64_t>{}));
}

}  // namespace
}  // namespace ka::verify

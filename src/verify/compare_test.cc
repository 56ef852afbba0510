#include "verify/compare.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "verify/compare_block.h"

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

// bfloat16 numbers (those that it can hold) against float64 ones, with that dtype's tolerance and budget.
Comparison compared_half(const std::vector<float>& got, const std::vector<float>& torch, const std::vector<double>& want) {
  const auto half = [](const std::vector<float>& values) {
    Tensor<std::uint16_t> out{ir::DType::bfloat16, {}};
    for (const float value : values) out.values.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
    return out;
  };
  const auto candidate = half(got), native = half(torch);
  const auto wide = f64(want);
  return compare(candidate.view(), {native.view(), wide.view(), {}, {}, {}}, default_tolerance(ir::DType::bfloat16), default_budget(ir::DType::bfloat16));
}

TEST(Compare, HalfElementsMayBeAsFarOffAsPyTorchIsAtElementsNoLarger) {
  const std::vector<double> want = {128, 3.875, 3.8125, -200};
  // PyTorch is 0.125 off at an element of 3.8; so may the kernel be, at another one
  EXPECT_EQ(compared_half({128, 3.875, 3.9375, -200}, {128, 3.75, 3.8125, -200}, want).mismatch, Mismatch::none);
  EXPECT_EQ(compared_half({128, 3.875, 4.0625, -200}, {128, 3.75, 3.8125, -200}, want).mismatch, Mismatch::none);
  EXPECT_EQ(compared_half({128, 3.875, 4.125, -200}, {128, 3.75, 3.8125, -200}, want).mismatch, Mismatch::value);
  // PyTorch keeps the tolerance: so must the kernel, although a rounding of the largest element is larger than what it is off by
  EXPECT_EQ(compared_half({128, 3.875, 3.9375, -200}, {128, 3.875, 3.8125, -201}, want).mismatch, Mismatch::value);
  // PyTorch leaves it at a large element: that excuses no small one
  EXPECT_EQ(compared_half({128, 3.875, 3.9375, -200}, {131, 3.875, 3.8125, -200}, want).mismatch, Mismatch::value);
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

// A large output of every float dtype, with an answer that is nearly right.
struct Large {
  ir::DType dtype;
  std::vector<std::byte> got, native;
  std::vector<double> wide;
  TensorView view(const std::vector<std::byte>& bytes) const { return {dtype, {static_cast<std::int64_t>(wide.size())}, bytes}; }
  ReferenceViews reference() const {
    return {view(native), {ir::DType::float64, {static_cast<std::int64_t>(wide.size())}, std::as_bytes(std::span(wide))}, {}, {}, {}};
  }
};

// Any bits are a number; the low ones of the candidate differ.
Large large(ir::DType dtype, std::size_t n, bool specials) {
  std::mt19937_64 random(7);
  Large made{dtype, {}, {}, {}};
  const std::size_t size = ir::size_of(dtype);
  made.got.resize(n * size);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = random();
    // The exponent's top two bits apart: magnitudes around one, so that nothing is infinite.
    const int top = static_cast<int>(size * 8);
    if (!specials) bits = (bits & ~(std::uint64_t{3} << (top - 3))) | std::uint64_t{1} << (top - 3);
    std::memcpy(made.got.data() + i * size, &bits, size);
  }
  made.native = made.got;
  for (std::size_t i = 0; i < n; i += 3) made.got[i * size] ^= std::byte{1};
  for (std::size_t i = 0; i < n; ++i) made.wide.push_back(element(made.view(made.native), static_cast<std::int64_t>(i)));
  return made;
}

constexpr ir::DType kFloats[] = {ir::DType::float64, ir::DType::float32, ir::DType::float16, ir::DType::bfloat16};

TEST(Compare, LargeOutputsGiveTheSameAnswerWithAnyNumberOfWorkers) {
  for (const ir::DType dtype : kFloats) {
    for (const bool specials : {false, true}) {
      const Large made = large(dtype, 300'001, specials);
      const Tolerance tolerance = default_tolerance(dtype);
      const Comparison one = compare(made.view(made.got), made.reference(), tolerance, {4, 16}, 1);
      for (const unsigned workers : {2u, 3u, 7u}) {
        const Comparison many = compare(made.view(made.got), made.reference(), tolerance, {4, 16}, workers);
        EXPECT_EQ(many.mismatch, one.mismatch);
        EXPECT_EQ(many.worst_element, one.worst_element);
        EXPECT_EQ(many.wrong_elements, one.wrong_elements);
        EXPECT_EQ(std::memcmp(&many.multiple_seen, &one.multiple_seen, sizeof one.multiple_seen), 0);
      }
    }
  }
}

TEST(Compare, TheFastWayFindsWhatTheDetailedWayFinds) {
  for (const ir::DType dtype : kFloats) {
    const Large made = large(dtype, 10'007, false);
    const Tolerance tolerance = default_tolerance(dtype);
    RangeResult fast, detailed;
    ASSERT_TRUE(fast_range(made.view(made.got), made.reference(), tolerance, {3, 10'007}, fast)) << ir::to_string(dtype);
    detailed_range(made.view(made.got), made.reference(), tolerance, {}, {3, 10'007}, detailed);
    EXPECT_EQ(fast.worst.index, detailed.worst.index);
    EXPECT_EQ(fast.worst.got, detailed.worst.got);
    EXPECT_EQ(fast.sums.count, detailed.sums.count);
    EXPECT_EQ(fast.sums.max_candidate, detailed.sums.max_candidate);
    EXPECT_EQ(fast.sums.max_relative, detailed.sums.max_relative);
    EXPECT_NEAR(fast.sums.candidate, detailed.sums.candidate, 1e-12 * detailed.sums.candidate);
    EXPECT_NEAR(fast.sums.scale, detailed.sums.scale, 1e-12 * detailed.sums.scale);
  }
}

TEST(Compare, TheFastWayHandsOverWhatIsNotFiniteOrNotWithinTolerance) {
  Large made = large(ir::DType::float32, 2000, false);
  const Tolerance tolerance = default_tolerance(made.dtype);
  RangeResult seen;
  for (const float wrong : {NAN, INFINITY, 1e30f}) {
    std::vector<std::byte> got = made.got;
    std::memcpy(got.data() + 4 * 1999, &wrong, sizeof wrong);
    EXPECT_FALSE(fast_range(made.view(got), made.reference(), tolerance, {0, 2000}, seen));
    EXPECT_TRUE(fast_range(made.view(got), made.reference(), tolerance, {0, 1999}, seen));
  }
}

TEST(Compare, EveryPatternOf16BitsIsDecodedExactly) {
  for (const ir::DType dtype : {ir::DType::float16, ir::DType::bfloat16}) {
    std::vector<std::uint16_t> bits(65536);
    std::vector<double> wide;
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
    const TensorView view{dtype, {65536}, std::as_bytes(std::span(bits))};
    for (std::int64_t i = 0; i < 65536; ++i) wide.push_back(element(view, i));
    const TensorView exact{ir::DType::float64, {65536}, std::as_bytes(std::span(wide))};
    RangeResult seen;
    detailed_range(view, {view, exact, {}, {}, {}}, {0, 0}, {}, {0, 65536}, seen);
    EXPECT_EQ(seen.wrong_elements, 0);
    EXPECT_EQ(seen.sums.max_candidate, 0);
    EXPECT_EQ(seen.sums.count, dtype == ir::DType::float16 ? 65536 - 2048 : 65536 - 256);
  }
}

TEST(Compare, OneWrongIntegerAmongManyIsFound) {
  Tensor<std::int32_t> want{ir::DType::int32, std::vector<std::int32_t>(1'000'000, 5)};
  Tensor<std::int32_t> got = want;
  got.values[777'777] = 6;
  got.values[888'888] = 6;
  const Comparison seen = compare(got.view(), {want.view(), want.view(), {}, {}, {}}, {1, 1}, {16, 64});
  EXPECT_EQ(seen.mismatch, Mismatch::value);
  EXPECT_EQ(seen.worst_element, 777'777);
  EXPECT_EQ(seen.wrong_elements, 2);
}

TEST(Compare, EmptyTensorsAgree) { EXPECT_EQ(compared({}, {}).mismatch, Mismatch::none); }

TEST(Unflatten, CountsRowMajor) {
  EXPECT_EQ(unflatten(7, {2, 2, 3}), (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(unflatten(0, {}), (std::vector<std::int64_t>{}));
}

}  // namespace
}  // namespace ka::verify

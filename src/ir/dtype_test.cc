#include "ir/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <string>

namespace ka::ir {
namespace {

using ::testing::HasSubstr;

// The second way: a float16's fields moved into a float32 give the value times 2^-112, subnormals included.
double float16_by_scaling(std::uint16_t bits) {
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13;
  float value = std::bit_cast<float>(magnitude) * 0x1p112f;
  if ((bits & 0x7c00u) == 0x7c00u) value = std::bit_cast<float>(magnitude | 0x7f800000u);
  return std::copysign(static_cast<double>(value), (bits & 0x8000u) != 0 ? -1.0 : 1.0);
}

// The second way: sign, exponent and mantissa as the standard defines them.
double bfloat16_by_fields(std::uint16_t bits) {
  const int exponent = (bits >> 7) & 0xff;
  const int mantissa = bits & 0x7f;
  double value = exponent == 0 ? std::ldexp(mantissa, -133) : std::ldexp(mantissa + 128, exponent - 134);
  if (exponent == 0xff) value = mantissa == 0 ? HUGE_VAL : std::nan("");
  return std::copysign(value, (bits & 0x8000u) != 0 ? -1.0 : 1.0);
}

void expect_same(double got, double want, unsigned pattern) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << pattern;
    EXPECT_EQ(std::signbit(got), std::signbit(want)) << pattern;
    return;
  }
  EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want)) << pattern;
}

TEST(DType, AllFloat16PatternsTwoWays) {
  for (unsigned pattern = 0; pattern < 65536; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    expect_same(float16_to_double(bits), float16_by_scaling(bits), pattern);
  }
}

TEST(DType, AllBfloat16PatternsTwoWays) {
  for (unsigned pattern = 0; pattern < 65536; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    expect_same(bfloat16_to_double(bits), bfloat16_by_fields(bits), pattern);
  }
}

TEST(DType, KnownValues) {
  EXPECT_EQ(float16_to_double(0x3c00), 1.0);
  EXPECT_EQ(float16_to_double(0xc000), -2.0);
  EXPECT_EQ(float16_to_double(0x7bff), 65504.0);
  EXPECT_EQ(float16_to_double(0x0001), 0x1p-24);
  EXPECT_EQ(float16_to_double(0x0400), 0x1p-14);
  EXPECT_TRUE(std::signbit(float16_to_double(0x8000)));
  EXPECT_EQ(bfloat16_to_double(0x3f80), 1.0);
  EXPECT_EQ(bfloat16_to_double(0x0001), 0x1p-133);
  EXPECT_EQ(bfloat16_to_double(0xff80), -HUGE_VAL);
}

TEST(DType, TableIsInEnumOrderAndConsistent) {
  std::set<std::string> names;
  int position = 0;
  for (const DTypeInfo& row : all_dtypes()) {
    EXPECT_EQ(static_cast<int>(row.dtype), position++);
    EXPECT_EQ(info(row.dtype).name, row.name);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(row.unit_roundoff, row.is_float ? std::ldexp(1.0, -row.mantissa_bits - 1) : 0.0) << row.name;
    EXPECT_LE(row.mantissa_bits, static_cast<int>(row.size) * 8) << row.name;
  }
  EXPECT_EQ(position, 10);
  EXPECT_EQ(info(DType::float64).unit_roundoff, std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(info(DType::float32).unit_roundoff, std::numeric_limits<float>::epsilon() / 2);
}

// Adding the unit roundoff to 1 is a tie that goes to even: no change. A little more gives the next number.
TEST(DType, UnitRoundoffIsHalfAUnitInTheLastPlace) {
  EXPECT_EQ(float16_to_double(0x3c01) - 1.0, 2 * info(DType::float16).unit_roundoff);
  EXPECT_EQ(bfloat16_to_double(0x3f81) - 1.0, 2 * info(DType::bfloat16).unit_roundoff);
}

TEST(DType, NamesRoundTrip) {
  for (const DTypeInfo& row : all_dtypes()) {
    Result<DType> parsed = parse_dtype(row.name);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed, row.dtype);
    Result<DType> qualified = parse_dtype(std::string("torch.") + row.name);
    ASSERT_TRUE(qualified);
    EXPECT_EQ(*qualified, row.dtype);
  }
}

TEST(DType, RefusesUnknownNamesByName) {
  for (const char* name : {"complex64", "complex128", "float8_e4m3fn", "uint16", "Float32", " float32", "half"}) {
    Result<DType> parsed = parse_dtype(name);
    ASSERT_FALSE(parsed) << name;
    EXPECT_EQ(parsed.error().kind, ErrorKind::unsupported);
    EXPECT_THAT(parsed.error().message, HasSubstr(std::string(name) + " is not supported; known dtypes: float64, "));
  }
  EXPECT_THAT(parse_dtype("torch.complex64").error().message, HasSubstr("complex64 is not supported"));
  EXPECT_THAT(parse_dtype("").error().message, HasSubstr("an empty dtype name is not supported"));
}

TEST(DType, ForeignNamesAreShortenedInMessages) {
  const std::string message = parse_dtype(std::string(100000, 'x') + "\x1b[31m").error().message;
  EXPECT_LT(message.size(), 300u);
  EXPECT_EQ(parse_dtype("a\x1b[31m\n").error().message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace ka::ir

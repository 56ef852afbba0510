#include "ir/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace ka::ir {

namespace {

// The unit roundoff is 2^-(mantissa_bits + 1): rounding to nearest is off by at most half of the last stored bit.
constexpr std::array<DTypeInfo, 10> kDTypes = {{
    {DType::float64, "float64", 8, true, 52, 0x1p-53},
    {DType::float32, "float32", 4, true, 23, 0x1p-24},
    {DType::float16, "float16", 2, true, 10, 0x1p-11},
    {DType::bfloat16, "bfloat16", 2, true, 7, 0x1p-8},
    {DType::int64, "int64", 8, false, 63, 0},
    {DType::int32, "int32", 4, false, 31, 0},
    {DType::int16, "int16", 2, false, 15, 0},
    {DType::int8, "int8", 1, false, 7, 0},
    {DType::uint8, "uint8", 1, false, 8, 0},
    {DType::bool_, "bool", 1, false, 1, 0},
}};

std::string known_names() {
  std::string names;
  for (const DTypeInfo& row : kDTypes) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

// A foreign name goes into a message: keep it short and printable.
std::string shown(std::string_view name) {
  constexpr std::size_t kLongest = 40;
  std::string text;
  for (char c : name.substr(0, kLongest)) text += (c >= ' ' && c <= '~') ? c : '?';
  if (name.size() > kLongest) text += "...";
  return text.empty() ? "an empty dtype name" : text;
}

}  // namespace

std::span<const DTypeInfo> all_dtypes() { return kDTypes; }

const DTypeInfo& info(DType dtype) {
  const auto row = static_cast<std::size_t>(dtype);
  KA_CHECK(row < kDTypes.size() && kDTypes[row].dtype == dtype);
  return kDTypes[row];
}

Result<DType> parse_dtype(std::string_view name) {
  constexpr std::string_view kPrefix = "torch.";
  std::string_view bare = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
  for (const DTypeInfo& row : kDTypes) {
    if (bare == row.name) return row.dtype;
  }
  return unsupported(shown(bare) + " is not supported; known dtypes: " + known_names());
}

double float16_to_double(std::uint16_t bits) {
  constexpr int kBias = 15;
  constexpr int kMantissaBits = 10;
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> kMantissaBits) & 0x1f;
  const int mantissa = bits & 0x3ff;
  if (exponent == 0x1f) {
    const double special = mantissa == 0 ? std::numeric_limits<double>::infinity()
                                         : std::numeric_limits<double>::quiet_NaN();
    return std::copysign(special, sign);
  }
  // Subnormals have no hidden bit and the exponent of the smallest normal number.
  const int significand = exponent == 0 ? mantissa : mantissa + (1 << kMantissaBits);
  const int scale = (exponent == 0 ? 1 : exponent) - kBias - kMantissaBits;
  return sign * std::ldexp(static_cast<double>(significand), scale);
}

double bfloat16_to_double(std::uint16_t bits) {
  // bfloat16 is the upper half of a float32; widening a float to a double is exact.
  const auto wide = static_cast<std::uint32_t>(bits) << 16;
  return static_cast<double>(std::bit_cast<float>(wide));
}

}  // namespace ka::ir

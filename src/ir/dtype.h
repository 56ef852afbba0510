// The element types of a tensor, one table row each, and the exact meaning of the 16-bit ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace ka::ir {

enum class DType { float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8, bool_ };

struct DTypeInfo {
  DType dtype;
  const char* name;      // as PyTorch spells it, without "torch."
  std::size_t size;      // bytes per element; also the alignment that reading one needs
  bool is_float;
  int mantissa_bits;     // stored bits of the significand (23 for float32); value bits for integers (31 for int32)
  double unit_roundoff;  // the largest relative error of one rounding to nearest; 0 for integers
};

// In the order of the enumeration.
std::span<const DTypeInfo> all_dtypes();
const DTypeInfo& info(DType dtype);

inline const char* to_string(DType dtype) { return info(dtype).name; }
inline std::size_t size_of(DType dtype) { return info(dtype).size; }
inline bool is_float(DType dtype) { return info(dtype).is_float; }

// "float32" -> DType::float32; "torch.float32" is accepted too. Anything else is an `unsupported` error that lists the
// names that are known: "complex64 is not supported; known dtypes: float64, float32, ...".
Result<DType> parse_dtype(std::string_view name);

// The value of a 16-bit pattern, exactly. NaN patterns give a NaN of the same sign.
double float16_to_double(std::uint16_t bits);
double bfloat16_to_double(std::uint16_t bits);

}  // namespace ka::ir

// Products of float32 numbers on the tensor cores that multiply float16 numbers, without giving up accuracy.
//
//   float32-grade  each operand is the sum of two float16 numbers; three of their four products are added up
//   TF32-grade     one float16 number has as many digits as TF32: what PyTorch does to convolutions by default
//
// Rows are multiplied by a power of two first, so that their largest number is just below the largest float16; the product is divided by
// both powers. A convolution gets its image with the channels last and the padding written out: then what a filter's row looks at is one
// run of memory; in the form "conv_tiles" as image_rows.h says.
#pragma once

#include <string>

#include "partition/attention.h"
#include "partition/rewrite.h"

namespace ka::partition {

// The replacement for a matmul node of float32 numbers, or nothing where it would not be faster.
std::optional<ir::ValueId> half_product(Rewriting& here, const std::string& tier);

// The replacement for either product of an attention of float32 numbers, scores and weights staying what the kernel computes: queries, keys and values are
// taken apart before, weights in the kernel. `found` is of the old graph. Nothing where it would not be faster, for both products alike.
std::optional<ir::ValueId> half_attention(Rewriting& here, const std::string& tier, const Attention& found);

}  // namespace ka::partition

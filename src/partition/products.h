// Products in the form that suits their sizes: operands of 16 bits as such, a matrix times a vector as sums along rows, and few
// large sums of many products in parts.
#pragma once

#include "partition/rewrite.h"

namespace ka::partition {

// Whether both operands hold numbers of the same 16-bit type, if widened ones.
bool are_halves(ir::Builder& b, ir::ValueId x, ir::ValueId y);
// The replacement for a matmul node, or nothing where it is right as it is.
std::optional<ir::ValueId> arranged_product(Rewriting& here);
// Only takes operands of 16 bits as such, each by itself: for attention, which rounds its weights to the type of the values.
std::optional<ir::ValueId> narrow_product(Rewriting& here);

}  // namespace ka::partition

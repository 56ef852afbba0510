// Products in the form that suits their sizes: operands of 16 bits as such, a matrix times a vector as sums along rows, and few
// large sums of many products in parts.
#pragma once

#include "partition/rewrite.h"

namespace ka::partition {

// A long depth in parts, where a product has too few tiles to fill the GPU: [b, m, k] x [b, k, n] is [b * parts, m, length] x [b * parts, length, n],
// and the parts are added.
class DepthParts {
 public:
  // Whether there are too few tiles, and a depth that is long enough.
  static bool suit(const Rewriting& here, const ir::Shape& x, const ir::Shape& y);
  // Nothing where it does not suit. `rate`: operations per second of such products, for the decision's text.
  static std::optional<DepthParts> of(Rewriting& here, const ir::Shape& x, const ir::Shape& y, double rate);

  ir::ValueId left(ir::Builder& b, ir::ValueId x) const;   // [b, m, k] as [b * parts, m, length]; zeros behind the end
  ir::ValueId right(ir::Builder& b, ir::ValueId y) const;  // [b, k, n] as [b * parts, length, n]
  ir::ValueId added(ir::Builder& b, ir::ValueId product) const;

 private:
  ir::Sym batch_, depth_, parts_, length_;
};

// Whether both operands hold numbers of the same 16-bit type, if widened ones.
bool are_halves(ir::Builder& b, ir::ValueId x, ir::ValueId y);
// The replacement for a matmul node, or nothing where it is right as it is.
std::optional<ir::ValueId> arranged_product(Rewriting& here);
// Only takes operands of 16 bits as such, each by itself: for attention, which rounds its weights to the type of the values.
std::optional<ir::ValueId> narrow_product(Rewriting& here);

}  // namespace ka::partition

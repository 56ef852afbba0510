// Which columns of a matrix of scores a mask hides, as far as this can be shown from the graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace ka::codegen {

// A causal mask somewhere between a product and a softmax: `masked` is `shown` where column <= row + span, and -inf elsewhere.
struct CausalMask {
  ir::Sym span;
  ir::ValueId masked = -1, shown = -1;
  std::vector<ir::Sym> masked_at, shown_at;  // where they are looked at
};

// What follows from a mask that is computed from indices; nothing where no such mask is found on the way down from the scores through other masks.
// `index` is where the scores are looked at, over the index symbols `row` and `column`.
std::optional<CausalMask> causal_mask(const ir::Graph& graph, ir::ValueId scores, const std::vector<ir::Sym>& index, const ir::Sym& row, const ir::Sym& column);

}  // namespace ka::codegen

// Which columns of a matrix of scores a mask hides, as far as this can be shown from the graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace ka::codegen {

// The largest s for which "every score with column > row + s is -inf" follows from a mask that is computed from indices; nothing
// where no such mask is found. `index` is where the scores are looked at, over the index symbols `row` and `column`.
std::optional<ir::Sym> visible_span(const ir::Graph& graph, ir::ValueId scores, const std::vector<ir::Sym>& index,
                                    const ir::Sym& row, const ir::Sym& column);

}  // namespace ka::codegen

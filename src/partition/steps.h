// What decides a whole number (a bucket, an index, a quantised value) is computed as exactly as PyTorch does it: a quotient that is off by one unit of
// its last place, which an approximate division is, falls on the other side of a whole number now and then.
#pragma once

#include <optional>
#include <set>

#include "partition/rewrite.h"

namespace ka::partition {

// The nodes whose results reach a rounding or a cast to integers element by element.
std::set<int> before_steps(const ir::Graph& graph);
// The exact form of such a node, where it has one: division rounded as IEEE says, functions by way of float64.
std::optional<ir::ValueId> exact_before_step(Rewriting& here);

}  // namespace ka::partition

// Reductions of long rows, when there are too few rows to fill a GPU, become two: parts of the rows, then the parts. Besides
// being faster this is more accurate, for sums are then added in a tree and not in one long chain.
#pragma once

#include "partition/rewrite.h"

namespace ka::partition {

// The replacement for a reduce node, or nothing where one kernel does as well.
std::optional<ir::ValueId> split_reduction(Rewriting& here);
std::optional<ir::ValueId> split_reduction(Rewriting& here, ir::ValueId x, const std::string& kind, const std::vector<int>& dims);
// The sum of the squared distances from a mean whose sum was split: each part has a mean of its own, from which it is measured while the
// part is at hand, and the parts' means are measured from the whole one. Memory is read once, not twice.
//   sum (x - m)^2  =  sum over parts of  (sum over the part of (x - p)^2)  +  count * (p - m)^2
std::optional<ir::ValueId> split_squares(Rewriting& here);
// The same where rows are cut into parts, of which the last may be shorter.
std::optional<ir::ValueId> split_distances(Rewriting& here);
// The sum of exponentials beside a maximum that was split: each part is measured from its own largest element in the same pass.
//   sum exp(x - c)  =  sum over parts of  exp(p - c) * (sum over the part of exp(x - p))
std::optional<ir::ValueId> split_exponentials(Rewriting& here);

}  // namespace ka::partition

// Sums over a row that need another reduction of the same row, and can still be computed in one pass with it: what a lane has seen so far is
// measured from a number of its own, and moved to the row's number when that is known.
//
//   exponentials   sum exp(x - c)   from the largest x so far, m:  when it grows, the sum is multiplied by exp(old - new);  at the end by exp(m - c)
//   squares        sum (x - c)^2    from the mean so far, m, by Welford's recurrence;  at the end count * (m - c)^2 is added
//
// c is any number of the row: the maximum of a softmax, 0 instead of an infinite one in a logsumexp, a mean.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"

namespace ka::codegen {

struct OnlineSum {
  enum class Kind { exponentials, squares } kind;
  ir::ValueId x, centre;
};

// By the structure of what is summed; nothing where it is another reduction.
std::optional<OnlineSum> online_sum(const ir::Graph& graph, const ir::Node& reduction);

}  // namespace ka::codegen

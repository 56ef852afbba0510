// Sums over a row that need another reduction of the same row, and can still be computed in one pass with it: what a lane has seen so far is
// measured from a number of its own, and moved to the row's number when that is known.
//
//   exponentials   sum exp(x - c)   from the largest x so far, m:  when it grows, the sum is multiplied by exp(old - new);  at the end by exp(m - c)
//   squares        sum (x - c)^2    from the mean so far, m, by Welford's recurrence;  at the end count * (m - c)^2 is added
//
// c is any number of the row: the maximum of a softmax, 0 instead of an infinite one in a logsumexp, a mean.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "ir/plan.h"
#include "synth/codegen/body.h"

namespace ka::codegen {

struct OnlineSum {
  enum class Kind { exponentials, squares } kind;
  ir::ValueId x, centre;
};

// By the structure of what is summed; nothing where it is another reduction.
std::optional<OnlineSum> online_sum(const ir::Graph& graph, const ir::Node& reduction);

// In which pass over the rows each reduction of a kernel is made: in the first when its operand needs no other reduction, in the second when it needs one of the first, and so on.
class RowStages {
 public:
  // `at_once`: online sums are in the pass of what they are measured from.
  RowStages(const KernelContext& context, const ir::PlannedKernel& kernel, bool at_once);
  int last() const { return last_; }
  std::vector<const ir::Node*> reductions(int stage) const;
  // The sum as one that needs no pass of its own: the centre is known at the end of this one, or a maximum of x is taken in it.
  std::optional<OnlineSum> online(const ir::Node& reduction) const;

 private:
  int stage_of(ir::ValueId value);
  std::optional<OnlineSum> found_online(const ir::Node& node);
  bool takes_maximum_of(ir::ValueId x) const;

  const KernelContext& context_;
  const ir::PlannedKernel& kernel_;
  bool at_once_;
  int last_ = 0;
  std::map<ir::ValueId, int> stages_;
  std::map<ir::ValueId, OnlineSum> online_;  // by result
};

}  // namespace ka::codegen

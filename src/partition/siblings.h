// Pointwise kernels that visit the same points and read the same tensor become one kernel with several outputs: sin(x) and cos(x), the
// halves of a rotation, gates of one row. What they share is read once, and there is one launch instead of several.
#pragma once

#include "ir/plan.h"

namespace ka::partition {

// The kernels of the plan are connected (`needs` is there) and not yet in order. One that went into another keeps no outputs.
void join_siblings(const ir::Graph& graph, ir::Plan& plan);

}  // namespace ka::partition

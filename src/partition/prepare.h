// The graph in the form in which it is cut into kernels: what is too long for one program is split.
#pragma once

#include "ir/graph.h"

namespace ka::partition {

ir::Graph prepared(const ir::Graph& graph);

}  // namespace ka::partition

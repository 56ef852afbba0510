// The graph in the form in which it is cut into kernels: what is too long for one program is split.
#pragma once

#include <string>

#include "ir/graph.h"

namespace ka::partition {

// `tier`: default, fp32, tf32 or half.
ir::Graph prepared(const ir::Graph& graph, const std::string& tier = "default");

}  // namespace ka::partition

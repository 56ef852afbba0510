// Recurrent layers of which each reads all that the one below has computed, and nothing but that: one node, whose layers can run at the same time, each
// some steps behind the one below.
#pragma once

#include <string>
#include <vector>

#include "ir/gpu.h"
#include "ir/graph.h"

namespace ka::partition {

// Where the GPU is given the form `persistent`: the graph with such layers joined, as many as are on the GPU at once; otherwise as it is.
ir::Graph layers_together(const ir::Graph& graph, const ir::Gpu& gpu, std::vector<std::string>* decisions);

}  // namespace ka::partition

// The graph in the form in which it is cut into kernels: what is too long for one program is split.
#pragma once

#include <string>
#include <vector>

#include "ir/gpu.h"
#include "ir/graph.h"

namespace ka::partition {

// `tier`: default, fp32, tf32 or half. `decisions` gets a sentence for each choice that was made by what it costs.
ir::Graph prepared(const ir::Graph& graph, const std::string& tier = "default", const ir::Gpu& gpu = ir::default_gpu(), std::vector<std::string>* decisions = nullptr);

}  // namespace ka::partition

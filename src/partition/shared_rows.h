// Which reductions are not cut into parts, because programs that share a row compute them and whatever is made of their results (the form `shared_rows`).
#pragma once

#include <set>

#include "ir/gpu.h"
#include "ir/graph.h"

namespace ka::partition {

// By number of the node: all over rows that somebody looks at again when such a reduction is known.
std::set<int> reductions_of_shared_rows(const ir::Graph& graph, const ir::Gpu& gpu);

}  // namespace ka::partition

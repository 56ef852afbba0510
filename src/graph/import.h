// From the exported program to the graph of primitives.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "graph/exported.h"
#include "ir/graph.h"

namespace ka::graph {

struct Imported {
  ir::Graph graph;
  std::string way;                    // how the program was built: fake, real, meta
  std::vector<std::string> refusals;  // why an earlier way or another size did not do
  std::map<std::string, std::int64_t> scaled;  // values of the size symbols in the second sample, empty without one
};

// An operator that has no row is `unsupported` and named with its place in the program.
Result<Imported> import_program(const Exported& exported);

}  // namespace ka::graph

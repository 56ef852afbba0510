// From the exported program to the graph of primitives.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "graph/exported.h"
#include "ir/graph.h"

namespace ka::graph {

// An operator of the program as a call of Python: its operands by name, as texts over the names of values (a value of several is
// "name[1]") and of sizes.
struct OperatorText {
  std::string op, name, where;
  std::vector<std::pair<std::string, std::string>> operands;
};

struct Imported {
  ir::Graph graph;
  std::vector<OperatorText> operators;  // one per operator of the export; values by the names of the export
  std::string way;                    // how the program was built: fake, real, meta
  std::vector<std::string> refusals;  // why an earlier way or another size did not do
  std::map<std::string, std::int64_t> scaled;  // values of the size symbols in the second sample, empty without one
};

// What is wrong with a program that a file holds (Exported::way) is invalid input. An operator that has no row is `unsupported` and named with its place in the program.
Result<Imported> import_program(const Exported& exported);

}  // namespace ka::graph

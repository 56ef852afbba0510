// Parts of an exported program as values that can be kept in a file, and back: the entry of a part holds all that a producer of kernels
// needs, for the sizes that were given and for the others at which the program was exported.
#pragma once

#include <string>

#include "base/result.h"
#include "graph/exported.h"
#include "ir/program.h"
#include "model/subgraph.h"

namespace ka::graph {

// Which operator reads what. Updates are those of weights, in the order of the export.
ir::Program program_of(const Exported& exported);

// The name of a value of the program: an argument's, or the operator's that gives it ("max_1_out1" for another result than the only one).
std::string value_name(const Exported& exported, const ir::ProgramRef& ref);

// One part, with one call: `order` is its place among the calls. Id and source are the caller's business.
model::Subgraph subgraph_of(const Exported& exported, const ir::Part& part, std::int64_t order);

// The part as an exported program of its own. An entry that is no such program is an error of the file, in one sentence.
Result<Exported> exported_of(const model::Subgraph& subgraph);

}  // namespace ka::graph

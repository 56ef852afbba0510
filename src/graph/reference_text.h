// A part of a program as plain PyTorch, in calls of its operators: a problem of its own, which the judge holds a kernel against, and the
// module that stands for it in the refactored program.
#pragma once

#include <string>

#include "graph/import.h"
#include "model/subgraph.h"

namespace ka::graph {

// A problem of KernelBench's form; sizes are its constants, so that it can be run at smaller ones.
std::string problem_text(const model::Subgraph& subgraph, const Imported& imported);

// class Name(nn.Module) with forward(self, inputs..., weights...).
std::string module_text(const model::Subgraph& subgraph, const Imported& imported, const std::string& class_name);

// def name(inputs..., *, weights...): the same as a function, for a part that stays PyTorch.
std::string function_text(const model::Subgraph& subgraph, const Imported& imported, const std::string& name);

// The inputs and weights that the calls of a part give, in order; constants are the part's own.
std::vector<std::string> parameters_of(const model::Subgraph& subgraph);

}  // namespace ka::graph

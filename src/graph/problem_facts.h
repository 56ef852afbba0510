// What an exported program says about itself, as the value that other stages and prompts read.
#pragma once

#include <string>
#include <vector>

#include "graph/exported.h"
#include "model/problem.h"

namespace ka::graph {

// Inputs, weights, outputs, sizes and buffers that change, at the given sizes. Path, text, mode and kind are the caller's.
model::Problem problem_facts(const Exported& exported);

// Every PyTorch operator once, in the order of the program.
std::vector<std::string> operator_names(const Exported& exported);

}  // namespace ka::graph

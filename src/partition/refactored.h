// The planned program as plain PyTorch: one function per kernel, and `forward`, which calls them in order. It says the same as the
// graph in a language that PyTorch itself can execute, so that the plan can be held against the original before anything is built on
// it; and each function is a small problem of its own.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace ka::partition {

struct Refactored {
  std::string text;                  // helpers, one function per kernel, forward
  std::vector<std::string> inputs;   // of forward, in order
  std::vector<std::pair<std::string, std::string>> weights;  // name in state_dict, keyword of forward
};

// `unsupported`: a primitive that has no PyTorch text here.
Result<Refactored> refactored(const ir::Graph& graph, const ir::Plan& plan);

}  // namespace ka::partition

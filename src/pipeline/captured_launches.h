// The form "graphs": whether the launches of a program are captured once and replayed, by what a call costs either way, and the file that does it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compose/compose.h"
#include "ir/gpu.h"
#include "model/subgraph.h"
#include "pipeline/generate.h"

namespace ka::pipeline {

struct KernelCall {  // of a whole program, once
  double launches = 0;
  double seconds = 0;       // its kernels, on the GPU
  double copied_bytes = 0;  // of what it is given but its weights, and of its results
  std::size_t copies = 0;   // so many tensors
};

// Launches by Python keep a GPU waiting whose kernels take less; a replay launches as fast as the GPU runs, but inputs are copied to where the graph reads
// them and results from where it writes them, each a launch of its own. The sentence says which is taken and why.
struct Replay {
  bool wins = false;
  std::string sentence;
};
Replay replay_of(const KernelCall& call, const ir::Gpu& gpu);

// The file of a program that is written as a whole, where the GPU writes the form and it wins; its decisions say which. Whether it was taken.
bool capture_launches(Generated& made, const std::string& platform);

// The same for a composed program. The sentence is for the log; `composed.text` changes where it wins.
std::string capture_launches(compose::Composed& composed, const compose::Program& program, const std::vector<model::Subgraph>& subgraphs, const std::string& platform, const ir::Gpu& gpu);

}  // namespace ka::pipeline

// A language model's composition of the parts beside that of the rules: the better of the two.
#pragma once

#include "pipeline/compose_files.h"
#include "pipeline/contest.h"

namespace ka::pipeline {

// What the rules composed and the judge has seen goes in; what stands comes out. The model's program takes its place where the judge refused that of the rules, or where it is
// faster on the GPU. `means.models` is the composer; `exported`: the program.
Result<ComposeFiles> ask_composer(ComposeFiles by_rules, const RunOptions& options, const std::vector<model::Subgraph>& subgraphs, const Frame& frame,
                                  const std::map<std::string, std::string>& kernels, const graph::Exported& exported, const Means& means);

// The artefact that says that the composed program is a model's, below compose_out/.
inline constexpr const char* kComposerFile = "candidate.json";

}  // namespace ka::pipeline

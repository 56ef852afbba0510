// The stage compose: from the kernels of the parts to one file, its summary and its verdict.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compose/compose.h"
#include "pipeline/extract.h"
#include "pipeline/run_options.h"

namespace ka::pipeline {

struct ComposeFiles {
  std::map<std::string, std::string> files;  // composed_kernel.py, summary.json, and verdict.json where it was judged
  model::Composition composition;
  std::optional<model::Verdict> verdict;
  std::string program;
};
// `kernels`: by id, the texts of the kernel files of the parts that have one. By rule: no language model is asked.
Result<ComposeFiles> compose_files(const RunOptions& options, const std::vector<model::Subgraph>& subgraphs, const Frame& frame,
                                   const std::map<std::string, std::string>& kernels, const Means& means);

// The judge's word about a composed program, into its files.
Status judge_composed(const RunOptions& options, ComposeFiles& made, const Means& means);

compose::Program program_of(const RunOptions& options, const std::vector<model::Subgraph>& subgraphs, const Frame& frame);

}  // namespace ka::pipeline

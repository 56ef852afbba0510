// A whole run in its directory: extract, dispatch, compose, verify. Every step that is finished is in the journal and is not done again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/run_directory.h"
#include "pipeline/dispatch.h"
#include "pipeline/extract.h"

namespace ka::pipeline {

struct RunOptions {
  verify::ProblemSource problem;
  DispatchOptions dispatch;
  std::size_t jobs = 0;          // 0: as many as the machine can take
  bool verify = true;            // the composed program as a whole
  bool allow_torch = false;      // a part without a kernel stays PyTorch, and everybody is told
  std::optional<verify::TestScript> test = {};  // that the composed program must pass as well
};

struct RunResult {
  std::vector<model::Subgraph> subgraphs;
  std::vector<model::SubgraphResult> parts;
  std::string program;                     // composed_kernel.py; empty when there is none
  model::Composition composition;
  std::optional<model::Verdict> verdict;   // of the whole
  std::map<std::string, double> times;     // seconds by stage
  std::string limit;                       // that ended it before its end: `parts` then says which were not reached. Empty when it came to its end
};

struct RunContext {
  model::RunDirectory& directory;
  bridge::WarmInterpreter& interpreter;
  const os::CancelToken& cancel;
  EventLog* log = nullptr;
  std::optional<OpenProgram> program = {};  // where it was planned already
  Budget* budget = nullptr;                 // null: no limit
  os::GpuPool* gpus = nullptr;              // null: no GPU takes part, or nobody knows which
  const ModelSide* models = nullptr;        // null: no language model takes part
};

Result<RunResult> run(const RunOptions& options, RunContext& context);

// Of one call of the composed program.
int launches_of(const RunResult& result);

struct ComposeFiles {
  std::map<std::string, std::string> files;  // composed_kernel.py, summary.json, and verdict.json where it was judged
  model::Composition composition;
  std::optional<model::Verdict> verdict;
  std::string program;
};
// `kernels`: by id, the texts of the kernel files of the parts that have one.
Result<ComposeFiles> compose_files(const RunOptions& options, const std::vector<model::Subgraph>& subgraphs, const Frame& frame,
                                   const std::map<std::string, std::string>& kernels, const Means& means);

}  // namespace ka::pipeline

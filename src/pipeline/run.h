// A whole run in its directory: extract, dispatch, compose, verify. Every step that is finished is in the journal and is not done again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/run_directory.h"
#include "pipeline/compose_files.h"
#include "pipeline/extract.h"

namespace ka::pipeline {

struct RunResult {
  std::vector<model::Subgraph> subgraphs;
  std::vector<model::SubgraphResult> parts;
  std::string program;                     // composed_kernel.py; empty when there is none
  model::Composition composition;
  std::optional<model::Verdict> verdict;   // of the whole
  bool by_model = false;                   // the composed program is a language model's
  std::map<std::string, double> times;     // seconds by stage
  std::string limit;                       // that ended it before its end: `parts` then says which were not reached. Empty when it came to its end
};

// The language models of a run, by what they are asked for. Null: that is done without one.
struct ModelRoles {
  const ModelSide* parts = nullptr;     // kernels
  const ModelSide* cutter = nullptr;    // another cut of the program
  const ModelSide* composer = nullptr;  // the composed program
};

struct RunContext {
  model::RunDirectory& directory;
  bridge::WarmInterpreter& interpreter;
  const os::CancelToken& cancel;
  EventLog* log = nullptr;
  std::optional<OpenProgram> program = {};  // where it was planned already
  Budget* budget = nullptr;                 // null: no limit
  os::GpuPool* gpus = nullptr;              // null: no GPU takes part, or nobody knows which
  ModelRoles models = {};
};

Result<RunResult> run(const RunOptions& options, RunContext& context);

// Of one call of the program that was composed by rule.
int launches_of(const RunResult& result);

}  // namespace ka::pipeline

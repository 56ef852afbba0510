// The language model of a search, where one takes part: asked for rewritten kernels, within the limits of the settings.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/model_side.h"
#include "app/cli/optimize_diagnosis.h"
#include "app/cli/run_output.h"
#include "graph/exported.h"
#include "pipeline/generate.h"
#include "pipeline/machine_gpu.h"
#include "pipeline/model_moves.h"

namespace ka::app {

// What it is told about the search.
struct ModelBrief {
  const verify::ProblemSource& problem;
  const verify::JudgeOptions& judge;
  const std::optional<graph::Exported>& exported;  // nothing: PyTorch cannot export the program, and then the model is not asked
  const std::optional<pipeline::MachineGpu>& gpu;
  double floor_ms, target;
  std::string basis;
};

class SearchModel {
 public:
  // Takes part where it is named with --model or by a config file, or answers again (--replay); a key alone asks nobody. Searches over a recording ask none: their answers are in it, or in a replay.
  // One that cannot be asked is told in the log and left out.
  static Result<SearchModel> plan(const Settings& settings, bool recorded, EventLog& log);
  bool takes_part() const { return !choice_.model.empty(); }

  // Opens the conversations of the run, which counts what it has spent before. The answer is the model's moves before those of `others`, or `others`.
  Result<optimise::Proposer*> join(optimise::Proposer& others, const ModelBrief& brief, Diagnoses& diagnoses, const pipeline::Means& means, RunOutput& output);
  void ends(os::Deadline end) { end_ = end; }

  // What was asked so far.
  const std::vector<pipeline::Talk>& talks() const;
  // For the run directory, after every round.
  std::map<std::string, std::string> files() const;
  // Null where none takes part.
  Json json() const;
  // "3 questions to language models, 5120 tokens", and why no more are asked; lines with `indent`. Empty where nothing is to be said.
  std::string text(std::string_view indent) const;
  // Why it was silent in the end; empty: it was not.
  std::string silent() const;

 private:
  SearchModel(const Settings& settings, ModelChoice choice) : settings_(&settings), choice_(std::move(choice)) {}
  Result<pipeline::MoveFacts> facts(const ModelBrief& brief, const pipeline::Means& means) const;
  const Settings* settings_;
  ModelChoice choice_;
  os::Deadline end_;
  std::unique_ptr<Models> models_;
  std::unique_ptr<pipeline::Means> means_;  // that the proposer refers to
  std::unique_ptr<pipeline::ModelProposer> proposer_;
  std::string left_out_;
};

}  // namespace ka::app

// Moves of a language model: for a program and each of its bottlenecks it is asked for one rewritten kernel file. What it says is believed by nobody: its file is judged and timed
// like any other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/diagnosis.h"
#include "optimise/search.h"
#include "pipeline/workers.h"
#include "synth/prompt/optimization.h"

namespace ka::pipeline {

// What the questions of a search have in common.
struct MoveFacts {
  prompt::Task task;
  double floor_ms = 0, target = 0;  // as in optimise::SearchOptions
  std::string basis, ceilings;      // for the model
  bool interpreted = false;         // times are not a GPU's
  os::Deadline end = os::Deadline::never();  // nothing is asked afterwards, and what is not answered then is no answer
};

// What a program is held back by, the worst first; may be empty.
using Bottlenecks = std::function<std::vector<model::Bottleneck>(const optimise::Program& program)>;

// One question, for whoever reads the run.
struct Talk {
  int round = 0, parent = 0;
  std::string bottleneck, prompt, reply;
};

// The model's moves, then those of `others`. A model that cannot be asked any more (a limit, no server) is silent from then on, and the others go on.
class ModelProposer : public optimise::Proposer {
 public:
  // Keeps references.
  ModelProposer(const ModelSide& side, MoveFacts facts, Bottlenecks diagnose, optimise::Proposer& others, const Means& means)
      : side_(side), facts_(std::move(facts)), diagnose_(std::move(diagnose)), others_(others), means_(means) {}
  Result<std::vector<optimise::Move>> propose(const optimise::Program& program, const optimise::State& state, int bottlenecks) override;
  // "gpt-5 is not asked any more: the limit of 2000 tokens (--max-tokens-total) was reached"
  std::string silent() const override { return silent_; }
  const std::vector<Talk>& talks() const { return talks_; }

 private:
  struct Answered {
    optimise::Move move;
    Talk talk;
  };
  std::vector<prompt::OptimizationPrompt> questions(const optimise::Program& program, const optimise::State& state, int bottlenecks) const;
  Result<Answered> ask(const optimise::Program& program, int round, const prompt::OptimizationPrompt& question, const std::string& seed, const os::CancelToken& cancel) const;
  Result<std::vector<optimise::Move>> asked(const optimise::Program& program, const optimise::State& state, int bottlenecks);
  Status fall_silent(const Error& error);

  const ModelSide& side_;
  MoveFacts facts_;
  Bottlenecks diagnose_;
  optimise::Proposer& others_;
  const Means& means_;
  std::vector<Talk> talks_;
  std::string silent_;
};

}  // namespace ka::pipeline

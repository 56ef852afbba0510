// Moves of the built-in generator: the program's kernels as it writes them for this GPU, and as it would for one whose launches, memory or products cost other than they do.
// Other facts make other cuts, families and precision schemes win; a clock decides which of them is right.
#pragma once

#include <string>
#include <vector>

#include "graph/import.h"
#include "optimise/search.h"
#include "pipeline/generate.h"

namespace ka::pipeline {

// Different texts, the cheapest by the cost model first. Empty where the generator cannot write the program. `precision` and `title` as in codegen::GenerateOptions; of the choices the GPU, and whether
// rewrites may change the amount of work.
std::vector<optimise::Move> generated_moves(const graph::Exported& exported, const std::string& precision, const std::string& title, const GenerateChoices& choices);

// Of these, only what other forms of kernels (ir/forms.h) make of the program; empty where they make no difference.
std::vector<optimise::Move> form_moves(const graph::Exported& exported, const std::string& precision, const std::string& title, const GenerateChoices& choices);

// Nothing but what others propose first.
class NoMoves : public optimise::Proposer {
 public:
  Result<std::vector<optimise::Move>> propose(const optimise::Program&, const optimise::State&, int) override { return std::vector<optimise::Move>(); }
};

// The built-in generator's moves for the program that the search began with, and for every program the same with its launches captured; then those of `others`.
// `captures`: graphs are replayed on this device.
class GeneratedFirst : public optimise::Proposer {
 public:
  GeneratedFirst(std::vector<optimise::Move> moves, bool captures, optimise::Proposer& others) : moves_(std::move(moves)), captures_(captures), others_(others) {}
  Result<std::vector<optimise::Move>> propose(const optimise::Program& program, const optimise::State& state, int bottlenecks) override;

 private:
  std::vector<optimise::Move> moves_;
  bool captures_;
  optimise::Proposer& others_;
};

}  // namespace ka::pipeline

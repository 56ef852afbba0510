// What a round of a search leaves below workers/, and what optimize.json says about the roofline.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "optimise/roofline.h"
#include "optimise/search.h"
#include "pipeline/model_moves.h"

namespace ka::app {

// One worker (w0, w1, ...) per program that was changed and bottleneck that it was changed against, the fastest program first. `parents`: the programs as they were before the round.
// Files by their names below the run directory: the fastest kernel that each worker had in the round, and all that it tried, with what came of it; where a
// language model was asked for it, the question, the answer and the reflection on it.
std::map<std::string, std::string> round_files(const std::vector<optimise::Program>& parents, const optimise::State& state, const std::string& run_id, const std::vector<pipeline::Talk>& talks);

// Work, and the rates at which memory and arithmetic could do it, for whoever draws them. Null where nothing is known.
Json roofline_json(const optimise::Work& work, const optimise::Floor& floor);

}  // namespace ka::app

// auto --optimize: a search for a faster kernel than the one that a run has made and verified. The better one is the run's result.
#pragma once

#include <string>

#include "app/cli/auto_outcome.h"
#include "app/cli/command.h"

namespace ka::app {

// Where --optimize is given and cannot be done: one sentence, before anything else is done.
Status check_optimize(const Arguments& arguments, const Request& request);

// Searches, or goes on with the search of a run that was stopped, for at most so many minutes. `outcome` becomes the better kernel; `told` what came of it, as JSON. That the search fails is
// no error: the verified kernel stays, and `told` says why.
Status optimize_outcome(const Arguments& arguments, const Request& request, double minutes, Outcome& outcome, RunOutput& output, AppContext& context, std::string& told);

}  // namespace ka::app

// What a run does with the kernel that it has made and verified. auto --optimize searches for a faster one. Else, on a GPU, other forms of kernels (ir/forms.h) are written and a race decides
// which of them the program gets, unless --forms has said which. The better kernel is the run's result.
#pragma once

#include <functional>
#include <string>

#include "app/cli/auto_outcome.h"
#include "app/cli/command.h"

namespace ka::app {

enum class Afterwards { nothing, forms, search };

// --forms where it is no list of forms: the race that a GPU has anyway, also where it takes long; and the forms of the table without one.
inline constexpr std::string_view kRaceForms = "race", kMeasuredForms = "measured";
bool is_list_of_forms(const Arguments& arguments);

// What is asked for; where it cannot be done, one sentence before anything else is done. `may_race`: forms are raced without being asked for.
Result<Afterwards> afterwards_of(const Arguments& arguments, const Request& request, bool may_race);

// The run that is over.
struct RunSoFar {
  const Arguments& arguments;
  const Request& request;
  double minutes = 0;  // that are left
  std::function<Result<bool>()> other_forms;  // whether the program has kernels of other forms; asked only before a race
};

// Searches, or goes on with the search of a run that was stopped. `outcome` becomes the better kernel; `told` what came of it, as JSON. That a search fails is no error: the verified kernel
// stays, and `told` says why.
Status search_on(Afterwards what, const RunSoFar& run, Outcome& outcome, RunOutput& output, AppContext& context, std::string& told);

}  // namespace ka::app

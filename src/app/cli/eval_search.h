// eval --optimize: the search of `optimize` for each verified task of a suite, and what came of it in the task's row.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/deadlines.h"
#include "base/json.h"
#include "pipeline/suite_task.h"

namespace ka::app {

struct SuiteSearch {
  bool wanted = false;
  double minutes = 3;                 // of a task: it ends after the round in which they are over
  std::chrono::milliseconds limit{};  // on top of them: then it is killed
  std::vector<std::string> words;     // for optimize
};

// Where --optimize is given and cannot be done: one sentence.
Result<SuiteSearch> suite_search_of(const Arguments& arguments, const pipeline::SuiteOptions& suite, std::chrono::milliseconds limit);

// The row of a task whose search begins, or goes on: it says where the search is, so that whoever comes after a crash can go on with it.
Json begin_search(Json row, const pipeline::SuiteOptions& suite);

// The row with the end of the search. A search that fails costs itself: the row says why. Errors: cancellation, and that nothing can be written.
Result<Json> search_task(Json row, const pipeline::SuiteOptions& suite, const SuiteSearch& search, Deadlines& deadlines);

// A line about it, for the terminal.
std::string search_line(const Json& row);

}  // namespace ka::app

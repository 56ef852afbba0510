// The rows of `eval`: which of an earlier run still hold, and the files and lines that all of them become.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "pipeline/suite_time.h"

namespace ka::app {

using Rows = std::map<std::string, Json>;  // by name

// Rows of results.jsonl that are about what is asked for now; of several about one problem the last. A line that a crash has cut is no row. What was only generated is not
// done when it is to be verified.
Rows finished_rows(const std::string& path, const pipeline::SuiteOptions& suite);

// A line of the table, for the terminal.
std::string row_line(const Json& row);

struct SuiteEnd {
  std::vector<std::string> names;      // of all problems
  std::vector<std::string> baselines;  // contenders; empty: nothing was to be timed
  std::string stopped;                 // why before its end; empty where it was not
  std::string command;                 // the command line
  bool searches = false;               // every verified task was to be searched
};

// results.json, and with --bench results.csv and report.html, in the folder; what is printed; and the exit code.
struct SuiteOutcome {
  std::string report;  // results.json
  std::string text;    // for people
  int code = 0;
};
Result<SuiteOutcome> conclude(const Rows& rows, const SuiteEnd& end, const pipeline::SuiteOptions& suite);

// What a reason is counted under: the rule of a refusal, or the sentence without the place that it begins with.
std::string reason_key(const std::string& reason);

}  // namespace ka::app

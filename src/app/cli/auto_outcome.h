// What a run of auto, pipeline or generate came to, and how people and machines are told.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/model_side.h"
#include "app/cli/request.h"
#include "app/cli/run_output.h"
#include "base/json.h"
#include "model/candidate.h"
#include "model/run_summary.h"
#include "pipeline/run.h"

namespace ka::app {

// What one route came to.
struct Outcome {
  std::string route;  // direct, fuse
  bool success = false, verified = false;
  std::string path, text;  // of the program, below the run directory
  std::string message;     // one sentence
  std::optional<model::Verdict> verdict;
  std::optional<pipeline::RunResult> parts;
  std::string limit = {};  // that ended it: the run can go on
  std::optional<model::Candidate> candidate = {};  // whose it is, where language models took part
};

// Of the run as a whole.
struct JobFacts {
  const Request& request;
  const model::Route& route;
  std::map<std::string, double> times;
  pipeline::Spent spent;
  bool alone = false;         // `generate`
  std::string store;          // what became of a winner of the store; empty: there was none. JSON
  std::string optimize = {};  // what came of --optimize; empty: nobody asked. JSON
  std::string forms = {};     // the same of the race of forms; empty: there was none
};

model::RunSummary summary_of(const RunOutput& output, const std::vector<Outcome>& outcomes, const JobFacts& job, const std::string& started);
Json json_of(const RunOutput& output, const std::vector<Outcome>& outcomes, const model::RunSummary& summary, const JobFacts& job);
void print(const RunOutput& output, const std::vector<Outcome>& outcomes, const JobFacts& job);

}  // namespace ka::app

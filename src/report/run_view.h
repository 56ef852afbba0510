// Everything that can be said about one run, read from its folder. Whoever explains a run or draws a page of
// it starts here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal.h"
#include "model/route.h"
#include "model/run_info.h"
#include "model/run_summary.h"
#include "model/sentence_record.h"
#include "model/subgraph.h"
#include "model/verdict.h"
#include "report/graph_notes.h"
#include "report/run_list.h"
#include "report/search_view.h"

namespace ka::report {

// One occurrence of a part in the program; names are values of the program, so equal names are edges.
struct PartCall {
  std::int64_t order = 0;
  std::vector<std::string> inputs, weights, outputs;
};

// A unique subgraph and what became of it.
struct Part {
  model::Subgraph subgraph;
  std::vector<PartCall> calls;
  std::optional<model::SubgraphResult> result;
  std::optional<model::Verdict> verdict;
  std::optional<double> seconds;    // that its last event names
  std::string kernel_path, kernel;  // relative; the text, empty when there is none
};

// What a worker of a language model wrote in one round.
struct ModelAttempt {
  std::string part;  // its id; empty: the whole program
  std::int64_t worker = 0, round = 0;
  bool accepted = false;
  std::string rule, reason;
};

struct RunView {
  RunRow row;
  std::optional<model::RunInfo> info;
  std::optional<model::SentenceRecord> sentence;  // that the problem was given as
  std::optional<model::Route> route;
  std::optional<model::RunSummary> summary;
  std::optional<model::Composition> composition;
  std::optional<model::Verdict> verdict;  // of the whole program
  GraphNotes graph;
  std::vector<Part> parts;                // in the order of subgraphs.json
  std::vector<ModelAttempt> attempts;     // by part, worker and round
  std::optional<SearchView> search;       // of a run that looked for a faster kernel
  std::string store;                      // what became of a kernel that an earlier search had found; empty: there was none
  bool from_store = false;                // it is the result
  std::string cut_advice;                 // what came of asking a model where to cut; empty: none was asked
  std::vector<std::string> kernel_names;  // of `graph`'s kernels, where the events tell
  std::map<std::string, double> times;    // seconds by stage
  std::vector<model::JournalEntry> steps;
  std::string kernel_path, kernel;  // the whole program
  std::string python;               // the refactored program, where it is a file of its own
  std::vector<FileEntry> files;
  std::vector<std::string> complaints;  // what could not be read, a sentence each
};

// Fails only when the folder holds nothing that could be shown.
Result<RunView> read_run(const std::string& path);

}  // namespace ka::report

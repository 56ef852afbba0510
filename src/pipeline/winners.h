// Kernels that an earlier search has found (store/winners.h), for those who write kernels: looked for by what the program computes, and judged like any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "graph/exported.h"
#include "pipeline/judging.h"
#include "store/winners.h"

namespace ka::pipeline {

inline constexpr const char* kFromStore = "store";  // the producer of such a kernel

// Where a run looks for winners, and for which machine.
struct WinnerSide {
  std::string path;               // of the store; empty: nothing is looked for
  std::vector<std::string> gpus;  // whose winners may be taken, the best first
  store::WinnerVersions here;
};

struct TakenWinner {
  store::Winner winner;
  std::string text;  // as this program takes it
  std::optional<model::Verdict> verdict = {};  // nothing: nobody has asked
  std::string message = {};                    // one sentence: where it is from, or why it was refused
  bool accepted() const { return !verdict || verdict->accepted; }
};
// Without the text.
Json to_json(const TakenWinner& taken);

// The fastest one that fits. A store that cannot be read stops nobody: it is a warning in the log.
std::optional<TakenWinner> find_winner(const graph::Exported& exported, const std::string& mode, const std::string& tier, const WinnerSide& side, EventLog* log);

// The same with what the judge says about it, where `judge` is true. `path`: what the kernel's file is called.
Result<std::optional<TakenWinner>> try_winner(const verify::ProblemSource& problem, const graph::Exported& exported, const std::string& path, const verify::JudgeOptions& options, bool judge,
                                              const WinnerSide& side, const Means& means);

}  // namespace ka::pipeline

// A search for a faster kernel, as its run directory tells it: what was tried in which round, and what came of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/run_files.h"

namespace ka::report {

// One candidate.
struct SearchTry {
  std::size_t round = 0;
  std::string move, bottleneck, outcome, reason;
  std::optional<double> ms;  // where it was timed
};

struct SearchRound {
  std::size_t number = 0;
  double best_ms = 0;              // after it
  std::vector<SearchTry> tries;    // winners first, then by time, then those without one
};

// The work of the program, and the rates at which memory and arithmetic could do it; per second.
struct SearchRoof {
  double bytes = 0, flops = 0, peak_bytes = 0, peak_flops = 0;
};

struct SearchView {
  double input_ms = 0, best_ms = 0, floor_ms = 0;  // floor 0: not known
  std::string device, stop, message;
  std::string last_race;          // what it says; empty: there was none
  std::string models;             // what language models were asked and what it cost; may be empty
  std::vector<std::string> path;  // moves from the given kernel to the best
  std::vector<SearchRound> rounds;
  std::optional<SearchRoof> roof;
  std::string input_path, input;  // the given kernel
};

// Nothing where the run is no search. What cannot be read becomes a complaint of `files`.
std::optional<SearchView> read_search(RunFiles& files);

// "won", "refused", "crashed", "no certain gain", ...
std::string outcome_text(const std::string& outcome);

}  // namespace ka::report

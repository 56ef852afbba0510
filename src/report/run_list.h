// Which runs there are below the folders that runs are kept in, what became of each, and taking them away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/wall_time.h"
#include "report/run_files.h"

namespace ka::report {

enum class RunState {
  verified,      // done, and the judge has accepted the result
  unverified,    // done, and nobody has judged it
  not_achieved,  // ended without the result
  going_on,      // a process holds its lock
  interrupted,   // nobody works on it, and it has no summary or one that says so
  damaged,       // its files say something that no crash explains
};
const char* to_string(RunState state);

struct RunRow {
  std::string id;    // name of its folder
  std::string path;  // as it can be opened from here
  RunState state = RunState::interrupted;
  std::string command;
  std::string problem;  // path of the program
  std::string route;
  std::string message;  // one sentence: what was achieved, or what is wrong
  std::string started;  // UTC, as in run.json
  WallTime at;          // the same as a time; that of the folder where run.json does not tell
  std::optional<double> seconds;
  std::uint64_t bytes = 0;  // on the disk
};
Json to_json(const RunRow& row);

// One run. Never fails: what cannot be read is a state.
RunRow look_at(const std::string& path);

// The folders below .fuse and .optimize of `root` that are runs, or were meant to be, newest first. Neither
// of the two there: an empty list.
Result<std::vector<RunRow>> list_runs(const std::string& root);

// The path of a run that is named by its id, a beginning of it that fits no other, a path, or "last".
Result<std::string> find_run(const std::string& root, const std::string& word);

// The same for a run that is to be removed: it must lie directly below .fuse or .optimize of `root`, without
// a link on the way, and be a run.
Result<std::string> find_removable_run(const std::string& root, const std::string& word);

// Takes the run's lock (one that is going on is an `invalid_input` error), then moves the folder away and
// empties it: whoever looks sees the whole run or none.
Status remove_run(const std::string& path);
// What a removal that was killed has left.
Status sweep_removed(const std::string& root);

struct GcLimits {
  std::optional<std::chrono::seconds> older_than;
  std::optional<std::uint64_t> larger_than;  // bytes of all runs together
  std::optional<std::size_t> keep;           // newest runs that stay in any case; alone: all others go
};
// Which of these go, oldest first: those that are too old, then as many as the size asks for. Never one that
// is going on.
std::vector<RunRow> gc_plan(const std::vector<RunRow>& runs, const GcLimits& limits, WallTime now);

}  // namespace ka::report

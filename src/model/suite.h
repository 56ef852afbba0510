// A suite of problems: what came of each task, and what all of them say together. The rows of results.jsonl, results.csv and results.json of `kernelagent eval`.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ka::model {

// A baseline's time, and that over the kernel's: above 1 the kernel is faster.
struct SuiteBaseline {
  double ms = 0;
  double ratio = 0, low = 0, high = 0;  // low, high: of the 95 % interval
  bool cached = false;                  // measured by an earlier run, scaled by eager's time now
  bool is_certain() const { return low > 1 || high < 1; }
};

enum class TaskEnd {
  left,    // not judged, or verified and not timed yet
  failed,  // there is no right kernel, or it has no time
  timed,
};

// What a search for a faster kernel has found (eval --optimize).
struct SuiteOptimized {
  std::string error;    // why it failed; empty: it did not
  bool faster = false;  // there is a kernel that has won against the default one
  double ratio = 1;     // by the search: how many times as fast
  int rounds = 0;
  std::string stop;
  std::vector<std::string> moves;
  // Beside the default kernel and the baselines; nothing: there is none, or it has no time.
  std::optional<double> kernel_ms;
  SuiteBaseline gain;  // the default kernel's time over its own
  std::map<std::string, SuiteBaseline> baselines;
  std::string no_time;  // why not
};

struct SuiteTask {
  std::string name, status, reason;
  TaskEnd end = TaskEnd::left;
  std::string tier, route;
  std::string family;                   // of its kernels, the one that most of the time goes into by the cost model
  std::map<std::string, int> families;  // kernels of each
  int kernels = 0, parts = 0, launches = 0;
  bool algebraic = false;
  std::string degenerate;  // why; empty where it is not, or not known to be
  std::optional<double> kernel_ms, floor_ms, memory_floor_ms, compute_floor_ms;
  std::map<std::string, SuiteBaseline> baselines;  // by contender
  std::map<std::string, std::string> failed;       // baselines without a time, and why
  std::optional<SuiteOptimized> optimized;         // nothing: not searched

  bool is_verified() const { return status == "verified"; }
  bool is_memory_bound() const { return memory_floor_ms && *memory_floor_ms >= compute_floor_ms.value_or(0); }
  // Floor over time, 1 at best; more is a mistake or a cheat.
  std::optional<double> efficiency() const;
  // The same with the kernel of the search in the default one's place, where it has a time.
  SuiteTask after() const;
  // The fastest baseline; nothing where none has a time.
  const std::pair<const std::string, SuiteBaseline>* best() const;
};

// A row of results.jsonl, as `eval` has written it; any other object is an error.
Result<SuiteTask> suite_task_from_json(const Json& row);

// What a task that has no right kernel, or none with a time, counts as in a geometric mean.
inline constexpr double kFailedRatio = 0.1;
inline constexpr std::array kFastP = {0.0, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0};
inline constexpr const char* kBestBaseline = "best";

// Against one baseline, or the best of each task.
struct SuiteSpeed {
  std::string baseline;
  int tasks = 0, timed = 0, failed = 0;  // tasks: both; one whose baseline has no time is not among them
  int faster = 0, certainly_faster = 0, certainly_slower = 0;
  int cached = 0;
  std::optional<double> geomean;        // a failure counts as kFailedRatio
  std::optional<double> geomean_timed;  // without failures
  std::array<double, kFastP.size()> fast_p{};  // share of tasks that are verified and at least so many times as fast
};

struct SuiteEfficiency {
  int tasks = 0;
  double q1 = 0, median = 0, q3 = 0;
  int above = 0;  // more than 100 %
};

struct SuiteFamily {
  std::string family;
  int tasks = 0, verified = 0;
  SuiteSpeed best;
  SuiteEfficiency efficiency;  // of all of them, memory-bound or not
};

// All tasks, or all without some.
struct SuiteCut {
  std::string name;
  bool without_degenerate = false, without_algebraic = false;
  int tasks = 0;
  std::vector<SuiteSpeed> speeds;  // by baseline in the order asked for, the best of them last
  SuiteEfficiency memory_bound;
};

struct SuiteSummary {
  int tasks = 0, verified = 0, timed = 0, failed = 0, left = 0, degenerate = 0, algebraic = 0;
  std::vector<std::string> baselines;
  std::vector<SuiteCut> cuts;  // the first: all tasks
  std::vector<SuiteFamily> families;
  std::vector<std::string> worst_first;  // names of all tasks that are not left
};

Json to_json(const SuiteSummary& summary);

// After optimisation: of the same tasks, each with the kernel that its search has found, or the default one.
struct SuiteAfter {
  int searched = 0, faster = 0, failed = 0;  // searched: all three ends of a search
  std::optional<double> gain;                // geometric mean over those that were searched and did not fail; what has found nothing counts as 1
  SuiteSummary summary;
};
Json to_json(const SuiteAfter& after);

}  // namespace ka::model

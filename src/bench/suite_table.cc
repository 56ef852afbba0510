#include "bench/suite_table.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/statistics.h"

namespace ka::bench {
namespace {

using model::SuiteBaseline;
using model::SuiteTask;
using model::TaskEnd;

struct CutRow {
  const char* name;
  bool without_degenerate, without_algebraic;
};
constexpr CutRow kCuts[] = {{"all tasks", false, false}, {"without degenerate tasks", true, false}, {"without algebraic wins", false, true}, {"without either", true, true}};

using Tasks = std::vector<const SuiteTask*>;

const SuiteBaseline* measured(const SuiteTask& task, const std::string& baseline) {
  if (baseline == model::kBestBaseline) {
    const auto* best = task.best();
    return best == nullptr ? nullptr : &best->second;
  }
  const auto found = task.baselines.find(baseline);
  return found == task.baselines.end() ? nullptr : &found->second;
}

model::SuiteSpeed speed_of(const Tasks& tasks, const std::string& baseline) {
  model::SuiteSpeed out;
  out.baseline = baseline;
  std::vector<double> all, timed;
  for (const SuiteTask* task : tasks) {
    const std::optional<double> ratio = counted_ratio(*task, baseline);
    if (!ratio) continue;
    ++out.tasks;
    all.push_back(*ratio);
    const bool failed = task->end == TaskEnd::failed;
    if (failed) ++out.failed;
    for (std::size_t i = 0; i < model::kFastP.size(); ++i)
      if (task->is_verified() && (model::kFastP[i] == 0 || (!failed && *ratio >= model::kFastP[i]))) ++out.fast_p[i];
    if (failed) continue;
    ++out.timed;
    timed.push_back(*ratio);
    const SuiteBaseline& found = *measured(*task, baseline);
    if (found.ratio > 1) ++out.faster;
    if (found.is_certain()) ++(found.ratio > 1 ? out.certainly_faster : out.certainly_slower);
    if (found.cached) ++out.cached;
  }
  if (out.tasks > 0) out.geomean = geometric_mean(all);
  if (out.timed > 0) out.geomean_timed = geometric_mean(timed);
  for (double& share : out.fast_p) share /= std::max(1, out.tasks);
  return out;
}

model::SuiteEfficiency efficiency_of(const Tasks& tasks, bool memory_bound_only) {
  std::vector<double> shares;
  for (const SuiteTask* task : tasks) {
    if (const std::optional<double> share = task->efficiency(); share && (!memory_bound_only || task->is_memory_bound())) shares.push_back(*share);
  }
  const auto above = std::count_if(shares.begin(), shares.end(), [](double share) { return share > 1; });
  return {static_cast<int>(shares.size()), quantile(shares, 0.25), median(shares), quantile(shares, 0.75), static_cast<int>(above)};
}

Tasks those(const std::vector<SuiteTask>& tasks, const std::function<bool(const SuiteTask&)>& wanted) {
  Tasks out;
  for (const SuiteTask& task : tasks) {
    if (task.end != TaskEnd::left && wanted(task)) out.push_back(&task);
  }
  return out;
}

std::vector<model::SuiteFamily> families_of(const std::vector<SuiteTask>& tasks) {
  std::set<std::string> names;
  for (const SuiteTask& task : tasks) names.insert(task.family);
  std::vector<model::SuiteFamily> out;
  for (const std::string& name : names) {
    const Tasks members = those(tasks, [&](const SuiteTask& task) { return task.family == name; });
    if (members.empty()) continue;
    const auto verified = std::count_if(members.begin(), members.end(), [](const SuiteTask* task) { return task->is_verified(); });
    out.push_back({name.empty() ? "none" : name, static_cast<int>(members.size()), static_cast<int>(verified), speed_of(members, model::kBestBaseline),
                   efficiency_of(members, false)});
  }
  return out;
}

}  // namespace

std::optional<double> counted_ratio(const SuiteTask& task, const std::string& baseline) {
  if (task.end == TaskEnd::left) return std::nullopt;
  if (task.end == TaskEnd::failed) return model::kFailedRatio;
  const SuiteBaseline* found = measured(task, baseline);
  return found == nullptr ? std::nullopt : std::optional(found->ratio);
}

model::SuiteSummary summary_of(const std::vector<SuiteTask>& tasks, const std::vector<std::string>& baselines) {
  model::SuiteSummary out;
  out.tasks = static_cast<int>(tasks.size());
  out.baselines = baselines;
  for (const SuiteTask& task : tasks) {
    out.verified += task.is_verified();
    out.timed += task.end == TaskEnd::timed;
    out.failed += task.end == TaskEnd::failed;
    out.left += task.end == TaskEnd::left;
    out.degenerate += !task.degenerate.empty();
    out.algebraic += task.algebraic;
  }
  for (const CutRow& row : kCuts) {
    const Tasks members = those(tasks, [&](const SuiteTask& task) { return (!row.without_degenerate || task.degenerate.empty()) && (!row.without_algebraic || !task.algebraic); });
    model::SuiteCut cut{row.name, row.without_degenerate, row.without_algebraic, static_cast<int>(members.size()), {}, efficiency_of(members, true)};
    for (const std::string& baseline : baselines) cut.speeds.push_back(speed_of(members, baseline));
    cut.speeds.push_back(speed_of(members, model::kBestBaseline));
    out.cuts.push_back(std::move(cut));
  }
  out.families = families_of(tasks);
  Tasks order = those(tasks, [](const SuiteTask&) { return true; });
  // A failure has no ratio of its own and comes before every other; a kernel without a baseline is nobody's loss.
  const auto place = [](const SuiteTask& task) { return task.end == TaskEnd::failed ? 0 : counted_ratio(task, model::kBestBaseline).value_or(1e9); };
  std::stable_sort(order.begin(), order.end(), [&](const SuiteTask* a, const SuiteTask* b) { return place(*a) < place(*b); });
  for (const SuiteTask* task : order) out.worst_first.push_back(task->name);
  return out;
}

std::optional<model::SuiteAfter> after_of(const std::vector<SuiteTask>& tasks, const std::vector<std::string>& baselines) {
  model::SuiteAfter out;
  std::vector<double> gains;
  std::vector<SuiteTask> after;
  for (const SuiteTask& task : tasks) {
    after.push_back(task.after());
    if (!task.optimized) continue;
    ++out.searched;
    out.faster += task.optimized->faster;
    out.failed += !task.optimized->error.empty();
    if (task.optimized->error.empty()) gains.push_back(task.optimized->kernel_ms ? task.optimized->gain.ratio : task.optimized->ratio);
  }
  if (out.searched == 0) return std::nullopt;
  if (!gains.empty()) out.gain = geometric_mean(gains);
  out.summary = summary_of(after, baselines);
  return out;
}

}  // namespace ka::bench

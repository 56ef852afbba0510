#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"
#include "bench/suite_table.h"

namespace ka::bench {
namespace {

using model::SuiteTask;
using model::TaskEnd;

constexpr std::size_t kMaxWhy = 100;

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_number(const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; }

const char* end_word(const SuiteTask& task) { return task.end == TaskEnd::left ? "left" : task.end == TaskEnd::failed ? "failed" : "timed"; }

std::string kernels_by_family(const SuiteTask& task) {
  std::vector<std::string> out;
  for (const auto& [family, count] : task.families) out.push_back(fmt::format("{} {}", count, family));
  return join(out, "; ");
}

std::vector<std::string> csv_line(const SuiteTask& task, const std::vector<std::string>& baselines) {
  const auto* best = task.best();
  std::vector<std::string> cells = {task.name, task.status, end_word(task), task.tier, csv_number(task.kernel_ms), csv_number(task.floor_ms), csv_number(task.efficiency()),
                                    task.floor_ms ? (task.is_memory_bound() ? "memory" : "compute") : "", best == nullptr ? "" : best->first};
  const auto add_ratio = [&](const model::SuiteBaseline* found) {
    for (const double* value : {found ? &found->ratio : nullptr, found ? &found->low : nullptr, found ? &found->high : nullptr}) cells.push_back(value ? csv_number(*value) : "");
  };
  add_ratio(best == nullptr ? nullptr : &best->second);
  for (const std::string& baseline : baselines) {
    const auto found = task.baselines.find(baseline);
    const model::SuiteBaseline* row = found == task.baselines.end() ? nullptr : &found->second;
    cells.push_back(row ? csv_number(row->ms) : "");
    add_ratio(row);
    cells.push_back(row ? (row->cached ? "yes" : "no") : "");
    const auto why = task.failed.find(baseline);
    cells.push_back(why == task.failed.end() ? "" : why->second);
  }
  for (const std::string& cell : {task.family, kernels_by_family(task), task.route, std::to_string(task.kernels), std::to_string(task.parts), std::to_string(task.launches),
                                  std::string(task.algebraic ? "yes" : "no"), task.degenerate, task.reason})
    cells.push_back(cell);
  return cells;
}

constexpr const char* kSearchColumns[] = {"search", "search_gain", "search_rounds", "search_stop", "search_moves",
                                          "optimized_ms", "optimized_gain", "optimized_gain_low", "optimized_gain_high", "optimized_efficiency"};

bool is_searched(const std::vector<SuiteTask>& tasks) {
  return std::any_of(tasks.begin(), tasks.end(), [](const SuiteTask& task) { return task.optimized.has_value(); });
}

// What the search says, what its kernel takes beside the others, and the ratios that count after it, which are the default kernel's where it has found none.
std::vector<std::string> search_cells(const SuiteTask& task, const std::vector<std::string>& baselines) {
  const SuiteTask after = task.after();
  std::vector<std::string> cells;
  if (const auto& search = task.optimized) {
    const bool timed = search->kernel_ms.has_value();
    const bool failed = !search->error.empty();
    cells = {failed ? "failed" : search->faster ? "faster" : "nothing faster", failed ? "" : csv_number(search->ratio), std::to_string(search->rounds),
             failed ? search->error : search->stop, join(search->moves, "; "), csv_number(search->kernel_ms)};
    for (const double value : {search->gain.ratio, search->gain.low, search->gain.high}) cells.push_back(timed ? csv_number(value) : "");
    cells.push_back(timed ? csv_number(after.efficiency()) : "");
  }
  cells.resize(std::size(kSearchColumns));
  const auto* best = after.best();
  cells.push_back(best == nullptr ? "" : csv_number(best->second.ratio));
  for (const std::string& baseline : baselines) {
    const auto found = after.baselines.find(baseline);
    cells.push_back(found == after.baselines.end() ? "" : csv_number(found->second.ratio));
  }
  return cells;
}

std::string marks(const SuiteTask& task) {
  std::vector<std::string> out;
  if (task.algebraic) out.push_back("algebraic");
  if (!task.degenerate.empty()) out.push_back("degenerate");
  if (const auto* best = task.best(); best != nullptr && best->second.cached) out.push_back("cached");
  return out.empty() ? "" : fmt::format(" [{}]", join(out, ", "));
}

std::string task_line(const SuiteTask& task) {
  const std::string head = task.name + marks(task) + ":";
  if (task.end == TaskEnd::failed) {
    const std::string why = elide_middle(task.reason.substr(0, task.reason.find('\n')), kMaxWhy);
    return fmt::format("  {:>11}  {:<40} {}\n", task.is_verified() ? "not timed" : task.status, head, why);
  }
  const auto* best = task.best();
  const std::string share = task.efficiency() ? fmt::format(", {:.0f} % of the floor's speed", 100 * *task.efficiency()) : "";
  if (best == nullptr) return fmt::format("  {:>11}  {:<40} {:.4f} ms{}, no baseline has a time\n", "-", head, *task.kernel_ms, share);
  const model::SuiteBaseline& row = best->second;
  return fmt::format("  {:>11.3f}  {:<40} {:.4f} ms, {} {:.4f} ms ({:.3f} to {:.3f}){}\n", row.ratio, head, *task.kernel_ms, best->first, row.ms, row.low, row.high, share);
}

std::string geomean_cell(const std::optional<double>& value) { return value ? fmt::format("{:.3f}", *value) : "-"; }

std::string speed_line(const model::SuiteSpeed& speed) {
  const double tasks = std::max(1, speed.tasks);
  return fmt::format("  {:<24} {:>8} {:>16} {:>9.0f} % {:>9.0f} % {:>6} {:>7} {:>7}\n", speed.baseline, geomean_cell(speed.geomean), geomean_cell(speed.geomean_timed),
                     100 * speed.faster / tasks, 100 * speed.certainly_slower / tasks, speed.timed, speed.failed, speed.cached);
}

std::string cuts_text(const model::SuiteSummary& summary) {
  std::string out;
  for (const model::SuiteCut& cut : summary.cuts) {
    if ((cut.without_degenerate && summary.degenerate == 0) || (cut.without_algebraic && summary.algebraic == 0)) continue;
    out += fmt::format("{} ({})\n  {:<24} {:>8} {:>16} {:>11} {:>11} {:>6} {:>7} {:>7}\n", cut.name, cut.tasks, "", "geomean", "without failures", "faster", "slower*", "timed",
                       "failed", "cached");
    for (const model::SuiteSpeed& speed : cut.speeds) out += speed_line(speed);
    const model::SuiteEfficiency& floor = cut.memory_bound;
    if (floor.tasks == 0) continue;
    const std::string above = floor.above > 0 ? fmt::format("; {} above 100 %, which is a mistake or a cheat", floor.above) : "";
    out += fmt::format("  memory-bound tasks: {:.0f} % of the floor's speed (median of {}; quartiles {:.0f} and {:.0f} %){}\n", 100 * floor.median, floor.tasks, 100 * floor.q1,
                       100 * floor.q3, above);
  }
  return out;
}

}  // namespace

std::string suite_csv(const std::vector<SuiteTask>& tasks, const std::vector<std::string>& baselines) {
  std::vector<std::string> names = {"name",       "status", "end",           "tier",       "kernel_ms",      "floor_ms",
                                    "efficiency", "bound",  "best_baseline", "ratio_best", "ratio_best_low", "ratio_best_high"};
  for (const std::string& baseline : baselines) {
    for (const char* form : {"{}_ms", "ratio_{}", "ratio_{}_low", "ratio_{}_high", "{}_cached", "{}_failed"}) names.push_back(fmt::format(fmt::runtime(form), baseline));
  }
  for (const char* name : {"family", "families", "route", "kernels", "parts", "launches", "algebraic", "degenerate", "reason"}) names.emplace_back(name);
  const bool searched = is_searched(tasks);
  if (searched) {
    names.insert(names.end(), std::begin(kSearchColumns), std::end(kSearchColumns));
    names.emplace_back("ratio_best_after");
    for (const std::string& baseline : baselines) names.push_back(fmt::format("ratio_{}_after", baseline));
  }
  std::string out = join(names, ",") + "\r\n";
  for (const SuiteTask& task : tasks) {
    std::vector<std::string> cells = csv_line(task, baselines);
    if (searched) {
      for (std::string& cell : search_cells(task, baselines)) cells.push_back(std::move(cell));
    }
    std::transform(cells.begin(), cells.end(), cells.begin(), csv_cell);
    out += join(cells, ",") + "\r\n";
  }
  return out;
}

std::string suite_text(const std::vector<SuiteTask>& tasks, const model::SuiteSummary& summary, std::size_t worst) {
  std::string out;
  const std::size_t shown = std::min(worst, summary.worst_first.size());
  if (shown > 0) out += "worst first: the time of the best baseline over the kernel's\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const SuiteTask& t) { return t.name == summary.worst_first[i]; });
    out += task_line(*task);
  }
  if (summary.worst_first.size() > shown) out += fmt::format("  and {} more in results.csv\n", summary.worst_first.size() - shown);
  out += cuts_text(summary);
  return out + fmt::format("  a failure counts as {:g}; slower*: the 95 % interval lies below 1\n", model::kFailedRatio);
}

std::string after_line(const model::SuiteAfter& after) {
  const std::string failed = after.failed > 0 ? fmt::format(", {} failed", after.failed) : "";
  return fmt::format("{} task{} searched: {} with a faster kernel{}; {} times the default kernels' speed (geometric mean)\n", after.searched,
                     after.searched == 1 ? "" : "s", after.faster, failed, geomean_cell(after.gain));
}

std::string after_text(const model::SuiteAfter& after) { return "after optimisation: " + after_line(after) + cuts_text(after.summary); }

}  // namespace ka::bench

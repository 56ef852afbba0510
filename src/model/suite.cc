#include "model/suite.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"

namespace ka::model {
namespace {

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

void check_kernel(const Json& kernel, FieldReader& row) {
  FieldReader in(kernel, row.where());
  for (const char* name : {"path", "sha256", "entry"}) in.required<std::string>(name);
  if (Status read = in.status(); !read) row.fail(read.error());
}

bool is_time(double ms) { return std::isfinite(ms) && ms > 0; }

std::optional<std::pair<std::string, SuiteBaseline>> read_ratio(const Json& json, FieldReader& row) {
  FieldReader in(json, row.where());
  const std::string name = in.required<std::string>("baseline");
  SuiteBaseline baseline;
  baseline.ratio = in.required<double>("ratio");
  baseline.low = in.required<double>("low");
  baseline.high = in.required<double>("high");
  baseline.ms = in.required<double>("median_ms");
  baseline.cached = in.optional<bool>("cached").value_or(false);
  if (!is_time(baseline.ms) || !is_time(baseline.ratio)) in.fail("ratio", "is no ratio of two times");
  Status read = in.status();
  if (read) return std::pair(name, baseline);
  row.fail(read.error());
  return std::nullopt;
}

void read_ratios(const Json& json, std::map<std::string, SuiteBaseline>& out, FieldReader& row) {
  for (const Json& one : json) {
    if (auto ratio = read_ratio(one, row)) out.insert_or_assign(std::move(ratio->first), ratio->second);
  }
}

// Of `bench`: the times of the search's kernel.
void read_rival(const Json& json, SuiteOptimized& out, FieldReader& row) {
  FieldReader in(json, row.where());
  in.required<std::string>("sha256");
  out.no_time = in.optional<std::string>("error").value_or("");
  if (out.no_time.empty()) {
    out.kernel_ms = in.required<double>("kernel_ms");
    if (const Json* gain = in.optional_object("gain")) {
      if (auto ratio = read_ratio(*gain, in)) out.gain = ratio->second;
    }
    if (const Json* ratios = in.required_array("ratios")) read_ratios(*ratios, out.baselines, in);
    if (!is_time(out.kernel_ms.value_or(0))) in.fail("kernel_ms", "is no time");
  }
  if (Status read = in.status(); !read) row.fail(read.error());
}

// Of the row: a search that was only begun is none.
void read_search(const Json& json, SuiteTask& task, FieldReader& row) {
  FieldReader in(json, row.where());
  for (const char* name : {"of", "on", "folder"}) in.required<std::string>(name);
  const std::string state = in.required<std::string>("state");
  SuiteOptimized out;
  if (state == "failed") out.error = in.required<std::string>("error");
  if (state == "ended") {
    out.faster = in.required<bool>("faster");
    out.ratio = in.required<double>("ratio");
    out.rounds = static_cast<int>(in.required<std::int64_t>("rounds"));
    out.stop = in.required<std::string>("stop");
    out.moves = in.required<std::vector<std::string>>("moves");
    if (!is_time(out.ratio)) in.fail("ratio", "is no ratio of two times");
    if (const Json* kernel = in.required_object("kernel")) check_kernel(*kernel, in);
  }
  if (Status read = in.status(); !read) row.fail(read.error());
  else if (state != "begun") task.optimized = std::move(out);
}

void read_bench(const Json& json, SuiteTask& task, FieldReader& row) {
  FieldReader in(json, row.where());
  for (const char* name : {"on", "device", "samples"}) in.optional<std::string>(name);
  in.optional<std::vector<std::string>>("asked");
  if (const std::optional<std::string> error = in.optional<std::string>("error")) {
    task.end = TaskEnd::failed;
    task.reason = *error;
  } else {
    task.end = TaskEnd::timed;
    task.kernel_ms = in.required<double>("kernel_ms");
    if (const Json* ratios = in.required_array("ratios")) read_ratios(*ratios, task.baselines, row);
    if (!is_time(*task.kernel_ms)) in.fail("kernel_ms", "is no time");
  }
  if (const Json* rival = in.optional_object("optimized"); rival != nullptr && task.optimized) read_rival(*rival, *task.optimized, in);
  task.failed = in.optional<std::map<std::string, std::string>>("failed").value_or(std::map<std::string, std::string>{});
  if (Status read = in.status(); !read) row.fail(read.error());
}

// What others read out of the row: there, or of the right type at least.
void check_further_fields(FieldReader& row) {
  row.optional<std::string>("problem_sha256");
  if (const Json* kernel = row.optional_object("kernel")) check_kernel(*kernel, row);
  if (const Json* work = row.optional_object("work")) {
    FieldReader in(*work, row.where());
    for (const char* name : {"bytes", "product_flops", "other_flops"}) in.required<double>(name);
    in.optional<double>("half_flops");
    if (Status read = in.status(); !read) row.fail(read.error());
  }
}

Json to_json(const SuiteEfficiency& e) { return {{"tasks", e.tasks}, {"q1", e.q1}, {"median", e.median}, {"q3", e.q3}, {"above_100_percent", e.above}}; }

Json to_json(const SuiteSpeed& speed) {
  Json curve = Json::array();
  for (std::size_t i = 0; i < kFastP.size(); ++i) curve.push_back({{"p", kFastP[i]}, {"share", speed.fast_p[i]}});
  const double tasks = std::max(1, speed.tasks);
  return {{"baseline", speed.baseline}, {"tasks", speed.tasks}, {"timed", speed.timed}, {"failed", speed.failed}, {"cached", speed.cached},
          {"geomean", number_or_null(speed.geomean)}, {"geomean_without_failures", number_or_null(speed.geomean_timed)},
          {"faster", speed.faster}, {"share_faster", speed.faster / tasks}, {"certainly_faster", speed.certainly_faster},
          {"certainly_slower", speed.certainly_slower}, {"fast_p", curve}};
}

}  // namespace

std::optional<double> SuiteTask::efficiency() const {
  if (!kernel_ms || !floor_ms) return std::nullopt;
  return *floor_ms / *kernel_ms;
}

const std::pair<const std::string, SuiteBaseline>* SuiteTask::best() const {
  const auto found = std::min_element(baselines.begin(), baselines.end(), [](const auto& a, const auto& b) { return a.second.ms < b.second.ms; });
  return found == baselines.end() ? nullptr : &*found;
}

SuiteTask SuiteTask::after() const {
  SuiteTask out = *this;
  if (!optimized || !optimized->kernel_ms || end != TaskEnd::timed) return out;
  out.kernel_ms = optimized->kernel_ms;
  out.baselines = optimized->baselines;
  return out;
}

Result<SuiteTask> suite_task_from_json(const Json& row) {
  FieldReader in(row, "row");
  SuiteTask task;
  task.name = in.required<std::string>("name");
  task.status = in.required<std::string>("status");
  task.reason = in.optional<std::string>("reason").value_or("");
  task.tier = in.optional<std::string>("tier").value_or("");
  task.route = in.optional<std::string>("route").value_or("");
  task.family = in.optional<std::string>("family").value_or("");
  for (const auto& [name, count] : in.optional<std::map<std::string, std::int64_t>>("families").value_or(std::map<std::string, std::int64_t>{}))
    task.families[name] = static_cast<int>(count);
  task.kernels = in.optional<int>("kernels").value_or(0);
  task.parts = in.optional<int>("parts").value_or(task.kernels > 0 ? 1 : 0);
  task.launches = in.optional<int>("launches").value_or(0);
  task.algebraic = in.optional<bool>("algebraic").value_or(false);
  task.degenerate = in.optional<std::string>("degenerate").value_or("");
  if (const Json* floor = in.optional_object("floor")) {
    FieldReader fields(*floor, "floor");
    task.memory_floor_ms = fields.required<double>("memory_ms");
    task.compute_floor_ms = fields.required<double>("compute_ms");
    task.floor_ms = std::max(*task.memory_floor_ms, *task.compute_floor_ms);
    if (Status read = fields.status(); !read) in.fail(read.error());
  }
  const bool is_open = task.is_verified() || task.status == "generated" || task.status == "left";
  task.end = is_open ? TaskEnd::left : TaskEnd::failed;
  if (const Json* search = in.optional_object("optimized")) read_search(*search, task, in);
  if (const Json* bench = in.optional_object("bench")) read_bench(*bench, task, in);
  check_further_fields(in);
  KA_TRY(in.status());
  return task;
}

Json to_json(const SuiteSummary& summary) {
  Json cuts = Json::array(), families = Json::array();
  for (const SuiteCut& cut : summary.cuts) {
    Json speeds = Json::array();
    for (const SuiteSpeed& speed : cut.speeds) speeds.push_back(to_json(speed));
    cuts.push_back({{"name", cut.name}, {"tasks", cut.tasks}, {"speeds", speeds}, {"memory_bound_efficiency", to_json(cut.memory_bound)}});
  }
  for (const SuiteFamily& family : summary.families)
    families.push_back({{"family", family.family}, {"tasks", family.tasks}, {"verified", family.verified}, {"best", to_json(family.best)},
                        {"efficiency", to_json(family.efficiency)}});
  return {{"tasks", summary.tasks},   {"verified", summary.verified}, {"timed", summary.timed},         {"failed", summary.failed},
          {"left", summary.left},     {"degenerate", summary.degenerate}, {"algebraic", summary.algebraic}, {"failure_counts_as", kFailedRatio},
          {"baselines", summary.baselines}, {"cuts", cuts},           {"families", families},           {"worst_first", summary.worst_first}};
}

Json to_json(const SuiteAfter& after) {
  return {{"searched", after.searched}, {"faster", after.faster}, {"failed", after.failed}, {"gain", number_or_null(after.gain)}, {"summary", to_json(after.summary)}};
}

}  // namespace ka::model

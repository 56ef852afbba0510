#include "app/cli/eval_rows.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "bench/suite_table.h"
#include "model/suite.h"
#include "os/files.h"
#include "report/page.h"
#include "report/suite_page.h"

namespace ka::app {
namespace {

// Most frequent first.
std::string reasons_text(const std::map<std::string, int>& reasons) {
  std::vector<std::pair<std::string, int>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [reason, count] : sorted) out += fmt::format("  {:>4}  {}\n", count, reason);
  return out;
}

Json left_row(const std::string& name) { return {{"name", name}, {"status", "left"}, {"reason", ""}}; }

Result<std::vector<model::SuiteTask>> tasks_of(const Json& problems) {
  std::vector<model::SuiteTask> out;
  for (const Json& row : problems) {
    KA_ASSIGN(model::SuiteTask task, model::suite_task_from_json(row));
    out.push_back(std::move(task));
  }
  return out;
}

// Tasks of which something that was asked for is not done.
int left_of(const Json& problems, const std::vector<model::SuiteTask>& tasks, const SuiteEnd& end, const pipeline::SuiteOptions& suite) {
  int out = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const bool is_timed = end.baselines.empty() || tasks[i].end != model::TaskEnd::left;
    const bool is_searched = !end.searches || !pipeline::wants_search(problems[i], suite);
    out += tasks[i].status == "left" || !is_timed || !is_searched;
  }
  return out;
}

// What the first timed task ran on.
std::string device_of(const Json& problems) {
  for (const Json& row : problems) {
    if (row.contains("bench") && row["bench"].contains("device")) return row["bench"]["device"].get<std::string>();
  }
  return "";
}

// What the kernel of a search is beside the default one.
std::string rival_words(const Json& rival) {
  if (rival.contains("error")) return fmt::format("; no time of the optimised kernel: {}", elide_middle(rival.value("error", ""), 80));
  if (!rival.contains("gain")) return "";
  std::string out = fmt::format("; optimised {:.2f} times the default", rival["gain"].value("ratio", 0.0));
  for (const Json& ratio : rival.value("ratios", Json::array())) out += fmt::format(", {:.2f} times {}", ratio.value("ratio", 0.0), ratio.value("baseline", ""));
  return out;
}

}  // namespace

Rows finished_rows(const std::string& path, const pipeline::SuiteOptions& suite) {
  Rows rows;
  const Result<std::string> text = os::read_file(path);
  if (!text) return rows;
  const Json asked = pipeline::asked_of(suite);
  for (const std::string& line : split(*text, '\n')) {
    const Json row = Json::parse(line, nullptr, false);
    if (!row.is_object() || !model::suite_task_from_json(row)) continue;
    const std::string name = row["name"].get<std::string>();
    rows.erase(name);
    if (row.value("asked", Json()) != asked || !pipeline::is_about_these_files(row, suite)) continue;
    if (suite.verifies && row["status"] == "generated") continue;
    rows[name] = row;
  }
  return rows;
}

std::string row_line(const Json& row) {
  const std::string status = row.value("status", "");
  std::string told = status == "verified" || status == "generated" ? "" : row.value("reason", "");
  if (row.contains("winner")) told = "from the store of winners";
  if (row.contains("winner_refused")) told += fmt::format("{}{}", told.empty() ? "" : "; ", row.value("winner_refused", ""));
  double seconds = row.value("seconds", 0.0);
  if (row.contains("bench")) {
    const Json& bench = row["bench"];
    for (const Json& ratio : bench.value("ratios", Json::array()))
      told += fmt::format("{}{:.2f} times {}{}", told.empty() ? "" : ", ", ratio.value("ratio", 0.0), ratio.value("baseline", ""), ratio.value("cached", false) ? " (cached)" : "");
    const Json failed = bench.value("failed", Json::object());
    for (const auto& [name, why] : failed.items()) told += fmt::format("{}no {}: {}", told.empty() ? "" : ", ", name, elide_middle(why.get<std::string>(), 80));
    told += bench.value("error", "");
    told += rival_words(bench.value("optimized", Json::object()));
    for (const Json& note : bench.value("notes", Json::array())) told += fmt::format("; {}", note.get<std::string>());
    seconds = bench.value("seconds", 0.0);
  }
  const std::string word = !row.contains("bench") ? status : row["bench"].contains("error") ? "not timed" : "timed";
  return fmt::format("{:<12} {:<60} {:>7.1f} s{}{}", word, row.value("name", ""), seconds, told.empty() ? "" : "  ", told);
}

Result<SuiteOutcome> conclude(const Rows& rows, const SuiteEnd& end, const pipeline::SuiteOptions& suite) {
  std::map<std::string, int> counts, reasons;
  Json problems = Json::array();
  for (const std::string& name : end.names) {
    const auto row = rows.find(name);
    problems.push_back(row == rows.end() ? left_row(name) : row->second);
    const std::string status = problems.back().value("status", "");
    ++counts[status];
    if (status != "verified" && status != "generated" && status != "left") ++reasons[status + ": " + reason_key(problems.back().value("reason", ""))];
  }
  SuiteOutcome out;
  Json results = {{"problems", problems}, {"counts", counts}, {"reasons", reasons}};
  std::vector<std::string> summary;
  for (const auto& [status, count] : counts) summary.push_back(fmt::format("{} {}", count, status));
  out.text = fmt::format("{} of {} problems\n{}", join(summary, ", "), end.names.size(), reasons_text(reasons));
  KA_ASSIGN(const std::vector<model::SuiteTask> tasks, tasks_of(problems));
  const int left = left_of(problems, tasks, end, suite);
  const std::optional<model::SuiteAfter> after = bench::after_of(tasks, end.baselines);
  if (after) results["optimized"] = model::to_json(*after);
  if (after && end.baselines.empty()) out.text += bench::after_line(*after);
  if (!end.baselines.empty()) {
    const model::SuiteSummary all = bench::summary_of(tasks, end.baselines);
    results["summary"] = model::to_json(all);
    out.text += bench::suite_text(tasks, all);
    if (after) out.text += bench::after_text(*after);
    KA_TRY(os::write_file_atomic(suite.out + "/results.csv", bench::suite_csv(tasks, end.baselines)));
    const report::SuiteAbout about{suite.folder, end.command, device_of(problems), utc_timestamp(system_wall_clock()()), end.stopped};
    KA_TRY(os::write_file_atomic(fmt::format("{}/{}", suite.out, report::kPageName), report::suite_page(tasks, all, about, after)));
    out.text += fmt::format("{0}/results.csv, {0}/{1}\n", suite.out, report::kPageName);
  }
  if (!end.stopped.empty()) {
    results["stopped"] = end.stopped;
    out.text += fmt::format("ended by {}: {} of {} tasks are left; --resume goes on with them\n", end.stopped, left, end.names.size());
  }
  out.report = to_pretty_json_text(results);
  KA_TRY(os::write_file_atomic(suite.out + "/results.json", out.report));
  out.code = left == 0 && counts["verified"] + counts["generated"] == static_cast<int>(end.names.size()) ? 0 : 1;
  return out;
}

std::string reason_key(const std::string& reason) {
  // "path/p.py:12: aten.x: this operator ...; more" -> "aten.x: this operator ..."; "result.mismatch: 3 of 5 ..." -> "result.mismatch"
  std::string text = reason.substr(0, reason.find('\n'));
  const std::size_t place = text.find(".py");
  if (place != std::string::npos && text.find(' ') > place) text = text.substr(std::min(text.find(": ", place) + 2, text.size()));
  const std::size_t colon = text.find(": ");
  const std::string head = text.substr(0, colon);
  const bool is_rule = colon != std::string::npos && head.find(' ') == std::string::npos && head.find('.') != std::string::npos && !head.starts_with("aten.");
  return is_rule ? head : text.substr(0, text.find(';'));
}

}  // namespace ka::app

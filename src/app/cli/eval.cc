// Every problem file of a folder through generate and verify. A problem that fails in any way is a row of the table; only a
// broken machine or the user stops the suite. Rows are appended to results.jsonl as they are known, so a run can be resumed.
#include "app/cli/eval.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/generate.h"
#include "app/cli/verify.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "os/files.h"
#include "problem/problem_file.h"

namespace ka::app {
namespace {

constexpr std::size_t kMaxReason = 300;

struct Suite {
  std::string folder, out, mode;
  std::vector<std::string> names;  // relative to folder, sorted
  bool verifies = true, quiet = false;
};

Result<Suite> suite_of(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  Suite suite;
  KA_ASSIGN(suite.folder, arguments.required("--suite"));
  KA_ASSIGN(suite.mode, arguments.choice("--mode", "train", modes));
  suite.out = arguments.text("--out", ".fuse/eval");
  suite.verifies = !arguments.has("--no-verify");
  suite.quiet = arguments.has("--json");
  const std::vector<std::string> filters = split(arguments.text("--filter"), ',');
  std::error_code error;
  if (!std::filesystem::is_directory(suite.folder, error)) return not_found(fmt::format("--suite: {} is no folder", suite.folder));
  for (auto it = std::filesystem::recursive_directory_iterator(suite.folder, error); !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    if (!it->is_regular_file() || it->path().extension() != ".py" || it->path().filename() == "__init__.py") continue;
    const std::string name = std::filesystem::relative(it->path(), suite.folder).string();
    const bool wanted = std::any_of(filters.begin(), filters.end(), [&](const std::string& f) { return name.find(f) != std::string::npos; });
    if (wanted) suite.names.push_back(name);
  }
  std::sort(suite.names.begin(), suite.names.end());
  if (suite.names.empty()) return not_found(fmt::format("--suite: {} has no problem file that the filter accepts", suite.folder));
  return suite;
}

const char* status_of(const Error& error) {
  if (error.kind == ErrorKind::unsupported) return "unsupported";
  return error.message.find("time limit") != std::string::npos || error.kind == ErrorKind::timeout ? "timeout" : "error";
}

// One problem, whatever happens to it. An error only when the suite cannot go on.
Result<Json> evaluate(const Suite& suite, const std::string& name, const verify::JudgeOptions& options,
                      bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  const auto begin = std::chrono::steady_clock::now();
  Json row = {{"name", name}, {"status", "error"}, {"reason", ""}};
  const auto finished = [&] {
    row["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return row;
  };
  const auto failed = [&](const Error& error) {
    row["status"] = status_of(error);
    row["reason"] = elide_middle(error.message, kMaxReason);
    return finished();
  };
  Result<problem::ProblemFile> file = problem::read_problem(suite.folder + "/" + name);
  if (!file) return failed(file.error());
  const verify::ProblemSource problem{file->path, file->object, file->text, suite.mode};
  Result<Generated> made = generate(problem, options, {}, interpreter, cancel);
  if (!made && made.error().kind == ErrorKind::cancelled) return made.error();
  if (!made) return failed(made.error());
  row["kernels"] = made->file.kernels.size();
  row["generation_seconds"] = made->seconds;
  const std::string kernel_path = fmt::format("{}/{}", suite.out, name);
  KA_TRY(os::make_dirs(kernel_path.substr(0, kernel_path.rfind('/'))));
  KA_TRY(os::write_file_atomic(kernel_path, made->file.text));
  if (!suite.verifies) {
    row["status"] = "generated";
    return finished();
  }
  verify::JudgeContext context{interpreter, cancel};
  Result<model::Verdict> verdict = verify::judge(problem, {kernel_path, made->file.text}, options, context);
  if (!verdict && verdict.error().kind == ErrorKind::cancelled) return verdict.error();
  if (!verdict) return failed(verdict.error());
  row["status"] = verdict->accepted ? "verified" : verdict->rule == "run.timeout" ? "timeout" : "refused";
  row["reason"] = verdict->accepted ? verdict->reason : elide_middle(fmt::format("{}: {}", verdict->rule, verdict->detail), kMaxReason);
  row["specialised"] = verdict->specialised;
  row["sizes"] = model::to_json(*verdict).value("sizes", Json::object());
  row["times"] = model::to_json(*verdict).value("times", Json::object());
  return finished();
}

std::map<std::string, Json> finished_rows(const std::string& path) {
  std::map<std::string, Json> rows;
  Result<std::string> text = os::read_file(path);
  if (!text) return rows;
  for (const std::string& line : split(*text, '\n')) {
    Json row = Json::parse(line, nullptr, false);
    if (row.is_object() && row.contains("name")) rows[row["name"].get<std::string>()] = row;
  }
  return rows;
}

std::string table_line(const Json& row) {
  return fmt::format("{:<12} {:<60} {:>7.1f} s  {}", row.value("status", ""), row.value("name", ""), row.value("seconds", 0.0),
                     row.value("status", "") == "verified" ? "" : row.value("reason", ""));
}

}  // namespace

Result<int> run_eval(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(Suite suite, suite_of(arguments));
  KA_ASSIGN(verify::JudgeOptions options, judge_options(arguments));
  KA_ASSIGN(std::uint64_t jobs, arguments.whole_number("--jobs", 2));
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  KA_TRY(os::make_dirs(suite.out));
  const std::string results = suite.out + "/results.jsonl";
  std::map<std::string, Json> rows;
  if (arguments.has("--resume")) rows = finished_rows(results);
  else KA_TRY(os::write_file_atomic(results, ""));
  KA_ASSIGN(os::AppendFile log, os::AppendFile::open(results));

  bridge::WarmInterpreter interpreter({python});
  std::mutex mutex;  // guards rows, log, failure
  std::optional<Error> failure;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < suite.names.size(); i = next++) {
      {
        const std::lock_guard lock(mutex);
        if (failure) return;
        if (rows.contains(suite.names[i])) continue;
      }
      Result<Json> row = evaluate(suite, suite.names[i], options, interpreter, context.cancel);
      const std::lock_guard lock(mutex);
      if (!row) {
        failure = row.error();
        return;
      }
      rows[suite.names[i]] = *row;
      if (Status written = log.append_line(row->dump()); !written) failure = written.error();
      if (!suite.quiet) fmt::print("{}\n", table_line(*row));
      std::fflush(stdout);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::uint64_t k = 0; k < std::clamp<std::uint64_t>(jobs, 1, 64); ++k) workers.emplace_back(work);
  }
  if (failure) return *failure;
  std::map<std::string, int> counts;
  Json all = Json::array();
  for (const std::string& name : suite.names) {
    all.push_back(rows[name]);
    ++counts[rows[name].value("status", "")];
  }
  std::string summary;
  for (const auto& [status, count] : counts) summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, status);
  if (suite.quiet) fmt::print("{}", to_pretty_json_text(Json{{"problems", all}, {"counts", counts}}));
  else fmt::print("{} of {} problems\n", summary, suite.names.size());
  const int good = counts["verified"] + counts["generated"];
  return good == static_cast<int>(suite.names.size()) ? 0 : 1;
}

}  // namespace ka::app

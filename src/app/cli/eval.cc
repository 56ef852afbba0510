// Every problem file of a folder through generate and verify, and bench on request. A problem that fails in any way is a row of
// the table; only a broken machine or the user stops the suite. Rows are appended to results.jsonl as they are known, so a run can
// be resumed.
#include "app/cli/eval.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/deadlines.h"
#include "app/cli/verify.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "model/run_directory.h"
#include "os/files.h"
#include "pipeline/run.h"
#include "problem/problem_file.h"
#include "route/decide.h"

namespace ka::app {
namespace {

constexpr std::size_t kMaxReason = 400;
constexpr std::uint64_t kMaxJobs = 64;
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 30;
constexpr double kMaxLimitSeconds = 86400;
constexpr double kBenchSeconds = 20;

struct Suite {
  std::string folder, out, mode;
  std::string route;               // direct, fuse, auto
  std::vector<std::string> names;  // relative to folder, sorted
  verify::JudgeOptions options;
  pipeline::GenerateChoices choices;
  std::chrono::milliseconds limit{};
  std::vector<std::string> contenders;  // empty: nothing is timed
  std::uint64_t jobs = 2;
  std::uint64_t parts = 1;  // of a problem at a time
  bool verifies = true, quiet = false;
};

Result<std::vector<std::string>> problems_below(const std::string& folder, const std::string& filter) {
  namespace fs = std::filesystem;
  const std::vector<std::string> filters = split(filter, ',');
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return not_found(fmt::format("--suite: {} is no folder", folder));
  for (auto it = fs::recursive_directory_iterator(folder, error); !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (!it->is_regular_file() || it->path().extension() != ".py" || it->path().filename() == "__init__.py") continue;
    const std::string name = fs::relative(it->path(), folder).string();
    const bool wanted = std::any_of(filters.begin(), filters.end(), [&](const std::string& f) { return name.find(f) != std::string::npos; });
    if (wanted) names.push_back(name);
  }
  if (error) return io_error(fmt::format("--suite: cannot read {}: {}", folder, error.message()));
  std::sort(names.begin(), names.end());
  if (names.empty()) return not_found(fmt::format("--suite: {} has no problem file that the filter accepts", folder));
  return names;
}

Result<Suite> suite_of(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  constexpr std::array<std::string_view, 3> routes = {"auto", "direct", "fuse"};
  if (!arguments.positional().empty())
    return invalid_input(fmt::format("unexpected argument \"{}\"; the folder is given with --suite", arguments.positional()[0]));
  Suite suite;
  KA_ASSIGN(suite.folder, arguments.required("--suite"));
  KA_ASSIGN(suite.mode, arguments.choice("--mode", "train", modes));
  KA_ASSIGN(suite.route, arguments.choice("--route", "direct", routes));
  suite.out = arguments.text("--out", ".fuse/eval");
  suite.verifies = !arguments.has("--no-verify");
  suite.choices.algebraic = !arguments.has("--no-algebraic");
  suite.quiet = arguments.has("--json");
  KA_ASSIGN(suite.names, problems_below(suite.folder, arguments.text("--filter")));
  KA_ASSIGN(suite.jobs, arguments.whole_number("--jobs", 2));
  if (suite.jobs < 1 || suite.jobs > kMaxJobs) return invalid_input(fmt::format("--jobs: at least 1 and at most {}", kMaxJobs));
  KA_ASSIGN(suite.parts, arguments.whole_number("--dispatch-jobs", 1));
  if (suite.parts < 1 || suite.parts > kMaxJobs) return invalid_input(fmt::format("--dispatch-jobs: at least 1 and at most {}", kMaxJobs));
  KA_ASSIGN(double limit, arguments.number("--limit", 900));
  if (limit < 0.1 || limit > kMaxLimitSeconds) return invalid_input(fmt::format("--limit: at least 0.1 and at most {:g} seconds", kMaxLimitSeconds));
  suite.limit = std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1000));
  KA_ASSIGN(suite.options, judge_options(arguments));
  if (!arguments.has("--memory")) suite.options.limits.memory_bytes = std::max(kLeastMemory, suite.options.limits.memory_bytes / suite.jobs);
  if (arguments.has("--baseline") && !arguments.has("--bench")) return invalid_input("--baseline is for --bench, which is not given");
  if (!arguments.has("--bench")) return suite;
  if (!suite.verifies) return invalid_input("--bench and --no-verify: only a verified kernel is timed");
  if (suite.options.device != "cuda" && arguments.text("--device") != "cpu") return environment_error("--bench needs an NVIDIA GPU, and this machine has none");
  KA_ASSIGN(suite.contenders, contenders_of(arguments.text("--baseline", "eager")));
  return suite;
}

const char* status_of(const Error& error) {
  if (error.kind == ErrorKind::unsupported) return "unsupported";
  return error.message.find("time limit") != std::string::npos || error.kind == ErrorKind::timeout ? "timeout" : "error";
}

// Problems go side by side; a kernel that is timed, or that needs the memory of the others, is alone. Who waits for that is passed by
// nobody: the gate lets no new ones in.
class Turns {
 public:
  std::shared_lock<std::shared_mutex> beside() {
    const std::lock_guard in(gate_);
    return std::shared_lock(running_);
  }
  std::unique_lock<std::shared_mutex> alone() {
    const std::lock_guard in(gate_);
    return std::unique_lock(running_);
  }

 private:
  std::mutex gate_;
  std::shared_mutex running_;
};

// Whether it may have been for want of memory, which others use at the same time, that a GPU did not get to an answer at the given sizes.
bool lacked_room(const Result<model::Verdict>& judged) {
  if (!judged) return judged.error().kind != ErrorKind::cancelled && judged.error().message.find("memory") != std::string::npos;
  return judged->accepted ? judged->problem.scaled : judged->rule == "run.memory" || judged->rule == "run.crash";
}

// One problem. Fills in the row as far as it gets; an error is why it got no further.
class Evaluation {
 public:
  Evaluation(const Suite& suite, const std::string& name, bridge::WarmInterpreter& interpreter, os::CancelToken cancel, Turns& turns)
      : suite_(suite), name_(name), interpreter_(interpreter), cancel_(std::move(cancel)), turns_(turns) {}

  Status run(Json& row) {
    KA_ASSIGN(problem::ProblemFile file, problem::read_problem(suite_.folder + "/" + name_));
    problem_ = {file.path, file.object, file.text, suite_.mode};
    if (suite_.route != "direct") return routed(row);
    std::shared_lock beside = turns_.beside();
    KA_ASSIGN(const pipeline::Generated made, pipeline::generate(problem_, suite_.options, suite_.choices, interpreter_, cancel_));
    row["plan"] = made.no_refactored.empty() ? "computes what the program computes" : made.no_refactored;
    tell(made, row);
    return direct(made, std::move(beside), row);
  }

 private:
  // One kernel file for the whole program.
  Status direct(const pipeline::Generated& made, std::shared_lock<std::shared_mutex> beside, Json& row) {
    const std::string path = fmt::format("{}/{}", suite_.out, name_);
    KA_TRY(os::make_dirs(path.substr(0, path.rfind('/'))));
    KA_TRY(os::write_file_atomic(path, made.file.text));
    row["launches"] = made.file.launches.size();
    row["status"] = "generated";
    if (!suite_.verifies) return ok();
    const verify::KernelSource kernel{path, made.file.text};
    verify::JudgeContext context{interpreter_, cancel_};
    return judged(kernel, verify::judge(problem_, kernel, suite_.options, context), std::move(beside), row);
  }

  // By the route that auto would take, or that was asked for; the other one where it fails.
  Status routed(Json& row) {
    std::shared_lock beside = turns_.beside();
    const std::string folder = fmt::format("{}/{}", suite_.out, name_.substr(0, name_.size() - 3));
    pipeline::RunOptions options;
    options.problem = problem_;
    options.dispatch = {suite_.options, suite_.choices, suite_.verifies, folder};
    options.jobs = suite_.parts;
    options.verify = suite_.verifies;
    KA_ASSIGN(pipeline::OpenProgram program, pipeline::plan_program(problem_, options.dispatch, interpreter_, cancel_, nullptr));
    const pipeline::Generated whole = program.whole;
    tell(whole, row);
    row["route"] = suite_.route == "auto" ? route::word_of(whole.route) : suite_.route;
    if (row["route"] == "direct") return direct(whole, std::move(beside), row);
    KA_TRY(os::remove_tree(folder));  // of an earlier suite; what this one has finished is not done again
    const model::RunInfo info{model::RunInfo::kSchema, std::filesystem::path(folder).filename().string(), utc_timestamp(system_wall_clock()()), "eval", KA_VERSION, {}};
    KA_ASSIGN(model::RunDirectory directory, model::RunDirectory::create(std::filesystem::path(folder).parent_path().string(), info));
    pipeline::RunContext context{directory, interpreter_, cancel_, nullptr, std::move(program)};
    Result<pipeline::RunResult> result = pipeline::run(options, context);
    if (!result && result.error().kind != ErrorKind::unsupported) return result.error();
    if (!result || !result->composition.success) {
      std::string why = result ? result->composition.message : result.error().message;
      for (const model::SubgraphResult& part : result ? result->parts : std::vector<model::SubgraphResult>{}) why += part.success ? "" : fmt::format("; {}: {}", part.id, part.message);
      row["fallback"] = elide_middle(why, kMaxReason);
      return direct(whole, std::move(beside), row);
    }
    tell(*result, row);
    if (!result->verdict) return ok();
    return judged({folder + "/" + result->composition.path, result->program}, *result->verdict, std::move(beside), row);
  }

  // What comes of a verdict: once more where memory may have lacked because of others, its row, and the timing.
  Status judged(const verify::KernelSource& kernel, Result<model::Verdict> verdict, std::shared_lock<std::shared_mutex> beside, Json& row) {
    beside.unlock();
    if (suite_.jobs > 1 && suite_.options.device == "cuda" && lacked_room(verdict)) {
      const std::unique_lock alone = turns_.alone();
      verify::JudgeContext context{interpreter_, cancel_};
      verdict = verify::judge(problem_, kernel, suite_.options, context);
    }
    if (!verdict) return verdict.error();
    tell(*verdict, row);
    if (!verdict->accepted || suite_.contenders.empty()) return ok();
    return time({problem_.path, problem_.object, problem_.text, problem_.mode, kernel.path, kernel.text, verdict->kernel.entry, verdict->precision.tier}, row);
  }

  static void tell(const pipeline::Generated& made, Json& row) {
    row["kernels"] = made.file.kernels.size();
    row["route"] = route::word_of(made.route);
    row["generation_seconds"] = made.seconds;
    row["algebraic"] = std::any_of(made.rewrites.begin(), made.rewrites.end(), [](const auto& applied) { return applied.algebraic; });
    row["times"] = made.times;
  }

  static void tell(const pipeline::RunResult& result, Json& row) {
    std::size_t calls = 0;
    for (const model::Subgraph& subgraph : result.subgraphs) calls += subgraph.calls.size();
    row["parts"] = calls;
    row["unique_parts"] = result.subgraphs.size();
    row["launches"] = pipeline::launches_of(result);
    row["status"] = "generated";
    for (const auto& [stage, seconds] : result.times) row["times"][stage] = seconds;
  }

  static void tell(const model::Verdict& verdict, Json& row) {
    row["status"] = verdict.accepted ? "verified" : verdict.rule == "run.timeout" ? "timeout" : "refused";
    row["reason"] = verdict.accepted ? verdict.reason : elide_middle(fmt::format("{}: {}", verdict.rule, verdict.detail), kMaxReason);
    row["specialised"] = verdict.specialised;
    row["tier"] = verdict.precision.tier;
    row["sizes"] = {{"given", verdict.problem.given_sizes}, {"verified", verdict.problem.verified_sizes}, {"scaled", verdict.problem.scaled}};
    for (const model::CheckRun& check : verdict.checks) {
      if (check.name == "given sizes" && check.count == 0) row["sizes"]["why"] = check.note;
    }
    for (const auto& [step, seconds] : verdict.times) row["times"]["verify " + step] = seconds;
  }

  // A kernel that cannot be timed is verified all the same; the row says both.
  Status time(const bench::Subject& subject, Json& row) {
    bench::TimingOptions options;
    options.device = suite_.options.device;
    options.contenders = suite_.contenders;
    options.seed = suite_.options.seed;
    options.seconds = kBenchSeconds;
    options.limit = suite_.limit;
    options.limits = suite_.options.limits;
    const std::unique_lock alone = turns_.alone();
    Result<bench::Timed> timed = bench::time_contenders(subject, options, interpreter_, cancel_);
    if (!timed && timed.error().kind == ErrorKind::cancelled) return timed.error();
    if (!timed) {
      row["bench"] = {{"error", elide_middle(timed.error().message, kMaxReason)}};
      return ok();
    }
    KA_TRY(os::write_file_atomic(subject.kernel_path + ".bench.json", to_pretty_json_text(to_json(*timed))));
    Json medians = Json::object();
    for (const model::Timing& timing : timed->timings) medians[timing.contender] = timing.median_ms;
    row["bench"] = {{"median_ms", medians}, {"ratios", to_json(*timed)["ratios"]}, {"failed", timed->failed}};
    return ok();
  }

  const Suite& suite_;
  const std::string& name_;
  verify::ProblemSource problem_;
  bridge::WarmInterpreter& interpreter_;
  os::CancelToken cancel_;
  Turns& turns_;
};

// The row of a problem, whatever happens to it. An error only when the suite cannot go on.
Result<Json> evaluate(const Suite& suite, const std::string& name, bridge::WarmInterpreter& interpreter, Deadlines& deadlines, Turns& turns) {
  const auto begin = std::chrono::steady_clock::now();
  Json row = {{"name", name}, {"status", "error"}, {"reason", ""}, {"sizes", {{"given", Json::object()}, {"verified", Json::object()}}}, {"times", Json::object()}};
  const Deadlines::Job job(deadlines, suite.limit);
  const Status done = Evaluation(suite, name, interpreter, job.token(), turns).run(row);
  if (!done && job.exceeded()) {
    row["status"] = "timeout";
    row["reason"] = fmt::format("not finished within {:g} s (--limit)", static_cast<double>(suite.limit.count()) / 1e3);
  } else if (!done && done.error().kind == ErrorKind::cancelled) {
    return done.error();
  } else if (!done) {
    row["status"] = status_of(done.error());
    row["reason"] = elide_middle(done.error().message, kMaxReason);
  }
  row["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return row;
}

// Rows of an earlier run; a line that a crash has cut is no row. What was only generated is not done when it is to be verified.
std::map<std::string, Json> finished_rows(const Suite& suite, const std::string& path) {
  std::map<std::string, Json> rows;
  Result<std::string> text = os::read_file(path);
  if (!text) return rows;
  for (const std::string& line : split(*text, '\n')) {
    Json row = Json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains("name") || !row["name"].is_string()) continue;
    if (suite.verifies && row.value("status", "") == "generated") continue;
    if (!suite.contenders.empty() && row.value("status", "") == "verified" && !row.contains("bench")) continue;
    rows[row["name"].get<std::string>()] = row;
  }
  return rows;
}

std::string table_line(const Json& row) {
  const std::string status = row.value("status", "");
  std::string told = status == "verified" || status == "generated" ? "" : row.value("reason", "");
  if (row.contains("bench")) {
    for (const Json& ratio : row["bench"].value("ratios", Json::array()))
      told += fmt::format("{}{:.2f} times {}", told.empty() ? "" : ", ", ratio.value("ratio", 0.0), ratio.value("baseline", ""));
    told += row["bench"].value("error", "");
  }
  return fmt::format("{:<12} {:<60} {:>7.1f} s  {}", status, row.value("name", ""), row.value("seconds", 0.0), told);
}

// All rows by name; what is there already is not done again.
Status evaluate_all(const Suite& suite, bridge::WarmInterpreter& interpreter, os::AppendFile& log, const os::CancelToken& cancel, std::map<std::string, Json>& rows) {
  Deadlines deadlines(cancel);
  Turns turns;
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
      Result<Json> row = evaluate(suite, suite.names[i], interpreter, deadlines, turns);
      const std::lock_guard lock(mutex);
      if (!row) {
        failure = row.error();
        return;
      }
      rows[suite.names[i]] = *row;
      if (Status written = log.append_line(to_json_text(*row)); !written) failure = written.error();
      if (!suite.quiet) fmt::print("{}\n", table_line(*row));
      std::fflush(stdout);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::uint64_t k = 0; k < suite.jobs; ++k) workers.emplace_back(work);
  }
  if (failure) return *failure;
  return ok();
}

// Most frequent first.
std::string reasons_text(const std::map<std::string, int>& reasons) {
  std::vector<std::pair<std::string, int>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [reason, count] : sorted) out += fmt::format("  {:>4}  {}\n", count, reason);
  return out;
}

}  // namespace

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

Result<int> run_eval(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(Suite suite, suite_of(arguments));
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  if (os::exists(suite.out) && !os::is_directory(suite.out)) return invalid_input(fmt::format("--out: {} is no folder", suite.out));
  KA_TRY(os::make_dirs(suite.out));
  const std::string results = suite.out + "/results.jsonl";
  std::map<std::string, Json> rows;
  if (arguments.has("--resume")) rows = finished_rows(suite, results);
  std::string kept;  // without a line that was cut
  for (const auto& [name, row] : rows) kept += to_json_text(row) + "\n";
  KA_TRY(os::write_file_atomic(results, kept));
  KA_ASSIGN(os::AppendFile log, os::AppendFile::open(results));
  bridge::WarmInterpreter interpreter({python});
  KA_TRY(interpreter.start(context.cancel));
  KA_TRY(evaluate_all(suite, interpreter, log, context.cancel, rows));

  std::map<std::string, int> counts, reasons;
  Json all = Json::array();
  for (const std::string& name : suite.names) {
    const Json& row = rows[name];
    all.push_back(row);
    const std::string status = row.value("status", "");
    ++counts[status];
    if (status != "verified" && status != "generated") ++reasons[status + ": " + reason_key(row.value("reason", ""))];
  }
  const Json report = {{"problems", all}, {"counts", counts}, {"reasons", reasons}};
  KA_TRY(os::write_file_atomic(suite.out + "/results.json", to_pretty_json_text(report)));
  std::vector<std::string> summary;
  for (const auto& [status, count] : counts) summary.push_back(fmt::format("{} {}", count, status));
  if (suite.quiet) fmt::print("{}", to_pretty_json_text(report));
  else fmt::print("{} of {} problems\n{}", join(summary, ", "), suite.names.size(), reasons_text(reasons));
  return counts["verified"] + counts["generated"] == static_cast<int>(suite.names.size()) ? 0 : 1;
}

}  // namespace ka::app

// Every problem file of a folder through generate and verify, and then, on request, what is verified through a search and through bench, one after another.
// A problem that fails in any way is a row of the table; only a broken machine, the user or --max-minutes stops the suite. Rows are appended to results.jsonl as they
// are known, so a run can be resumed.
#include "app/cli/eval.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/deadlines.h"
#include "app/cli/eval_rows.h"
#include "app/cli/eval_search.h"
#include "app/cli/request.h"
#include "app/cli/verify.h"
#include "app/cli/winners.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "os/files.h"
#include "os/machine.h"

namespace ka::app {
namespace {

constexpr std::size_t kMaxReason = 400;
constexpr std::uint64_t kMaxJobs = 64, kMaxSuiteRounds = 100000;
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 30;
constexpr double kMaxLimitSeconds = 86400, kMaxMinutes = 100000;
constexpr const char* kBaselineCache = ".fuse/baselines";
constexpr auto kOfBench = std::to_array<std::string_view>({"--baseline", "--rounds", "--bench-seconds", "--bench-jobs", "--bench-limit", "--baseline-cache", "--no-baseline-cache"});

struct Suite : pipeline::SuiteOptions {
  std::vector<std::string> names;  // relative to folder, sorted
  std::chrono::milliseconds limit{};
  std::optional<double> minutes;
  pipeline::SuiteTiming timing;
  SuiteSearch search;
  bool quiet = false;
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

Result<std::chrono::milliseconds> seconds_flag(const Arguments& arguments, const char* flag, double otherwise) {
  KA_ASSIGN(const double seconds, arguments.number(flag, otherwise));
  if (seconds < 0.1 || seconds > kMaxLimitSeconds) return invalid_input(fmt::format("{}: at least 0.1 and at most {:g} seconds", flag, kMaxLimitSeconds));
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// Compilers keep about two cores busy for each task.
Result<std::size_t> bench_jobs_of(const Arguments& arguments, const std::string& device) {
  constexpr std::size_t kMostByItself = 8;
  if (arguments.text("--bench-jobs", "auto") == "auto") {
    if (device != "cuda" || arguments.has("--optimize")) return std::size_t{1};
    KA_ASSIGN(const os::Machine machine, os::query_machine("."));
    return std::clamp(static_cast<std::size_t>(std::max(machine.cores, 0)) / 2, std::size_t{1}, kMostByItself);
  }
  const Result<std::uint64_t> jobs = arguments.whole_number("--bench-jobs", 0);
  if (!jobs || *jobs < 1 || *jobs > kMaxJobs) return invalid_input(fmt::format("--bench-jobs: auto, or a number from 1 to {}", kMaxJobs));
  if (*jobs > 1 && arguments.has("--optimize")) return invalid_input("--bench-jobs and --optimize: a task that is searched is timed alone; accepted would be --bench-jobs 1");
  return static_cast<std::size_t>(*jobs);
}

Status read_timing(const Arguments& arguments, Suite& suite) {
  for (const std::string_view flag : kOfBench) {
    if (arguments.has(flag) && !arguments.has("--bench")) return invalid_input(fmt::format("{} is for --bench, which is not given", flag));
  }
  if (!arguments.has("--bench")) return ok();
  if (!suite.verifies) return invalid_input("--bench and --no-verify: only a verified kernel is timed");
  if (suite.options.device != "cuda" && arguments.text("--device") != "cpu") return environment_error("--bench needs an NVIDIA GPU, and this machine has none");
  pipeline::SuiteTiming& timing = suite.timing;
  KA_ASSIGN(timing.contenders, contenders_of(arguments.text("--baseline", "eager")));
  std::erase(timing.contenders, "eager");
  timing.contenders.insert(timing.contenders.begin() + 1, "eager");  // by which kept baselines are scaled
  KA_ASSIGN(const std::uint64_t rounds, arguments.whole_number("--rounds", static_cast<std::uint64_t>(timing.rounds)));
  if (rounds < 1 || rounds > kMaxSuiteRounds) return invalid_input(fmt::format("--rounds: at least 1 and at most {}", kMaxSuiteRounds));
  timing.rounds = static_cast<int>(rounds);
  KA_ASSIGN(const std::chrono::milliseconds seconds, seconds_flag(arguments, "--bench-seconds", timing.seconds));
  timing.seconds = std::chrono::duration<double>(seconds).count();
  KA_ASSIGN(timing.step_limit, seconds_flag(arguments, "--bench-limit", std::chrono::duration<double>(timing.step_limit).count()));
  KA_ASSIGN(timing.jobs, bench_jobs_of(arguments, suite.options.device));
  if (arguments.has("--baseline-cache") && arguments.has("--no-baseline-cache")) return invalid_input("--baseline-cache and --no-baseline-cache: one or the other");
  if (!arguments.has("--no-baseline-cache")) timing.cache = arguments.text("--baseline-cache", kBaselineCache);
  if (timing.cache && os::exists(*timing.cache) && !os::is_directory(*timing.cache)) return invalid_input(fmt::format("--baseline-cache: {} is no folder", *timing.cache));
  return ok();
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
  KA_TRY(read_forms_flag(arguments, suite.choices.gpu));
  suite.quiet = arguments.has("--json");
  KA_ASSIGN(suite.names, problems_below(suite.folder, arguments.text("--filter")));
  KA_ASSIGN(suite.jobs, arguments.whole_number("--jobs", 2));
  if (suite.jobs < 1 || suite.jobs > kMaxJobs) return invalid_input(fmt::format("--jobs: at least 1 and at most {}", kMaxJobs));
  KA_ASSIGN(suite.parts, arguments.whole_number("--dispatch-jobs", 1));
  if (suite.parts < 1 || suite.parts > kMaxJobs) return invalid_input(fmt::format("--dispatch-jobs: at least 1 and at most {}", kMaxJobs));
  KA_ASSIGN(suite.limit, seconds_flag(arguments, "--limit", 900));
  if (arguments.has("--max-minutes")) {
    KA_ASSIGN(suite.minutes, arguments.number("--max-minutes", 0));
    if (!(*suite.minutes > 0) || *suite.minutes > kMaxMinutes) return invalid_input(fmt::format("--max-minutes: more than 0 and at most {:g}", kMaxMinutes));
  }
  KA_ASSIGN(suite.options, judge_options(arguments));
  suite.timing.limits = suite.options.limits;
  if (!arguments.has("--memory")) suite.options.limits.memory_bytes = std::max(kLeastMemory, suite.options.limits.memory_bytes / suite.jobs);
  KA_TRY(read_timing(arguments, suite));
  KA_ASSIGN(suite.search, suite_search_of(arguments, suite, suite.limit));
  suite.takes_winners = arguments.has("--winners");
  if (suite.options.device == "cuda") suite.gpu = pipeline::machine_gpu();
  return suite;
}

// What is done to all of them: rows by name, each written down as soon as it is known.
class SuiteRun {
 public:
  SuiteRun(const Suite& suite, bridge::WarmInterpreter& interpreter, os::AppendFile& log, os::CancelToken cancel, Rows& rows)
      : suite_(suite), interpreter_(interpreter), log_(log), cancel_(std::move(cancel)), rows_(rows) {}

  // Side by side; what is there already is not done again.
  Status judge_all(os::GpuPool* gpus) {
    Deadlines deadlines(cancel_);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < suite_.names.size(); i = next++) {
        const std::string& name = suite_.names[i];
        {
          const std::lock_guard lock(mutex_);
          if (failure_ || cancel_.cancelled()) return;
          if (rows_.contains(name)) continue;
        }
        Result<Json> row = judged(name, gpus, deadlines);
        const std::lock_guard lock(mutex_);
        if (Status kept = row ? keep(*row) : row.error(); !kept && !failure_) failure_ = kept.error();
      }
    };
    {
      std::vector<std::jthread> workers;
      for (std::uint64_t k = 0; k < suite_.jobs; ++k) workers.emplace_back(work);
    }
    if (failure_) return *failure_;
    return ended();
  }

  // Nothing else of this program is at work while samples are taken. A task is searched and timed before the next one, so that whenever it ends rows are complete.
  Status time_all(os::GpuPool* gpus) {
    pipeline::SharedTiming shared(suite_.timing.jobs);
    Deadlines deadlines(cancel_);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < suite_.names.size(); i = next++) {
        if (const Status done = timed(suite_.names[i], gpus, shared, deadlines); !done) {
          const std::lock_guard lock(mutex_);
          if (!failure_) failure_ = done.error();
        }
        const std::lock_guard lock(mutex_);
        if (failure_) return;
      }
    };
    {
      std::vector<std::jthread> workers;
      for (std::size_t k = 1; k < suite_.timing.jobs; ++k) workers.emplace_back(work);
      work();
    }
    return failure_ ? Status(*failure_) : ok();
  }

 private:
  Status timed(const std::string& name, os::GpuPool* gpus, pipeline::SharedTiming& shared, Deadlines& deadlines) {
    Json row;
    {
      const std::lock_guard lock(mutex_);
      const auto found = rows_.find(name);
      if (found == rows_.end()) return ok();
      row = found->second;
    }
    if (suite_.search.wanted && pipeline::wants_search(row, suite_)) KA_TRY(search(row, deadlines));
    if (!pipeline::wants_timing(row, suite_, suite_.timing)) return ok();
    KA_TRY(ended());
    KA_ASSIGN(const Json with_times, pipeline::time_task(row, suite_, suite_.timing, {interpreter_, cancel_, gpus, shared}));
    const std::lock_guard lock(mutex_);
    return keep(with_times);
  }

  Status ended() const { return cancel_.cancelled() ? Status(cancelled_error("the suite was ended")) : ok(); }

  Status search(Json& row, Deadlines& deadlines) {
    KA_TRY(ended());
    row = begin_search(row, suite_);
    rows_[row["name"].get<std::string>()] = row;
    KA_TRY(log_.append_line(to_json_text(row)));
    KA_ASSIGN(row, search_task(row, suite_, suite_.search, deadlines));
    rows_[row["name"].get<std::string>()] = row;
    return note(row, search_line(row));
  }

  // The row of a problem, whatever happens to it. An error only when the suite cannot go on.
  Result<Json> judged(const std::string& name, os::GpuPool* gpus, Deadlines& deadlines) {
    const os::TimePoint begin = std::chrono::steady_clock::now();
    Json row = {{"name", name}, {"status", "error"}, {"reason", ""}, {"sizes", {{"given", Json::object()}, {"verified", Json::object()}}}, {"times", Json::object()}};
    const Deadlines::Job job(deadlines, suite_.limit);
    const Status done = pipeline::SuiteJudge(suite_, name, interpreter_, job.token(), gpus, turns_).run(row);
    if (!done && job.exceeded()) {
      row["status"] = "timeout";
      row["reason"] = fmt::format("not finished within {:g} s (--limit)", static_cast<double>(suite_.limit.count()) / 1e3);
    } else if (!done && done.error().kind == ErrorKind::cancelled) {
      return done.error();
    } else if (!done) {
      row["status"] = pipeline::row_status_of(done.error());
      row["reason"] = elide_middle(done.error().message, kMaxReason);
    }
    pipeline::tell_floor(row, suite_);
    row["seconds"] = os::seconds_since(begin);
    return row;
  }

  Status keep(const Json& row) {
    rows_[row["name"].get<std::string>()] = row;
    return note(row, row_line(row));
  }

  Status note(const Json& row, const std::string& line) {
    if (!suite_.quiet) fmt::print("{}\n", line);
    std::fflush(stdout);
    return log_.append_line(to_json_text(row));
  }

  const Suite& suite_;
  bridge::WarmInterpreter& interpreter_;
  os::AppendFile& log_;
  const os::CancelToken cancel_;
  os::Turns turns_;
  std::mutex mutex_;  // guards rows_, log_, failure_ while workers run
  Rows& rows_;
  std::optional<Error> failure_;
};

Status run_all(Suite& suite, const Arguments& arguments, bridge::WarmInterpreter& interpreter, os::AppendFile& log, const os::CancelToken& cancel, Rows& rows) {
  EventLog events;
  events.add_sink(make_human_sink(stderr, LogLevel::warning));
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> shared, gpus_for(suite.options.device, "eval", suite.jobs, events));
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> alone, gpus_for(suite.options.device, "eval --bench", suite.timing.jobs, events));
  KA_TRY(interpreter.start(cancel));
  if (suite.takes_winners) {
    Request request;
    request.options = suite.options;
    request.choices = suite.choices;
    KA_ASSIGN(suite.winners, winner_side(arguments, request, interpreter, cancel));
  }
  SuiteRun run(suite, interpreter, log, cancel, rows);
  KA_TRY(run.judge_all(shared.get()));
  return run.time_all(alone.get());
}

std::vector<std::string> shell_words(const Arguments& arguments) {
  std::vector<std::string> out = arguments.words({});
  std::transform(out.begin(), out.end(), out.begin(), [](const std::string& word) { return quote_shell(word); });
  return out;
}

}  // namespace

Result<int> run_eval(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(Suite suite, suite_of(arguments));
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  if (os::exists(suite.out) && !os::is_directory(suite.out)) return invalid_input(fmt::format("--out: {} is no folder", suite.out));
  KA_TRY(os::make_dirs(suite.out));
  const std::string results = suite.out + "/results.jsonl";
  Rows rows;
  if (arguments.has("--resume")) rows = finished_rows(results, suite);
  std::string kept;  // without a line that was cut
  for (const auto& [name, row] : rows) kept += to_json_text(row) + "\n";
  KA_TRY(os::write_file_atomic(results, kept));
  KA_ASSIGN(os::AppendFile log, os::AppendFile::open(results));
  bridge::WarmInterpreter interpreter({python});

  Deadlines deadlines(context.cancel);
  const auto minutes = std::chrono::duration<double, std::ratio<60>>(suite.minutes.value_or(kMaxMinutes));
  const Deadlines::Job whole(deadlines, std::chrono::duration_cast<std::chrono::milliseconds>(minutes));
  const Status done = run_all(suite, arguments, interpreter, log, whole.token(), rows);
  const bool is_over = !done && done.error().kind == ErrorKind::cancelled;
  if (!done && !is_over) return done.error();
  const std::string stopped = !is_over ? "" : whole.exceeded() ? fmt::format("--max-minutes {:g}", *suite.minutes) : "the user";
  std::vector<std::string> baselines = suite.timing.contenders;
  std::erase(baselines, "kernel");
  const std::string command = "kernelagent eval " + join(shell_words(arguments), " ");
  KA_ASSIGN(const SuiteOutcome outcome, conclude(rows, {suite.names, baselines, stopped, command, suite.search.wanted}, suite));
  fmt::print("{}", suite.quiet ? outcome.report : outcome.text);
  if (is_over && !whole.exceeded()) return done.error();
  return outcome.code;
}

}  // namespace ka::app

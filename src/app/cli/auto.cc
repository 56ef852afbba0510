// One run: the route, then the whole program as one file or its parts and their composition, and the other way where one fails. Each
// finished step is in the journal of the run directory, so that a run that was stopped in any way goes on where it was.
#include "app/cli/auto.h"

#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/auto_optimize.h"
#include "app/cli/auto_outcome.h"
#include "app/cli/deadlines.h"
#include "app/cli/earlier_run.h"
#include "app/cli/model_side.h"
#include "app/cli/plain_words.h"
#include "app/cli/request.h"
#include "app/cli/run_output.h"
#include "app/cli/settings.h"
#include "app/cli/winners.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "model/candidate.h"
#include "os/files.h"
#include "pipeline/contest.h"
#include "pipeline/generated_moves.h"
#include "pipeline/run.h"
#include "route/cache.h"
#include "route/decide.h"

namespace ka::app {
namespace {

constexpr double kMaxMinutes = 100'000;
constexpr std::uint64_t kMaxAttempts = 1'000'000'000;
constexpr const char* kRouterCache = ".fuse/router_cache.json";

class Job {
 public:
  Job(const Arguments& arguments, const Request& request, RunOutput& output, bridge::WarmInterpreter& interpreter, os::CancelToken cancel, pipeline::Budget& budget, os::GpuPool* gpus, pipeline::WinnerSide winners, bool alone)
      : alone_(alone), arguments_(arguments), request_(request), output_(output), interpreter_(interpreter), cancel_(std::move(cancel)), budget_(budget), gpus_(gpus),
        options_{request.options, request.choices, !arguments.has("--no-verify"), output.folder(), std::move(winners)} {}

  Result<std::vector<Outcome>> run(const std::string& wanted) {
    KA_TRY(open_its_models());
    if (const Status found = find_route(); !found) {
      if (!budget_.is_end_of(found.error())) return found.error();
      return std::vector<Outcome>{at_limit("", "before the route was decided")};
    }
    const std::string first = wanted != "auto" ? wanted : request_.choices.emit == "kernelbench" ? "direct" : route::word_of(route_);
    const std::string second = first == "direct" ? "fuse" : "direct";
    std::vector<Outcome> out;
    if (wanted != "fuse") KA_TRY(take_winner(out));
    if (!out.empty()) return out;
    KA_TRY(attempt(first, out));
    if (!out.back().success && out.back().limit.empty() && no_plan_.empty() && !is_alone() && !arguments_.has("--no-fallback")) KA_TRY(attempt(second, out));
    return out;
  }

  // `generate`: the direct route and no other.
  bool is_alone() const { return alone_; }
  // Of all that language models were asked; no questions where none was.
  pipeline::Spent spent() const { return models_ && models_->all ? models_->all->conversations().spent() : spent_on(request_.sentence); }

  // What --resume needs, also of a run that ended before its first step.
  std::map<std::string, std::string> request_files() const {
    const std::vector<std::string> words = arguments_.words(kOfOneCommand, {"--out", "--resume"});
    return {{kRequestFile, to_pretty_json_text({{"words", words}, {"problem_sha256", sha256_hex(request_.problem.text)}})}, {kProblemFile, request_.problem.text}};
  }

  JobFacts facts() const { return {request_, route_, times_, spent(), alone_, store_}; }

  // Of the built-in generator's kernels for the program; never of one that was taken out of the store, which was in such a race or in a search.
  Result<bool> has_other_forms() {
    if (!store_.empty() && Json::parse(store_).value("accepted", Json()) == true) return false;
    KA_ASSIGN(const graph::Exported* const program, exported());
    return !pipeline::form_moves(*program, options_.judge.precision, "", request_.choices).empty();
  }

 private:
  bool is_done(const char* step) { return output_.directory().finished(step, ""); }

  Status plan() {
    if (program_) return ok();
    KA_ASSIGN(program_, pipeline::plan_program(request_.problem, options_, interpreter_, cancel_, &output_.log()));
    for (const auto& [stage, seconds] : program_->whole.times) times_[stage] += seconds;
    return ok();
  }

  // The conversations of a run are in its directory, so that it begins with them.
  Status open_its_models() {
    KA_ASSIGN(const int rounds, compose_rounds(arguments_));
    KA_ASSIGN(RunModels opened, open_models(arguments_.settings(), rounds, [this]() -> Result<pipeline::Artifacts> {
      if (!output_.is_open()) KA_TRY(output_.open());
      return pipeline::artifacts_of(output_.directory());
    }, output_.log(), spent_on(request_.sentence)));
    models_.emplace(std::move(opened));
    return ok();
  }

  Status find_route() {
    if (output_.is_open() && is_done("route")) {
      KA_ASSIGN(const std::string text, output_.directory().read_artifact("route.json"));
      KA_ASSIGN(const Json json, parse_json(text, "route.json"));
      KA_ASSIGN(route_, model::route_from_json(json));
      return ok();
    }
    const verify::ProblemSource& problem = request_.problem;
    const std::string key = route::cache_key({problem.text, problem.object, request_.choices.platform, problem.mode, KA_VERSION});
    const bool with_cache = !is_alone() && !arguments_.has("--no-router-cache");
    std::optional<model::Route> known;
    if (with_cache) {
      KA_ASSIGN(known, route::look_up(kRouterCache, key));
    }
    if (const Status planned = plan(); !planned) {
      if (planned.error().kind != ErrorKind::unsupported) return planned;
      KA_ASSIGN(const bool known_kernel, has_winner());
      if (!models_->whole && !known_kernel) return planned;
      return leave_to_others(planned.error().message, known_kernel ? "the store of winners has a kernel for the whole" : "a language model is asked for the whole");
    }
    route_ = program_->whole.route;
    if (known) {  // a route that was decided before stands: a language model, asked again, might say something else
      route_ = *known;
      route_.decided_by = "cache";
    } else {
      if (models_->route) {
        KA_ASSIGN(route_, pipeline::ask_route(route_, problem.text, *models_->route, *models_->all->side(), {interpreter_, cancel_, &output_.log(), &budget_, gpus_}));
      }
      if (with_cache) KA_TRY(remember_route(key));
    }
    if (!output_.is_open()) KA_TRY(output_.open());
    std::map<std::string, std::string> files = request_files();
    KA_TRY(output_.write(files));  // first: with these the run can be resumed, whatever happens to the rest
    files["route.json"] = to_pretty_json_text(model::to_json(route_));
    files["graph.txt"] = pipeline::explanation(program_->whole);
    return output_.keep("route", files);
  }

  // The built-in generator cannot write it. A model may, or an earlier search has found it.
  Status leave_to_others(const std::string& why, const char* who) {
    no_plan_ = why;
    route_.strategy = "kernelagent";
    route_.decided_by = "rules";
    route_.confidence = 1;
    route_.rationale = fmt::format("the built-in generator cannot write it ({}): {}", why, who);
    route_.problem_sha256 = sha256_hex(request_.problem.text);
    if (!output_.is_open()) KA_TRY(output_.open());
    std::map<std::string, std::string> files = request_files();
    KA_TRY(output_.write(files));
    files["route.json"] = to_pretty_json_text(model::to_json(route_));
    files["graph.txt"] = why + "\n";
    return output_.keep("route", files);
  }

  // A folder that cannot be written to stops nothing.
  Status remember_route(const std::string& key) {
    const Status kept = route::remember(kRouterCache, key, route_);
    if (!kept && kept.error().kind == ErrorKind::invalid_input) return kept;
    if (!kept) output_.log().warning("route", "not_remembered", kept.error().message);
    return ok();
  }

  // The program as PyTorch exports it, also where the generator cannot write it.
  Result<const graph::Exported*> exported() {
    if (const Status planned = plan(); planned) return &program_->whole.exported;
    else if (planned.error().kind != ErrorKind::unsupported) return planned.error();
    if (!exported_) {
      KA_ASSIGN(exported_, pipeline::export_program(request_.problem, options_.judge, request_.choices, interpreter_, cancel_, &output_.log()));
    }
    return &*exported_;
  }

  Result<bool> has_winner() {
    if (options_.winners.path.empty()) return false;
    KA_ASSIGN(const graph::Exported* const program, exported());
    return pipeline::find_winner(*program, request_.problem.mode, options_.judge.precision, options_.winners, nullptr).has_value();
  }

  // What an earlier search has found for the whole program is taken at once. One that is refused is told, and the run goes on without it.
  Status take_winner(std::vector<Outcome>& out) {
    const bool done = is_done("synth");
    if (const Result<std::string> text = output_.directory().read_artifact(kTakenFile)) {
      KA_ASSIGN(const Json json, parse_json(*text, output_.path(kTakenFile)));
      if (!json.is_object()) return invalid_input(fmt::format("{}: it is no object", output_.path(kTakenFile)));
      store_ = *text;
    }
    if ((done && store_.empty()) || (!done && options_.winners.path.empty())) return ok();
    Outcome found;
    found.route = "direct";
    found.path = "kernel.py";
    if (done) {
      if (Json::parse(store_).value("accepted", Json()) != true || (options_.verify && !is_done("verify"))) return ok();
      KA_ASSIGN(found.text, output_.directory().read_artifact("kernel.py"));
    } else {
      KA_TRY(judge_winner(found, out));
      if (found.text.empty()) return ok();
    }
    std::optional<model::Verdict> verdict = std::move(found.verdict);
    if (options_.verify && !verdict) {
      KA_ASSIGN(verdict, kept_verdict());
    }
    out.push_back(finished(std::move(found), std::move(verdict)));
    return ok();
  }

  // The text of `found` stays empty where there is no winner, or none that is accepted.
  Status judge_winner(Outcome& found, std::vector<Outcome>& out) {
    verify::JudgeOptions judge = options_.judge;
    judge.test = request_.test;
    KA_ASSIGN(const graph::Exported* const program, exported());
    const Result<std::optional<pipeline::TakenWinner>> taken =
        pipeline::try_winner(request_.problem, *program, output_.path(found.path), judge, options_.verify, options_.winners, {interpreter_, cancel_, &output_.log(), &budget_, gpus_});
    if (!taken && budget_.is_end_of(taken.error())) {
      out.push_back(at_limit("direct", "before the program was verified"));
      return ok();
    }
    if (!taken) return taken.error();
    if (!*taken) return ok();
    store_ = to_pretty_json_text(pipeline::to_json(**taken));
    if (!(*taken)->accepted()) return output_.write({{kTakenFile, store_}});
    found.text = (*taken)->text;
    KA_TRY(output_.keep("synth", {{kTakenFile, store_}, {found.path, found.text}}));
    found.verdict = (*taken)->verdict;
    if (!found.verdict) return ok();
    times_["verify"] += found.verdict->times.at("total");
    return output_.keep("verify", {{"verdict.json", pipeline::lasting_text(*found.verdict, request_.problem.path, found.path)}});
  }

  Status attempt(const std::string& route, std::vector<Outcome>& out) {
    Result<Outcome> outcome = route == "direct" ? direct() : fuse();
    if (!outcome && outcome.error().kind == ErrorKind::unsupported) {
      out.push_back({route, false, false, "", "", outcome.error().message, {}, {}});
      return ok();
    }
    if (!outcome && budget_.is_end_of(outcome.error())) {
      out.push_back(at_limit(route, "before the program was verified"));
      return ok();
    }
    if (!outcome) return outcome.error();
    out.push_back(std::move(*outcome));
    return ok();
  }

  Outcome at_limit(const std::string& route, const std::string& where) const {
    return {route, false, false, "", "", fmt::format("{} was reached {}", budget_.reached(), where), {}, {}, budget_.reached()};
  }

  Result<Outcome> direct() {
    if (models_->whole && options_.verify) return direct_with_models();
    Outcome out;
    out.route = "direct";
    out.path = "kernel.py";
    if (is_done("synth")) {
      KA_ASSIGN(out.text, output_.directory().read_artifact("kernel.py"));
    } else {
      KA_TRY(plan());
      out.text = program_->whole.file.text;
      KA_TRY(output_.keep("synth", {{"kernel.py", out.text}}));
    }
    if (!options_.verify) return finished(std::move(out), std::nullopt);
    if (is_done("verify")) {
      KA_ASSIGN(model::Verdict verdict, kept_verdict());
      return finished(std::move(out), std::move(verdict));
    }
    const pipeline::Means means{interpreter_, cancel_, &output_.log(), &budget_, gpus_};
    verify::JudgeOptions judge = options_.judge;
    judge.test = request_.test;
    KA_ASSIGN(model::Verdict verdict, pipeline::ask_judge(request_.problem, {output_.path("kernel.py"), out.text}, judge, means, means.log));
    times_["verify"] += verdict.times["total"];
    KA_TRY(output_.keep("verify", {{"verdict.json", pipeline::lasting_text(verdict, request_.problem.path, "kernel.py")}}));
    return finished(std::move(out), std::move(verdict));
  }

  Result<model::Verdict> kept_verdict() {
    KA_ASSIGN(const std::string text, output_.directory().read_artifact("verdict.json"));
    KA_ASSIGN(const Json json, parse_json(text, "verdict.json"));
    KA_ASSIGN(model::Verdict verdict, model::verdict_from_json(json));
    return pipeline::found_in(std::move(verdict), output_.folder());
  }

  Result<Outcome> direct_with_models() {
    Outcome out;
    out.route = "direct";
    out.path = "kernel.py";
    std::optional<model::Verdict> verdict;
    if (!is_done("synth") || !is_done("verify")) {
      KA_ASSIGN(pipeline::Contender better, best_of_all());
      if (better.kernel.empty()) {
        KA_TRY(output_.write(better.attempts));
        return unsupported(better.message);
      }
      model::Candidate candidate;
      candidate.id = "whole";
      candidate.producer = better.producer;
      candidate.path = out.path;
      candidate.sha256 = sha256_hex(better.kernel);
      candidate.entry = better.verdict->kernel.entry;
      candidate.round = better.rounds;
      candidate.worker = better.worker;
      candidate.note = better.message;
      better.attempts["kernel.py"] = better.kernel;
      better.attempts["candidate.json"] = to_pretty_json_text(model::to_json(candidate));
      times_["verify"] += better.verdict->times["total"];
      KA_TRY(output_.keep("synth", better.attempts));
      KA_TRY(output_.keep("verify", {{"verdict.json", pipeline::lasting_text(*better.verdict, request_.problem.path, "kernel.py")}}));
      verdict = std::move(better.verdict);
    }
    KA_ASSIGN(out.text, output_.directory().read_artifact("kernel.py"));
    KA_ASSIGN(const std::string whose, output_.directory().read_artifact("candidate.json"));
    KA_ASSIGN(const Json candidate, parse_json(whose, "candidate.json"));
    KA_ASSIGN(out.candidate, model::candidate_from_json(candidate));
    if (!verdict) {
      KA_ASSIGN(verdict, kept_verdict());
    }
    out = finished(std::move(out), std::move(verdict));
    out.message = out.candidate->note;
    return out;
  }

  // The built-in generator's kernel, judged, and what the workers make of it.
  Result<pipeline::Contender> best_of_all() {
    const pipeline::Means means{interpreter_, cancel_, &output_.log(), &budget_, gpus_, &*models_->whole};
    verify::JudgeOptions judge = options_.judge;
    judge.test = request_.test;
    const Status planned = plan();
    if (!planned && planned.error().kind != ErrorKind::unsupported) return planned.error();
    pipeline::Contender built_in{"", {}, "codegen", 0, 0, planned ? "" : planned.error().message};
    if (planned && models_->whole->codegen) {
      built_in.kernel = program_->whole.file.text;
      built_in.rounds = 1;
      KA_ASSIGN(built_in.verdict, pipeline::ask_judge(request_.problem, {output_.path("kernel.py"), built_in.kernel}, judge, means, means.log));
      built_in.message = built_in.verdict->accepted ? built_in.verdict->reason : fmt::format("{}: {}", built_in.verdict->rule, built_in.verdict->reason);
    }
    std::optional<graph::Exported> exported;
    if (!planned) {
      KA_ASSIGN(exported, pipeline::export_program(request_.problem, judge, request_.choices, interpreter_, cancel_, &output_.log()));
    }
    pipeline::ModelWork work{"whole", output_.path(""), {}, request_.problem, judge};
    KA_ASSIGN(work.task, pipeline::task_of(request_.problem, exported ? *exported : program_->whole.exported, judge, request_.choices, means));
    if (request_.sentence) work.task.description = request_.sentence->sentence;
    return pipeline::contest(std::move(work), std::move(built_in), means);
  }

  static Outcome finished(Outcome out, std::optional<model::Verdict> verdict) {
    out.success = !verdict || verdict->accepted;
    out.verified = verdict && verdict->accepted;
    out.message = !verdict ? "the kernel file was written and not verified" : verdict->accepted ? verdict->reason : fmt::format("{}: {}", verdict->rule, verdict->reason);
    out.verdict = std::move(verdict);
    return out;
  }

  Result<Outcome> fuse() {
    pipeline::RunOptions options;
    options.problem = request_.problem;
    options.dispatch = options_;
    KA_ASSIGN(options.jobs, jobs_of(arguments_));
    options.verify = options_.verify;
    options.allow_torch = arguments_.has("--allow-torch-fallback");
    options.test = request_.test;
    pipeline::RunContext context{output_.directory(), interpreter_, cancel_, &output_.log(), std::move(program_), &budget_, gpus_, models_->roles()};
    Result<pipeline::RunResult> result = pipeline::run(options, context);
    program_ = std::move(context.program);
    if (!result) return result.error();
    for (const auto& [stage, seconds] : result->times) times_[stage] += seconds;
    Outcome out;
    out.route = "fuse";
    out.path = result->composition.path;
    out.text = result->program;
    out.success = result->composition.success;
    out.verified = result->composition.verified;
    out.message = result->composition.message;
    if (result->verdict) out.verdict = pipeline::found_in(*result->verdict, output_.folder());
    out.limit = result->limit;
    out.parts = std::move(*result);
    return out;
  }

  const bool alone_;
  const Arguments& arguments_;
  const Request& request_;
  RunOutput& output_;
  bridge::WarmInterpreter& interpreter_;
  os::CancelToken cancel_;
  pipeline::Budget& budget_;
  os::GpuPool* gpus_;
  pipeline::DispatchOptions options_;
  std::optional<pipeline::OpenProgram> program_;
  std::optional<graph::Exported> exported_;  // where there is no plan
  std::string store_;                        // what became of a winner of the store; empty: there was none
  std::optional<RunModels> models_;
  std::string no_plan_;  // why the built-in generator cannot write it; empty where it can
  model::Route route_;
  std::map<std::string, double> times_;
};

struct Limits {
  double minutes = kMaxMinutes;
  std::optional<std::uint64_t> attempts;
};

Result<Limits> limits_of(const Arguments& arguments) {
  Limits out;
  KA_ASSIGN(out.minutes, arguments.number("--max-minutes", kMaxMinutes));
  if (out.minutes <= 0 || out.minutes > kMaxMinutes) return invalid_input(fmt::format("--max-minutes: more than 0 and at most {:g}", kMaxMinutes));
  if (!arguments.has("--max-attempts")) return out;
  const Result<std::uint64_t> attempts = arguments.whole_number("--max-attempts", 0);
  if (!attempts || *attempts < 1 || *attempts > kMaxAttempts) return invalid_input(fmt::format("--max-attempts: a whole number from 1 to {}", kMaxAttempts));
  out.attempts = *attempts;
  return out;
}

// Writes the summary and tells people. A run that ended at a limit has no such step: it can go on.
Result<int> conclude(const Arguments& arguments, const std::string& command, const model::RunSummary& summary, const std::vector<Outcome>& outcomes, const Job& job, const JobFacts& facts, RunOutput& output) {
  const Outcome& last = outcomes.back();
  const std::map<std::string, std::string> files = {{"summary.json", to_pretty_json_text(model::to_json(summary))}};
  if (last.limit.empty()) {
    KA_TRY(output.keep("summary", files));
  } else {
    if (!output.is_open()) KA_TRY(output.open());
    if (!output.directory().finished("route", "")) KA_TRY(output.write(job.request_files()));
    KA_TRY(output.write(files));
  }
  output.settle();
  if (arguments.has("--explain") && !arguments.has("--json")) {
    if (const Result<std::string> text = output.directory().read_artifact("graph.txt")) fmt::print("{}\n", *text);
    else if (last.limit.empty()) return text.error();
  }
  if (arguments.has("--json")) fmt::print("{}", to_pretty_json_text(json_of(output, outcomes, summary, facts)));
  else print(output, outcomes, facts);
  if (job.spent().questions > 0 && !arguments.has("--json")) fmt::print("{}{}\n", last.candidate ? last.candidate->note + "\n" : "", bill(job.spent()));
  if (!last.limit.empty())
    fmt::print(stderr, "kernelagent: {}: {} ended the run; what is finished is kept, and this goes on with it: kernelagent {} --resume {}\n", command, last.limit, command, quote_shell(output.folder()));
  return summary.exit_code;
}

constexpr auto kOfReplay = std::to_array<std::string_view>({"--replay", "--out", "--no-router-cache"});

Result<int> run_job(const Arguments& given, AppContext& context, const std::string& command, const std::string& forced) {
  constexpr std::array<std::string_view, 3> routes = {"auto", "direct", "fuse"};
  const std::string started = utc_timestamp(system_wall_clock()());
  const auto begin = std::chrono::steady_clock::now();
  Arguments arguments = given;
  std::optional<EarlierRun> resumed;
  if (given.has("--resume")) {
    KA_ASSIGN(const std::string run, given.required("--resume"));
    const std::vector<std::string> others = given.words(kOfOneCommand, {"--resume", "--verify", "--dispatch-jobs"});
    if (!others.empty()) return invalid_input(fmt::format("--resume: the run goes on as it was begun; {} cannot be given for it", fmt::join(others, " ")));
    KA_ASSIGN(resumed, earlier_run(run));
    KA_ASSIGN(arguments, asked_again(*resumed, given, {}));
  } else if (given.has("--replay") && !given.has("--problem") && given.positional().empty()) {
    KA_ASSIGN(EarlierRun recorded, earlier_run(given.text("--replay"), "--replay"));
    use_its_problem(recorded);
    KA_ASSIGN(arguments, asked_again(recorded, given, kOfReplay));
  }
  KA_TRY(settle_problem(arguments));
  KA_ASSIGN(const std::string wanted, arguments.choice("--route", forced, routes));
  KA_ASSIGN(const Limits limits, limits_of(arguments));
  KA_TRY(jobs_of(arguments));
  KA_TRY(compose_rounds(arguments));
  const bool alone = command == "generate";  // it writes one kernel, as it is told
  Arguments in_words = arguments;
  if (!alone && !is_list_of_forms(arguments)) in_words.drop("--forms");
  Result<Request> asked = request_in_words(in_words, command);
  if (!asked && resumed && asked.error().kind == ErrorKind::not_found) return asked.error().with("--resume: the problem's file is not where it was");
  if (!asked) return asked.error();
  Request& request = *asked;
  KA_ASSIGN(const Afterwards afterwards, afterwards_of(arguments, request, !alone));
  if (!arguments.has("--no-export-cache")) request.choices.export_cache = pipeline::kExportCache;
  KA_ASSIGN(RunOutput output, RunOutput::plan(arguments, request.command, resumed ? resumed->folder : ""));
  if (const Status understood = understand_sentence(request, arguments, output, true, context.cancel); !understood) return ended(command, understood.error());
  if (resumed && request.problem.text != resumed->problem_text) return invalid_input(fmt::format("--resume: {} is not what it was when the run began ({}/{})", request.problem.path, resumed->folder, kProblemFile));
  if (output.exists()) {
    KA_TRY(output.open());
    KA_TRY(check_same_job(output.directory(), arguments, request.problem.text));
  }
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  Deadlines deadlines(context.cancel);
  const Deadlines::Job limit(deadlines, std::chrono::milliseconds(static_cast<std::int64_t>(limits.minutes * 60'000)));
  pipeline::Budget budget(limits.attempts, limits.minutes, [&limit] { return limit.exceeded(); });
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> gpus, gpus_for(request.options.device, command, pipeline::kPartsPerGpu, output.log()));
  KA_ASSIGN(pipeline::WinnerSide winners, winner_side(arguments, request, interpreter, context.cancel));
  Job job(arguments, request, output, interpreter, limit.token(), budget, gpus.get(), std::move(winners), alone);
  KA_TRY(show_and_keep_program(request, arguments, output, job.request_files()));
  Result<std::vector<Outcome>> outcomes = job.run(wanted);
  if (!outcomes) output.settle();
  if (!outcomes) return ended(command, outcomes.error());
  if (!outcomes->back().limit.empty() && context.cancel.cancelled()) return cancelled_error("interrupted");
  const double left = limits.minutes - std::chrono::duration<double, std::ratio<60>>(std::chrono::steady_clock::now() - begin).count();
  JobFacts facts = job.facts();
  const RunSoFar so_far{arguments, request, left, [&job] { return job.has_other_forms(); }};
  KA_TRY(search_on(afterwards, so_far, outcomes->back(), output, context, afterwards == Afterwards::forms ? facts.forms : facts.optimize));
  return conclude(arguments, command, summary_of(output, *outcomes, facts, started), *outcomes, job, facts, output);
}

}  // namespace

Result<int> run_auto(const Arguments& arguments, AppContext& context) { return run_job(arguments, context, "auto", "auto"); }

Result<int> run_generate_with_models(const Arguments& arguments, AppContext& context) { return run_job(arguments, context, "generate", "direct"); }

Result<int> run_pipeline(const Arguments& arguments, AppContext& context) {
  if (arguments.has("--route")) return invalid_input("--route is for auto; pipeline is the route fuse");
  return run_job(arguments, context, "pipeline", "fuse");
}

}  // namespace ka::app

#include "app/cli/auto_optimize.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/earlier_run.h"
#include "app/cli/optimize.h"
#include "app/cli/settings.h"
#include "base/ids.h"
#include "base/json_fields.h"
#include "os/files.h"

namespace ka::app {
namespace {

constexpr const char* kPlaceFile = "output/search.json";  // which search is this run's
constexpr const char* kBest = "output/best_kernel.py";
constexpr const char* kBestVerdict = "output/verdict.json";
constexpr double kRaceMinutes = 3;
constexpr double kLongJudging = 60;  // seconds: each form is judged as the kernel was

// Of auto and of optimize, with the same meaning.
constexpr auto kShared = std::to_array<std::string_view>({"--precision", "--mode", "--device", "--seed", "--timeout", "--memory", "--verbose", "--strategy", "--target-sol", "--no-algebraic"});

const char* step_of(Afterwards what) { return what == Afterwards::forms ? "forms" : "optimize"; }
std::string told_file_of(Afterwards what) { return fmt::format("output/{}.json", step_of(what)); }

std::string nothing_done(Afterwards what, const std::string& why) {
  const std::string told = what == Afterwards::forms ? "forms: not raced: " + why : "not optimised: " + why;
  return to_json_text({{"success", false}, {"told", told}});
}

// A folder of its own, as every search has one; known to the run before the search begins, so that it can go on.
Result<std::string> place_of_search(RunOutput& output) {
  if (const Result<std::string> text = output.directory().read_artifact(kPlaceFile)) {
    KA_ASSIGN(const Json json, parse_json(*text, output.path(kPlaceFile)));
    if (json.is_object() && json.value("folder", Json()).is_string()) return json["folder"].get<std::string>();
    return invalid_input(fmt::format("{} does not say where the search is", output.path(kPlaceFile)));
  }
  const std::string folder = fmt::format(".optimize/{}", new_run_id());
  KA_TRY(output.write({{kPlaceFile, to_pretty_json_text({{"folder", folder}})}}));
  return folder;
}

// Of a search that begins.
std::vector<std::string> first_words(Afterwards what, const RunSoFar& run, const std::string& folder, const Outcome& outcome, const RunOutput& output) {
  const std::string problem = run.request.sentence ? output.path(kProblemFile) : run.request.problem.path;
  std::vector<std::string> words = {"--problem=" + problem + (run.request.problem.object.empty() ? "" : ":" + run.request.problem.object), "--kernel=" + output.path(outcome.path), "--out=" + folder,
                                    "--store=" + run.arguments.settings().text("store")};
  for (const std::string_view flag : kShared) {
    if (run.arguments.has(flag)) words.push_back(run.arguments.text(flag).empty() ? std::string(flag) : fmt::format("{}={}", flag, run.arguments.text(flag)));
  }
  if (const std::string test = run.arguments.settings().text("test_paths"); !test.empty()) words.push_back("--test=" + test);  // whatever takes the kernel's place passes it too
  if (what == Afterwards::forms) {
    words.insert(words.end(), {"--moves=forms", "--max-rounds=1"});
    if (outcome.route != "direct") words.emplace_back("--no-store");  // the next run of it is to have its parts again
  } else if (run.arguments.has("--optimize-rounds")) {
    words.push_back("--max-rounds=" + run.arguments.text("--optimize-rounds"));
  }
  return words;
}

Result<Arguments> words_for(Afterwards what, const RunSoFar& run, const std::string& folder, const Outcome& outcome, const RunOutput& output) {
  std::vector<std::string> words = {"--resume=" + folder};
  if (!os::exists(folder + "/program_database.json")) words = first_words(what, run, folder, outcome, output);
  words.push_back(fmt::format("--max-minutes={}", what == Afterwards::forms ? std::min(run.minutes, kRaceMinutes) : run.minutes));
  KA_ASSIGN(Arguments out, Arguments::parse(words, kOptimizeFlags));
  KA_ASSIGN(Settings settings, Settings::load(out));
  out.attach(std::make_shared<const Settings>(std::move(settings)));
  return out;
}

std::string told_of_search(Afterwards what, const Json& result) {
  const double before = result.value("initial_kernel_time_ms", 0.0), after = result.value("best_time_ms", 0.0);
  const std::string gain = fmt::format("{:.4f} ms instead of {:.4f} ms, {:.3f} times as fast{}", after, before, after > 0 ? before / after : 1,
                                       result.value("device", "") == "cpu" ? " (by the interpreter, which says nothing about a GPU)" : "");
  if (what == Afterwards::search) return fmt::format("optimised: {}; {}", gain, result.value("stop", ""));
  const std::vector<std::string> moves = result.value("moves", std::vector<std::string>{});
  if (!moves.empty()) return fmt::format("forms: {}: {}", moves.back(), gain);
  return fmt::format("forms: none was certainly faster than the kernels as they are ({:.4f} ms)", before);
}

Json brief(Afterwards what, const Json& result, const std::string& folder) {
  Json out = {{"folder", folder}};
  for (const char* name : {"success", "initial_kernel_time_ms", "best_time_ms", "speedup", "floor_ms", "efficiency", "total_rounds", "candidates", "moves", "stop", "message", "device", "winner"})
    out[name] = result.value(name, Json());
  out["told"] = told_of_search(what, result);
  return out;
}

// What an earlier part of this run has found.
Status take_kept(Afterwards what, Outcome& outcome, RunOutput& output, std::string& told) {
  KA_ASSIGN(told, output.directory().read_artifact(told_file_of(what)));
  KA_TRY(parse_json(told, output.path(told_file_of(what))));
  const Result<std::string> best = output.directory().read_artifact(kBest);
  if (!best) return ok();
  KA_ASSIGN(const std::string text, output.directory().read_artifact(kBestVerdict));
  KA_ASSIGN(const Json json, parse_json(text, output.path(kBestVerdict)));
  KA_ASSIGN(model::Verdict verdict, model::verdict_from_json(json));
  outcome.verdict = pipeline::found_in(std::move(verdict), output.folder());
  outcome.path = kBest;
  outcome.text = *best;
  return ok();
}

// Why there is no race, though one was wanted; empty: there is one. Nothing: there is nothing to race, and nothing to say.
Result<std::optional<std::string>> why_no_race(const RunSoFar& run, const Outcome& outcome) {
  const auto judging = outcome.verdict ? outcome.verdict->times.find("total") : std::map<std::string, double>::const_iterator();
  const double seconds = outcome.verdict && judging != outcome.verdict->times.end() ? judging->second : 0;
  if (seconds > kLongJudging && run.arguments.text("--forms") != kRaceForms)
    return std::optional(fmt::format("the judge took {:.0f} s, and would for each form (--forms race does it all the same)", seconds));
  const Result<bool> others = run.other_forms();
  if (!others && others.error().kind == ErrorKind::cancelled) return others.error();
  return others && *others ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace

bool is_list_of_forms(const Arguments& arguments) {
  const std::string forms = arguments.text("--forms");
  return arguments.has("--forms") && forms != kRaceForms && forms != kMeasuredForms;
}

Result<Afterwards> afterwards_of(const Arguments& arguments, const Request& request, bool may_race) {
  const bool searches = arguments.has("--optimize"), races = arguments.text("--forms") == kRaceForms;
  if (!searches) {
    for (const char* flag : {"--optimize-rounds", "--strategy", "--target-sol"}) {
      if (arguments.has(flag) && arguments.settings().config().empty()) return invalid_input(fmt::format("{} is for --optimize", flag));
    }
  }
  const bool verifies = !arguments.has("--no-verify");
  if (searches || races) {
    const std::string what = searches ? "--optimize" : "--forms race";
    if (!verifies) return invalid_input(fmt::format("{} and --no-verify: only a verified kernel can be made faster", what));
    if (request.options.device != "cuda" && arguments.text("--device") != "cpu") return environment_error(fmt::format("{} times kernels, which needs an NVIDIA GPU, and this machine has none (--device cpu tries it)", what));
    if (races && request.choices.emit != "kernel") return invalid_input("--forms race and --emit kernelbench: forms are raced as kernel_function");
    if (searches) return Afterwards::search;
  }
  const bool by_default = may_race && request.options.device == "cuda" && !arguments.has("--forms") && verifies && request.choices.emit == "kernel" && request.choices.platform == "cuda";
  return races || by_default ? Afterwards::forms : Afterwards::nothing;
}

Status search_on(Afterwards what, const RunSoFar& run, Outcome& outcome, RunOutput& output, AppContext& context, std::string& told) {
  if (what == Afterwards::nothing || !outcome.success || !outcome.verified || !outcome.limit.empty()) return ok();
  if (output.directory().finished(step_of(what), "")) return take_kept(what, outcome, output, told);
  if (run.minutes <= 0) {
    told = nothing_done(what, "no time was left (--max-minutes)");
    return ok();
  }
  if (what == Afterwards::forms) {
    KA_ASSIGN(const std::optional<std::string> why, why_no_race(run, outcome));
    if (why && !why->empty()) told = nothing_done(what, *why);
    if (!why || !why->empty()) return ok();
  }
  KA_ASSIGN(const std::string folder, place_of_search(output));
  KA_ASSIGN(const Arguments words, words_for(what, run, folder, outcome, output));
  output.settle();
  const Result<OptimizeEnd> end = optimize(words, context);
  if (!end && end.error().kind == ErrorKind::cancelled) return end.error();
  if (!end) {
    told = nothing_done(what, end.error().message);
    return ok();
  }
  KA_ASSIGN(const Json result, parse_json(end->json, "optimize"));
  told = to_pretty_json_text(brief(what, result, folder));
  std::map<std::string, std::string> files = {{told_file_of(what), told}};
  if (const std::string kernel = result.value("kernel_code", ""); end->code == 0 && kernel != outcome.text) {
    KA_ASSIGN(outcome.verdict, model::verdict_from_json(result.value("verdict", Json())));
    outcome.path = kBest;
    outcome.text = kernel;
    files[kBest] = kernel;
    files[kBestVerdict] = pipeline::lasting_text(*outcome.verdict, run.request.problem.path, kBest);
  }
  return output.keep(step_of(what), files);
}

}  // namespace ka::app

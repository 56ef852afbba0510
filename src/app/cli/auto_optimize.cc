#include "app/cli/auto_optimize.h"

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

constexpr const char* kStep = "optimize";
constexpr const char* kPlaceFile = "output/search.json";  // which search is this run's
constexpr const char* kToldFile = "output/optimize.json";
constexpr const char* kBest = "output/best_kernel.py";
constexpr const char* kBestVerdict = "output/verdict.json";

// Of auto and of optimize, with the same meaning.
constexpr auto kShared = std::to_array<std::string_view>({"--precision", "--mode", "--device", "--seed", "--timeout", "--memory", "--verbose", "--strategy", "--target-sol"});

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

Result<Arguments> words_for(const Arguments& arguments, const Request& request, double minutes, const std::string& folder, const Outcome& outcome, const RunOutput& output) {
  std::vector<std::string> words = {fmt::format("--max-minutes={}", minutes)};
  if (os::exists(folder + "/program_database.json")) {
    words.push_back("--resume=" + folder);
  } else {
    const std::string problem = request.sentence ? output.path(kProblemFile) : request.problem.path;
    words.push_back("--problem=" + problem + (request.problem.object.empty() ? "" : ":" + request.problem.object));
    words.push_back("--kernel=" + output.path(outcome.path));
    words.push_back("--out=" + folder);
    for (const std::string_view flag : kShared) {
      if (arguments.has(flag)) words.push_back(arguments.text(flag).empty() ? std::string(flag) : fmt::format("{}={}", flag, arguments.text(flag)));
    }
    if (arguments.has("--optimize-rounds")) words.push_back("--max-rounds=" + arguments.text("--optimize-rounds"));
    words.push_back("--store=" + arguments.settings().text("store"));
  }
  KA_ASSIGN(Arguments out, Arguments::parse(words, kOptimizeFlags));
  KA_ASSIGN(Settings settings, Settings::load(out));
  out.attach(std::make_shared<const Settings>(std::move(settings)));
  return out;
}

Json brief(const Json& result, const std::string& folder) {
  Json out = {{"folder", folder}};
  for (const char* name : {"success", "initial_kernel_time_ms", "best_time_ms", "speedup", "floor_ms", "efficiency", "total_rounds", "stop", "message", "device", "winner"}) out[name] = result.value(name, Json());
  const double before = result.value("initial_kernel_time_ms", 0.0), after = result.value("best_time_ms", 0.0);
  out["told"] = fmt::format("optimised: {:.4f} ms instead of {:.4f} ms, {:.3f} times as fast{}; {}", after, before, after > 0 ? before / after : 1,
                            result.value("device", "") == "cpu" ? " (by the interpreter, which says nothing about a GPU)" : "", result.value("stop", ""));
  return out;
}

// What an earlier part of this run has found.
Status take_kept(Outcome& outcome, RunOutput& output, std::string& told) {
  KA_ASSIGN(told, output.directory().read_artifact(kToldFile));
  KA_TRY(parse_json(told, output.path(kToldFile)));
  const Result<std::string> best = output.directory().read_artifact(kBest);
  if (!best) return ok();
  KA_ASSIGN(const std::string text, output.directory().read_artifact(kBestVerdict));
  KA_ASSIGN(const Json json, parse_json(text, output.path(kBestVerdict)));
  KA_ASSIGN(outcome.verdict, model::verdict_from_json(json));
  outcome.path = kBest;
  outcome.text = *best;
  return ok();
}

}  // namespace

Status check_optimize(const Arguments& arguments, const Request& request) {
  if (!arguments.has("--optimize")) {
    for (const char* flag : {"--optimize-rounds", "--strategy", "--target-sol"}) {
      if (arguments.has(flag) && arguments.settings().config().empty()) return invalid_input(fmt::format("{} is for --optimize", flag));
    }
    return ok();
  }
  if (arguments.has("--no-verify")) return invalid_input("--optimize and --no-verify: only a verified kernel can be made faster");
  if (request.options.device != "cuda" && arguments.text("--device") != "cpu") return environment_error("--optimize times kernels, which needs an NVIDIA GPU, and this machine has none (--device cpu tries it)");
  return ok();
}

Status optimize_outcome(const Arguments& arguments, const Request& request, double minutes, Outcome& outcome, RunOutput& output, AppContext& context, std::string& told) {
  if (!arguments.has("--optimize") || !outcome.success || !outcome.verified || !outcome.limit.empty()) return ok();
  if (output.directory().finished(kStep, "")) return take_kept(outcome, output, told);
  if (minutes <= 0) {
    told = to_json_text({{"success", false}, {"told", "not optimised: no time was left (--max-minutes)"}});
    return ok();
  }
  KA_ASSIGN(const std::string folder, place_of_search(output));
  KA_ASSIGN(const Arguments words, words_for(arguments, request, minutes, folder, outcome, output));
  output.settle();
  const Result<OptimizeEnd> end = optimize(words, context);
  if (!end && end.error().kind == ErrorKind::cancelled) return end.error();
  if (!end) {
    told = to_json_text({{"success", false}, {"folder", folder}, {"told", fmt::format("not optimised: {}", end.error().message)}});
    return ok();
  }
  KA_ASSIGN(const Json result, parse_json(end->json, "optimize"));
  told = to_pretty_json_text(brief(result, folder));
  std::map<std::string, std::string> files = {{kToldFile, told}};
  if (const std::string kernel = result.value("kernel_code", ""); end->code == 0 && kernel != outcome.text) {
    KA_ASSIGN(outcome.verdict, model::verdict_from_json(result.value("verdict", Json())));
    outcome.path = kBest;
    outcome.text = kernel;
    files[kBest] = kernel;
    files[kBestVerdict] = pipeline::lasting_text(*outcome.verdict, request.problem.path, kBest);
  }
  return output.keep(kStep, files);
}

}  // namespace ka::app

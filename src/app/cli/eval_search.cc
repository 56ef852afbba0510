#include "app/cli/eval_search.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/optimize.h"
#include "app/cli/settings.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "model/verdict.h"
#include "optimise/search.h"
#include "os/files.h"

namespace ka::app {
namespace {

constexpr std::size_t kMaxSearchWhy = 400;
constexpr double kMostMinutes = 1000;
constexpr const char* kSearchStateFile = "program_database.json";
constexpr auto kOfSearch = std::to_array<std::string_view>({"--optimize-minutes", "--optimize-rounds", "--moves"});
// Of eval and of optimize, with the same meaning.
constexpr auto kAlsoOfOptimize = std::to_array<std::string_view>({"--precision", "--mode", "--device", "--seed", "--timeout", "--memory", "--moves", "--no-algebraic"});

Result<Arguments> words_for_search(const Json& row, const pipeline::SuiteOptions& suite, const SuiteSearch& search) {
  const std::string folder = row.at("optimized").at("folder").get<std::string>();
  std::vector<std::string> words = {fmt::format("--max-minutes={}", search.minutes)};
  if (os::exists(fmt::format("{}/{}", folder, kSearchStateFile))) {
    words.push_back("--resume=" + folder);
  } else {
    const Json& kernel = row.at("kernel");
    words.push_back(fmt::format("--problem={}/{}", suite.folder, row.at("name").get<std::string>()));
    words.push_back(fmt::format("--kernel={}/{}", suite.out, kernel.at("path").get<std::string>()));
    words.push_back("--entry=" + kernel.at("entry").get<std::string>());
    words.push_back("--out=" + folder);
    words.insert(words.end(), search.words.begin(), search.words.end());
  }
  KA_ASSIGN(Arguments out, Arguments::parse(words, kOptimizeFlags));
  KA_ASSIGN(Settings settings, Settings::load(out));
  out.attach(std::make_shared<const Settings>(std::move(settings)));
  return out;
}

// What was done to the given kernel to get to this one.
std::vector<std::string> moves_to(const std::string& sha256, const std::string& folder) {
  const Result<std::string> text = os::read_file(fmt::format("{}/{}", folder, kSearchStateFile));
  const Result<Json> json = text ? parse_json(*text, folder) : Result<Json>(text.error());
  const Result<optimise::State> state = json ? optimise::state_from_json(*json) : Result<optimise::State>(json.error());
  if (!state) return {};
  const auto found = std::find_if(state->programs.begin(), state->programs.end(), [&](const optimise::Program& one) { return sha256_hex(one.text) == sha256; });
  return found == state->programs.end() ? std::vector<std::string>{} : found->path;
}

// The fields of `optimized` that a search which has ended says; the better kernel goes beside the default one.
Status tell_search(const OptimizeEnd& end, Json& row, const pipeline::SuiteOptions& suite) {
  KA_ASSIGN(const Json result, parse_json(end.json, "optimize"));
  KA_ASSIGN(const model::Verdict verdict, model::verdict_from_json(result.value("verdict", Json())));
  Json& told = row["optimized"];
  if (end.code != 0) {
    told.update({{"state", "failed"}, {"error", elide_middle(fmt::format("the kernel is refused with other numbers ({}: {})", verdict.rule, verdict.reason), kMaxSearchWhy)}});
    return ok();
  }
  Json kernel = row.at("kernel");
  const std::string text = result.at("kernel_code").get<std::string>(), sum = sha256_hex(text);
  const bool faster = sum != kernel.at("sha256").get<std::string>();
  if (faster) {
    kernel = {{"path", kernel.at("path").get<std::string>() + ".optimized.py"}, {"sha256", sum}, {"entry", verdict.kernel.entry}};
    KA_TRY(os::write_file_atomic(fmt::format("{}/{}", suite.out, kernel["path"].get<std::string>()), text));
  }
  told.update({{"state", "ended"}, {"faster", faster}, {"kernel", kernel}, {"default_ms", result.at("initial_kernel_time_ms")}, {"ms", result.at("best_time_ms")},
               {"ratio", faster ? result.at("speedup") : Json(1.0)}, {"rounds", result.at("total_rounds")}, {"stop", result.at("stop")},
               {"moves", faster ? moves_to(sum, told.at("folder").get<std::string>()) : std::vector<std::string>{}}, {"message", result.value("message", "")},
               {"winner", result.value("winner", Json())}});
  return ok();
}

}  // namespace

Result<SuiteSearch> suite_search_of(const Arguments& arguments, const pipeline::SuiteOptions& suite, std::chrono::milliseconds limit) {
  SuiteSearch out;
  out.limit = limit;
  for (const std::string_view flag : kOfSearch) {
    if (arguments.has(flag) && !arguments.has("--optimize")) return invalid_input(fmt::format("{} is for --optimize, which is not given", flag));
  }
  if (!arguments.has("--optimize")) return out;
  if (!suite.verifies) return invalid_input("--optimize and --no-verify: only a verified kernel can be made faster");
  if (suite.options.device != "cuda" && arguments.text("--device") != "cpu") return environment_error("--optimize needs an NVIDIA GPU, and this machine has none");
  out.wanted = true;
  KA_ASSIGN(out.minutes, arguments.number("--optimize-minutes", out.minutes));
  if (!(out.minutes > 0) || out.minutes > kMostMinutes) return invalid_input(fmt::format("--optimize-minutes: more than 0 and at most {:g}", kMostMinutes));
  KA_ASSIGN(const std::string moves, arguments.choice("--moves", kAllMoves, kMoveKinds));
  const Result<std::uint64_t> rounds = arguments.whole_number("--optimize-rounds", moves == kFormMoves ? 1 : 10);
  if (!rounds || *rounds < 1 || *rounds > 1000) return invalid_input("--optimize-rounds: a whole number from 1 to 1000");
  out.words = {fmt::format("--max-rounds={}", *rounds), "--store=" + arguments.settings().text("store")};
  for (const std::string_view flag : kAlsoOfOptimize) {
    if (arguments.has(flag)) out.words.push_back(arguments.text(flag).empty() ? std::string(flag) : fmt::format("{}={}", flag, arguments.text(flag)));
  }
  return out;
}

Json begin_search(Json row, const pipeline::SuiteOptions& suite) {
  const std::string of = row.at("kernel").at("sha256").get<std::string>();
  const Json earlier = row.value("optimized", Json::object());
  const bool goes_on = earlier.value("state", "") == "begun" && earlier.value("of", "") == of && earlier.value("on", "") == suite.options.device;
  std::string folder = earlier.value("folder", "");
  if (!goes_on || !os::exists(fmt::format("{}/{}", folder, kSearchStateFile))) folder = ".optimize/" + new_run_id();
  if (row.contains("bench")) row["bench"].erase("optimized");  // of another kernel
  row["optimized"] = {{"of", of}, {"on", suite.options.device}, {"folder", folder}, {"state", "begun"}};
  return row;
}

Result<Json> search_task(Json row, const pipeline::SuiteOptions& suite, const SuiteSearch& search, Deadlines& deadlines) try {
  const os::TimePoint begin = std::chrono::steady_clock::now();
  const auto minutes = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double, std::ratio<60>>(search.minutes));
  const Deadlines::Job job(deadlines, minutes + search.limit);
  KA_ASSIGN(const Arguments words, words_for_search(row, suite, search));
  AppContext context{job.token()};
  const Result<OptimizeEnd> end = optimize(words, context);
  if (!end && end.error().kind == ErrorKind::cancelled && !job.exceeded()) return end.error();
  if (end) {
    KA_TRY(tell_search(*end, row, suite));
  } else {
    const std::string why = job.exceeded() ? "the search was killed at its time limit (--optimize-minutes and --limit)" : elide_middle(end.error().message, kMaxSearchWhy);
    row["optimized"].update({{"state", "failed"}, {"error", why}});
  }
  row["optimized"]["seconds"] = os::seconds_since(begin);
  return row;
} catch (const Json::exception& error) {
  return internal_error(fmt::format("a row of results.jsonl is not what was written ({})", error.what()));
}

std::string search_line(const Json& row) {
  const Json told = row.value("optimized", Json::object());
  const bool failed = told.value("state", "") == "failed";
  const std::string what = failed                       ? told.value("error", "")
                           : told.value("faster", false) ? fmt::format("{:.3f} times as fast as the default kernel; {}", told.value("ratio", 1.0), told.value("stop", ""))
                                                         : fmt::format("nothing faster than the default kernel; {}", told.value("stop", ""));
  return fmt::format("{:<12} {:<60} {:>7.1f} s  {}", failed ? "not searched" : "searched", row.value("name", ""), told.value("seconds", 0.0), what);
}

}  // namespace ka::app

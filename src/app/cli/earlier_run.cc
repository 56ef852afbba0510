#include "app/cli/earlier_run.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/auto.h"
#include "app/cli/settings.h"
#include "base/json_fields.h"
#include "problem/problem_file.h"
#include "report/run_list.h"

namespace ka::app {
namespace {

// What decides what a run makes, beside the text of its problem.
std::vector<std::string> decisive_words(const Arguments& arguments) {
  std::vector<std::string> out = arguments.words(kOfOneCommand, {"--problem", "--out", "--resume", "--verify", "--dispatch-jobs", "--no-router-cache"});
  const std::string problem = arguments.text("--problem");
  out.push_back(problem.substr(problem.rfind('/') + 1));
  return out;
}

}  // namespace

Result<std::string> run_folder(const std::string& run, const std::string& flag) {
  Result<std::string> found = report::find_run(".", run);
  if (!found) return found.error().with(flag);
  return found->starts_with("./") ? found->substr(2) : *found;
}

Result<EarlierRun> earlier_run(const std::string& run, const std::string& flag) {
  EarlierRun out;
  KA_ASSIGN(out.folder, run_folder(run, flag));
  Result<model::RunDirectory> directory = model::RunDirectory::open(out.folder, model::RunDirectory::Access::read);
  if (!directory) return directory.error().with(flag);
  const Result<std::string> text = directory->read_artifact(kRequestFile);
  if (!text && text.error().kind == ErrorKind::not_found && directory->entries().empty()) return invalid_input(fmt::format("{}: {} ended before it had anything to go on with; begin it anew, with --out {}", flag, out.folder, out.folder));
  if (!text) return invalid_input(fmt::format("{}: {} is no run of auto or pipeline (it has no {} that can be read)", flag, out.folder, kRequestFile));
  KA_ASSIGN(const Json json, parse_json(*text, out.folder + "/" + kRequestFile));
  const Json words = json.is_object() ? json.value("words", Json()) : Json();
  if (!words.is_array()) return invalid_input(fmt::format("{}: {}/{} does not say what was asked for", flag, out.folder, kRequestFile));
  for (const Json& word : words) {
    if (!word.is_string()) return invalid_input(fmt::format("{}: {}/{} does not say what was asked for", flag, out.folder, kRequestFile));
    out.words.push_back(word.get<std::string>());
  }
  KA_ASSIGN(out.problem_text, directory->read_artifact(kProblemFile));
  return out;
}

Result<Arguments> asked_again(const EarlierRun& run, const Arguments& given, std::span<const std::string_view> also) {
  KA_ASSIGN(Arguments out, Arguments::parse(run.words, kAutoFlags));
  constexpr std::array<std::string_view, 1> kJobs = {"--dispatch-jobs"};
  for (const std::span<const std::string_view> flags : {std::span<const std::string_view>(kOfOneCommand), std::span<const std::string_view>(kJobs), also}) out.take(given, flags);
  KA_ASSIGN(Settings settings, Settings::load(out));
  out.attach(std::make_shared<const Settings>(std::move(settings)));
  return out;
}

void use_its_problem(EarlierRun& run) {
  constexpr std::string_view kFlag = "--problem=";
  const auto word = std::find_if(run.words.begin(), run.words.end(), [&](const std::string& one) { return one.starts_with(kFlag); });
  const std::string copy = std::string(kFlag) + run.folder + "/" + kProblemFile;
  if (word == run.words.end()) return;  // it was a sentence, and the recording has what it became
  const std::string problem = word->substr(kFlag.size());
  const Result<problem::ProblemFile> file = problem::read_problem(problem);
  if (file && file->text == run.problem_text) return;
  const std::size_t colon = problem.rfind(".py:");
  *word = copy + (colon == std::string::npos ? "" : problem.substr(colon + 3));
}

Status check_same_job(const model::RunDirectory& directory, const Arguments& arguments, const std::string& problem_text) {
  const Result<std::string> text = directory.read_artifact(kProblemFile);
  if (!text && !directory.entries().empty()) return invalid_input(fmt::format("--out: {} holds a run of another command ({}); name a new folder", directory.path(), directory.info().command));
  if (!text) return ok();
  if (*text != problem_text) return invalid_input(fmt::format("--out: {} holds a run of another problem; name a new folder", directory.path()));
  KA_ASSIGN(const EarlierRun before, earlier_run(directory.path()));
  KA_ASSIGN(const Arguments asked, Arguments::parse(before.words, kAutoFlags));
  if (decisive_words(asked) == decisive_words(arguments)) return ok();
  return invalid_input(fmt::format("--out: {} holds a run that was asked for otherwise ({}); name a new folder", directory.path(), fmt::join(before.words, " ")));
}

}  // namespace ka::app

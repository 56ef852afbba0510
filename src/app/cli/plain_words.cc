#include "app/cli/plain_words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/earlier_run.h"
#include "app/cli/model_side.h"
#include "app/cli/settings.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "os/files.h"
#include "pipeline/program_side.h"
#include "pipeline/sentence_problem.h"
#include "problem/problem_file.h"
#include "report/run_files.h"

namespace ka::app {
namespace {

constexpr const char* kProgramStep = "problem";
constexpr std::string_view kBlanks = " \t\r\n";

// Is it the name of a file, there or not? A sentence has blanks, or is a word that looks like no file.
bool names_file(const std::string& text) {
  if (os::exists(text)) return true;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && problem::is_identifier(std::string_view(text).substr(colon + 1)) && os::exists(text.substr(0, colon))) return true;
  return text.find_first_of(kBlanks) == std::string::npos && (text.ends_with(".py") || colon != std::string::npos);
}

// What might have been meant as a file after all.
bool looks_like_file(const std::string& text) { return text.ends_with(".py") || text.find_first_of(kBlanks) == std::string::npos; }

// The program that an earlier run in the folder, which `flag` names, has for the sentence.
Result<std::optional<pipeline::SentenceProgram>> earlier_program(const char* flag, const std::string& folder, const std::string& sentence) {
  KA_ASSIGN(const model::RunDirectory run, model::RunDirectory::open(folder, model::RunDirectory::Access::read));
  const Result<std::string> text = run.read_artifact(model::kSentenceFile);
  if (!text && text.error().kind == ErrorKind::not_found) return std::optional<pipeline::SentenceProgram>();
  if (!text) return text.error();
  const std::string where = fmt::format("{}/{}", folder, model::kSentenceFile);
  KA_ASSIGN(const Json json, parse_json(*text, where));
  Result<model::SentenceRecord> record = model::sentence_record_from_json(json);
  if (!record) return record.error().with(where);
  if (record->sentence != sentence)
    return invalid_input(fmt::format("{}: {} holds a run of another problem (\"{}\"); name another folder", flag, folder, report::one_line(elide_middle(record->sentence, 200))));
  KA_ASSIGN(std::string program, run.read_artifact(kProblemFile));
  if (sha256_hex(program) != record->problem_sha256)
    return invalid_input(fmt::format("{}/{} is not what it was when the run began; name a new folder with --out", folder, kProblemFile));
  return std::optional(pipeline::SentenceProgram{std::move(program), std::move(*record)});
}

// A program of a model must load and run, as any problem, in a process that can do no harm.
// `interpreter`: made when it is needed first.
Status check_program(const std::string& text, const Request& request, std::shared_ptr<bridge::WarmInterpreter>& interpreter, const os::CancelToken& cancel) {
  if (!pipeline::imports_only_known(text)) return invalid_input("the file imports something that does not come with Python or PyTorch; accepted are torch and its modules");
  if (!interpreter) {
    KA_ASSIGN(std::string python, bridge::find_interpreter());
    interpreter = std::make_shared<bridge::WarmInterpreter>(bridge::InterpreterOptions{python});
  }
  const verify::ProblemSource source{kProblemFile, "", text, request.problem.mode};
  KA_TRY(pipeline::ProgramSide::open(source, request.options, "", *interpreter, cancel));
  return ok();
}

// Of a run whose folder is made with the first answer: a sentence about which nobody answers leaves nothing behind.
pipeline::Artifacts artifacts_of(RunOutput& output) {
  return {output.folder(), [&output](const std::string& name) { return output.is_open() ? output.directory().read_artifact(name) : os::read_file(output.path(name)); },
          [&output](const std::string& name, const std::string& text) -> Status {
            KA_TRY(output.open());
            return output.directory().write_artifact(name, text);
          }};
}

Result<pipeline::SentenceHelper> helper_of(const Request& request, const Settings& settings, const std::string& model, pipeline::Conversations& conversations, const os::CancelToken& cancel) {
  pipeline::SentenceHelper helper;
  helper.model = model;
  helper.effort = effort_of(settings);
  helper.conversations = &conversations;
  KA_ASSIGN(helper.prompts, prompt::PromptFiles::load(settings.text("prompts")));
  helper.check = [&request, &cancel, interpreter = std::shared_ptr<bridge::WarmInterpreter>()](const std::string& text) mutable {
    return check_program(text, request, interpreter, cancel);
  };
  return helper;
}

// Answers that are of another problem must not come to lie in the folder.
Status check_unused(const std::string& folder) {
  KA_ASSIGN(const model::RunDirectory run, model::RunDirectory::open(folder, model::RunDirectory::Access::read));
  if (run.entries().empty()) return ok();
  return invalid_input(fmt::format("--out: {} holds a run of another problem; name a new folder", folder));
}

Result<pipeline::SentenceProgram> program_of(const Request& request, const Arguments& arguments, RunOutput& output, bool go_on, const os::CancelToken& cancel) {
  const std::string& sentence = request.sentence->sentence;
  const Settings& settings = arguments.settings();
  if (go_on && output.exists()) {
    KA_ASSIGN(std::optional<pipeline::SentenceProgram> earlier, earlier_program("--out", output.folder(), sentence));
    if (earlier) return std::move(*earlier);
    KA_TRY(check_unused(output.folder()));
  }
  std::string model = settings.text("model").empty() ? default_model(settings) : settings.text("model");
  std::optional<pipeline::Artifacts> replay;
  if (const std::string replayed = settings.text("replay"); !replayed.empty()) {
    KA_ASSIGN(const std::string folder, run_folder(replayed, "--replay"));
    KA_ASSIGN(std::optional<pipeline::SentenceProgram> earlier, earlier_program("--replay", folder, sentence));
    replay = pipeline::artifacts_in(folder);
    const bool asked = earlier && earlier->record.questions > 0 && os::exists(fmt::format("{}/conversations/{}", folder, pipeline::kSentenceKey));
    if (earlier && !asked) return std::move(*earlier);
    model = earlier ? earlier->record.by : "";
  }
  const std::unique_ptr<pipeline::Conversations> conversations = open_conversations(settings, std::move(replay), artifacts_of(output), output.log());
  KA_ASSIGN(const pipeline::SentenceHelper helper, helper_of(request, settings, model, *conversations, cancel));
  Result<pipeline::SentenceProgram> made = pipeline::problem_for(sentence, helper, cancel, &output.log());
  if (made) return made;
  Error error = made.error();
  if (error.kind == ErrorKind::invalid_input && looks_like_file(sentence)) error = error.with(fmt::format("there is no file \"{}\", and as a sentence", sentence));
  if (output.is_open()) error.message += fmt::format(" (what was said is in {}/conversations/{})", output.folder(), pipeline::kSentenceKey);
  return error;
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split(trim(text), '\n')) out += line.empty() ? "\n" : "  " + line + "\n";
  return out;
}

}  // namespace

Status settle_problem(Arguments& arguments) {
  const std::vector<std::string> words = arguments.positional();
  if (words.empty()) return ok();
  if (words.size() > 1) return invalid_input(fmt::format("unexpected argument \"{}\"; one problem is expected: --problem FILE, or a sentence in quotes", words[1]));
  const std::string text = trim(words[0]);
  if (arguments.has("--problem")) {
    const std::string shown = report::one_line(elide_middle(text, 80));
    return invalid_input(fmt::format("\"{}\" and --problem {} are two problems; one is expected", shown, arguments.text("--problem")));
  }
  if (text.empty())
    return invalid_input("the problem is an empty text; accepted: --problem FILE, or a sentence such as \"softmax over the last dimension of a 128 x 1000 tensor\"");
  if (!names_file(text)) return ok();
  arguments.drop_positional();
  arguments.set("--problem", text);
  return ok();
}

Status understand_sentence(Request& request, const Arguments& arguments, RunOutput& output, bool go_on, const os::CancelToken& cancel) {
  if (!request.sentence) return ok();
  KA_ASSIGN(pipeline::SentenceProgram program, program_of(request, arguments, output, go_on, cancel));
  request.problem.path = output.path(kProblemFile);
  request.problem.text = std::move(program.text);
  request.sentence = std::move(program.record);
  return ok();
}

Status show_and_keep_program(const Request& request, const Arguments& arguments, RunOutput& output, const std::map<std::string, std::string>& further) {
  if (!request.sentence) return ok();
  const model::SentenceRecord& record = *request.sentence;
  if (!arguments.has("--json")) {
    output.print(fmt::format("understood by {}: {}\n", record.by == "rules" ? "rule" : record.by, report::one_line(record.understood)));
    output.print(fmt::format("{}:\n{}\n", request.problem.path, indented(report::mended(request.problem.text))));
  }
  if (!output.is_open()) KA_TRY(output.open());
  const std::map<std::string, std::string> files = {{kProblemFile, request.problem.text}, {model::kSentenceFile, to_pretty_json_text(model::to_json(record))}};
  const Result<std::string> there = output.directory().read_artifact(model::kSentenceFile);
  if (there && *there == files.at(model::kSentenceFile) && output.directory().finished(kProgramStep, "")) return ok();
  KA_TRY(output.write(further));
  return output.keep(kProgramStep, files);
}

void add_program(const Request& request, Json& json) {
  if (!request.sentence) return;
  json["sentence"] = request.sentence->sentence;
  json["understood"] = request.sentence->understood;
  json["problem_code"] = request.problem.text;
}

}  // namespace ka::app

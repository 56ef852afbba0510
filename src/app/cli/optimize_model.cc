#include "app/cli/optimize_model.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/earlier_run.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "pipeline/contest.h"

namespace ka::app {
namespace {

constexpr const char* kSpentFile = "conversations/spent.json";

bool is_named(const Settings& settings) {
  const Origin origin = settings.value("model").origin;
  return !settings.text("model").empty() && (origin == Origin::flag || origin == Origin::config);
}

// By the run so far, where it goes on; a file that cannot be read counts for nothing.
pipeline::Spent spent_before(model::RunDirectory& directory) {
  pipeline::Spent out;
  const Result<std::string> text = directory.read_artifact(kSpentFile);
  const Result<Json> json = text ? parse_json(*text, kSpentFile) : Result<Json>(text.error());
  if (!json) return out;
  FieldReader in(*json, kSpentFile);
  const pipeline::Spent read{in.required<int>("questions"), {in.required<std::int64_t>("input_tokens"), 0, in.required<std::int64_t>("output_tokens"), 0, in.required<double>("dollars")}, ""};
  const bool sane = in.good() && read.questions >= 0 && read.usage.input_tokens >= 0 && read.usage.output_tokens >= 0 && read.usage.dollars >= 0;
  return sane ? read : out;
}

// The name under which the model of an earlier run was asked; `otherwise` where that run does not say.
std::string recorded_model(const pipeline::Artifacts& run, const std::string& otherwise) {
  constexpr std::string_view kFlag = "--model=";
  const Result<std::string> text = run.read(kRequestFile);
  const Result<Json> json = text ? parse_json(*text, kRequestFile) : Result<Json>(text.error());
  if (!json || !json->is_object()) return otherwise;
  for (const Json& word : json->value("words", Json::array())) {
    if (word.is_string() && word.get<std::string>().starts_with(kFlag)) return word.get<std::string>().substr(kFlag.size());
  }
  return otherwise;
}

std::string ceilings_text(const std::optional<pipeline::MachineGpu>& gpu) {
  if (!gpu || !gpu->measured) return {};
  return fmt::format("{:.3g} TB/s of memory traffic, {:.3g} TFLOP/s in float32, {:.3g} TFLOP/s in float16 or bfloat16", gpu->measured->bytes / 1e12, gpu->measured->float32 / 1e12, gpu->measured->half / 1e12);
}

}  // namespace

Result<SearchModel> SearchModel::plan(const Settings& settings, bool recorded, EventLog& log) {
  const bool replays = !settings.text("replay").empty();
  if (!replays && (recorded || !is_named(settings))) return SearchModel(settings, {});
  KA_ASSIGN(ModelChoice choice, choose_model(settings, "model", log));
  if (choice.replay && settings.text("model").empty()) choice.model = recorded_model(*choice.replay, choice.model);
  SearchModel out(settings, std::move(choice));
  if (!out.takes_part()) out.left_out_ = fmt::format("{} was not asked: there is no way to it (kernelagent models)", settings.text("model"));
  return out;
}

Result<pipeline::MoveFacts> SearchModel::facts(const ModelBrief& brief, const pipeline::Means& means) const {
  pipeline::GenerateChoices choices;
  if (brief.gpu) choices.gpu = brief.gpu->facts;
  pipeline::MoveFacts out;
  KA_ASSIGN(out.task, pipeline::task_of(brief.problem, *brief.exported, brief.judge, choices, means));
  out.floor_ms = brief.floor_ms;
  out.target = brief.target;
  out.basis = brief.basis;
  out.ceilings = ceilings_text(brief.gpu);
  out.interpreted = brief.judge.device != "cuda";
  out.end = end_;
  return out;
}

Result<optimise::Proposer*> SearchModel::join(optimise::Proposer& others, const ModelBrief& brief, Diagnoses& diagnoses, const pipeline::Means& means, RunOutput& output) {
  if (!takes_part()) return &others;
  if (!brief.exported) {
    left_out_ = fmt::format("{} was not asked: PyTorch cannot export the program, and so nothing is known about its tensors", choice_.model);
    output.log().warning("synth", "no_model", left_out_);
    return &others;
  }
  KA_ASSIGN(models_, Models::open(*settings_, choice_, pipeline::artifacts_of(output.directory()), output.log(), spent_before(output.directory())));
  means_ = std::make_unique<pipeline::Means>(means);
  means_->models = models_->side();
  KA_ASSIGN(pipeline::MoveFacts told, facts(brief, *means_));
  proposer_ = std::make_unique<pipeline::ModelProposer>(*models_->side(), std::move(told), [&diagnoses](const optimise::Program& program) { return diagnoses.of(program); }, others, *means_);
  return proposer_.get();
}

const std::vector<pipeline::Talk>& SearchModel::talks() const {
  static const std::vector<pipeline::Talk> none;
  return proposer_ ? proposer_->talks() : none;
}

std::map<std::string, std::string> SearchModel::files() const {
  if (!proposer_) return {};
  return {{kSpentFile, to_pretty_json_text(bill_json(models_->conversations().spent()))}};
}

std::string SearchModel::silent() const { return proposer_ ? proposer_->silent() : left_out_; }

Json SearchModel::json() const {
  if (!proposer_ && left_out_.empty()) return nullptr;
  Json out = bill_json(proposer_ ? models_->conversations().spent() : pipeline::Spent());
  out["model"] = proposer_ ? choice_.model : settings_->text("model");
  out["silent"] = silent();
  out["told"] = trim(text(""));
  return out;
}

std::string SearchModel::text(std::string_view indent) const {
  std::string out;
  if (proposer_) out += fmt::format("{}{}\n", indent, bill(models_->conversations().spent()));
  const bool is_said = proposer_ && !models_->conversations().spent().limit.empty();  // by the bill
  if (!silent().empty() && !is_said) out += fmt::format("{}{}\n", indent, silent());
  return out;
}

}  // namespace ka::app

#include "app/cli/model_side.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/earlier_run.h"
#include "os/files.h"
#include "synth/llm/open_chat.h"

namespace ka::app {
namespace {

llm::Lookup lookup_of(const Settings& settings) {
  return [settings](const std::string& name) { return settings.lookup(name); };
}

Result<pipeline::Artifacts> replayed(const std::string& run) {
  KA_ASSIGN(const std::string folder, run_folder(run, "--replay"));
  if (!os::exists(folder + "/conversations")) return invalid_input(fmt::format("--replay: {} holds no conversations with a language model; accepted: the id or folder of a run that asked one", folder));
  return pipeline::artifacts_in(folder);
}

std::string first_set(const Settings& settings, std::string_view setting) {
  const std::string own = settings.text(setting);
  return own.empty() ? settings.text("model") : own;
}

constexpr std::int64_t kReasoningTokens = 16'384;  // beside the answer: providers count both together

// The model of a recording, where none is named.
constexpr const char* kRecorded = "recorded";

// The question about the route; none where no model is named for it, or it cannot be asked.
Result<std::optional<pipeline::RouteQuestion>> route_question(const Settings& settings, EventLog& log) {
  if (settings.text("router_model").empty()) return std::optional<pipeline::RouteQuestion>();
  KA_ASSIGN(const ModelChoice choice, choose_model(settings, "router_model", log));
  if (choice.model.empty()) return std::optional<pipeline::RouteQuestion>();
  const auto tokens = static_cast<std::int64_t>(settings.number("router_max_tokens").value_or(700)) + kReasoningTokens;
  return std::optional(pipeline::RouteQuestion{choice.model, settings.number("router_temperature"), tokens, effort_of(settings, "router_high_reasoning")});
}

// A model that is asked only where it is named for just that.
Result<std::optional<ModelChoice>> named(const Settings& settings, std::string_view setting, EventLog& log) {
  if (settings.text(setting).empty()) return std::optional<ModelChoice>();
  KA_ASSIGN(ModelChoice choice, choose_model(settings, setting, log));
  return choice.model.empty() ? std::optional<ModelChoice>() : std::optional(std::move(choice));
}

// As the settings say: whose, and for how long at most.
Result<std::unique_ptr<llm::Chat>> open_model(const Settings& settings, const std::string& model) {
  llm::ChatOptions options;
  options.provider = settings.text("provider");
  if (const std::optional<double> seconds = settings.number("llm_timeout_s")) options.times.total = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
  return llm::open_chat(model, lookup_of(settings), options);
}

}  // namespace

std::string default_model(const Settings& settings) {
  constexpr std::array<const char*, 2> kDefaultModels = {"claude-sonnet-4-20250514", "gpt-5"};
  if (settings.text("producers") == "codegen") return "";
  for (const char* const model : kDefaultModels) {
    if (llm::find_road(model, lookup_of(settings))) return model;
  }
  return "";
}

std::string effort_of(const Settings& settings, std::string_view setting) { return settings.is(setting) ? "high" : "medium"; }

Result<ModelChoice> choose_model(const Settings& settings, std::string_view setting, EventLog& log) {
  constexpr std::array<std::string_view, 3> kProducers = {"both", "model", "codegen"};
  ModelChoice out;
  const std::string producers = settings.text("producers");
  if (std::find(kProducers.begin(), kProducers.end(), producers) == kProducers.end())
    return invalid_input(fmt::format("{}: unknown value \"{}\"; accepted: both, model, codegen", settings.value("producers").where, producers));
  if (producers == "codegen") return out;
  out.model = first_set(settings, setting);
  out.codegen = producers != "model";
  if (const std::string run = settings.text("replay"); !run.empty()) {
    KA_ASSIGN(out.replay, replayed(run));
    if (out.model.empty()) {
      out.model = kRecorded;
      out.only_where_needed = true;
    }
    return out;
  }
  if (out.model.empty()) {
    out.model = default_model(settings);
    out.only_where_needed = !out.model.empty();
    if (out.only_where_needed) return out;
  }
  if (out.model.empty() && !out.codegen) return invalid_input("--producers model: no model is named; accepted: one of kernelagent models, with --model");
  if (out.model.empty()) return out;
  const Result<llm::Road> road = llm::find_road(out.model, lookup_of(settings));
  if (road) return out;
  if (!out.codegen || road.error().kind == ErrorKind::invalid_input) return road.error();
  log.warning("synth", "no_model", fmt::format("{} is not asked: {}; the built-in generator works alone", out.model, road.error().message));
  out.model.clear();
  return out;
}

std::unique_ptr<pipeline::Conversations> open_conversations(const Settings& settings, std::optional<pipeline::Artifacts> replay, pipeline::Artifacts own, EventLog& log, pipeline::Spent before) {
  for (const std::string& secret : settings.secrets()) log.add_secret(secret);
  pipeline::ModelLimits limits;
  if (const std::optional<double> tokens = settings.number("max_tokens_total")) limits.tokens = static_cast<std::uint64_t>(*tokens);
  limits.dollars = settings.number("max_dollars");
  const auto open = [settings](const std::string& model) { return open_model(settings, model); };
  return std::make_unique<pipeline::Conversations>(std::move(own), open, limits, std::move(replay), &log, std::move(before));
}

pipeline::Spent spent_on(const std::optional<model::SentenceRecord>& sentence) {
  pipeline::Spent out;
  if (!sentence) return out;
  out.questions = sentence->questions;
  out.usage.input_tokens = sentence->input_tokens;
  out.usage.output_tokens = sentence->output_tokens;
  out.usage.dollars = sentence->dollars;
  return out;
}

Result<std::unique_ptr<Models>> Models::open(const Settings& settings, ModelChoice choice, pipeline::Artifacts own, EventLog& log, pipeline::Spent before) {
  if (choice.model.empty()) return std::unique_ptr<Models>();
  auto conversations = open_conversations(settings, std::move(choice.replay), std::move(own), log, std::move(before));
  KA_ASSIGN(prompt::PromptFiles prompts, prompt::PromptFiles::load(settings.text("prompts")));
  pipeline::ModelSide side{*conversations, std::move(prompts), choice.model, static_cast<int>(settings.number("workers").value_or(4)), static_cast<int>(settings.number("rounds").value_or(10)),
                           effort_of(settings), settings.is("no_cusolver"), choice.codegen, choice.only_where_needed};
  return std::unique_ptr<Models>(new Models(std::move(conversations), std::move(side)));
}

pipeline::ModelSide Models::side_with(const ModelChoice& choice) const {
  pipeline::ModelSide out = side_;
  out.model = choice.model;
  out.only_where_needed = choice.only_where_needed;
  return out;
}

pipeline::ModelRoles RunModels::roles() const {
  const auto of = [](const std::optional<pipeline::ModelSide>& side) { return side ? &*side : nullptr; };
  return {of(parts), of(cutter), of(composer)};
}

Result<int> compose_rounds(const Arguments& arguments) {
  constexpr std::uint64_t kRounds = 5, kMost = 1000;
  const Result<std::uint64_t> rounds = arguments.whole_number("--compose-max-iters", kRounds);
  if (!rounds || *rounds < 1 || *rounds > kMost) return invalid_input(fmt::format("--compose-max-iters: a whole number from 1 to {}", kMost));
  return static_cast<int>(*rounds);
}

Result<RunModels> open_models(const Settings& settings, int compose_rounds, const std::function<Result<pipeline::Artifacts>()>& own, EventLog& log, pipeline::Spent before) {
  RunModels out;
  KA_ASSIGN(ModelChoice whole, choose_model(settings, "model", log));
  KA_ASSIGN(const ModelChoice parts, settings.text("dispatch_model").empty() ? Result<ModelChoice>(whole) : choose_model(settings, "dispatch_model", log));
  KA_ASSIGN(const std::optional<ModelChoice> cutter, named(settings, "extract_model", log));
  KA_ASSIGN(const std::optional<ModelChoice> composer, named(settings, "compose_model", log));
  KA_ASSIGN(out.route, route_question(settings, log));
  ModelChoice any = whole;
  for (const std::string& model : {parts.model, cutter ? cutter->model : "", composer ? composer->model : "", out.route ? out.route->model : ""}) {
    if (any.model.empty()) any.model = model;
  }
  if (any.model.empty()) return out;
  KA_ASSIGN(pipeline::Artifacts place, own());
  KA_ASSIGN(out.all, Models::open(settings, std::move(any), std::move(place), log, std::move(before)));
  if (!whole.model.empty()) out.whole.emplace(out.all->side_with(whole));
  if (!parts.model.empty()) out.parts.emplace(out.all->side_with(parts));
  if (cutter) out.cutter.emplace(out.all->side_with(*cutter));
  if (composer) {
    out.composer.emplace(out.all->side_with(*composer));
    out.composer->workers = 1;
    out.composer->rounds = compose_rounds;
  }
  return out;
}

Json bill_json(const pipeline::Spent& spent) {
  return {{"questions", spent.questions}, {"input_tokens", spent.usage.input_tokens}, {"output_tokens", spent.usage.output_tokens}, {"dollars", spent.usage.dollars}, {"limit", spent.limit}};
}

std::string bill(const pipeline::Spent& spent) {
  const llm::Usage& used = spent.usage;
  std::string out = fmt::format("{} question{} to language models, {} tokens", spent.questions, spent.questions == 1 ? "" : "s", used.input_tokens + used.output_tokens);
  if (used.dollars > 0) out += fmt::format(", {:.4f} dollars", used.dollars);
  if (!spent.limit.empty()) out += "; " + spent.limit + " was reached";
  return out;
}

}  // namespace ka::app

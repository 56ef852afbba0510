#include "pipeline/ask_route.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "synth/prompt/reply_json.h"

namespace ka::pipeline {
namespace {

// The other route follows by itself where one fails, so two of the four names say no more than the others.
struct Strategy {
  std::string_view name, taken_as;
};
constexpr std::array kStrategies = {Strategy{"kernelagent", "kernelagent"}, Strategy{"kernel_then_fuser", "kernelagent"}, Strategy{"fuser", "fuser"}, Strategy{"fuser_then_kernel", "fuser"}};

std::string text_of(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Result<model::Route> read_route(const model::Route& by_rules, const std::string& model, std::string_view answer) {
  KA_ASSIGN(const Json json, prompt::read_json_reply(answer));
  const std::string word = text_of(json, "strategy");
  const auto* const row = std::find_if(kStrategies.begin(), kStrategies.end(), [&](const Strategy& one) { return one.name == word; });
  if (row == kStrategies.end()) return invalid_input(fmt::format("its strategy is \"{}\"", elide_middle(word, 60)));
  model::Route out = by_rules;
  out.strategy = row->taken_as;
  out.decided_by = "model";
  out.model = model;
  const auto confidence = json.find("confidence");
  out.confidence = confidence != json.end() && confidence->is_number() ? std::clamp(confidence->get<double>(), 0.0, 1.0) : 0;
  out.rationale = elide_middle(text_of(json, "reason"), 400);
  return out;
}

}  // namespace

Result<model::Route> ask_route(const model::Route& by_rules, const std::string& program, const RouteQuestion& question, const ModelSide& side, const Means& means) {
  KA_ASSIGN(const std::string seed, side.conversations.seed());
  llm::ChatRequest request;
  request.model = question.model;
  request.temperature = question.temperature;
  request.max_output_tokens = question.max_tokens;
  request.effort = question.effort;
  KA_ASSIGN(request.messages, prompt::route_messages(side.prompts, {program, by_rules}, seed));
  Result<llm::ChatReply> reply = side.conversations.ask("route", request, means.cancel);
  if (!reply && reply.error().kind == ErrorKind::cancelled) return reply.error();
  Result<model::Route> out = reply ? read_route(by_rules, question.model, reply->answers.empty() ? "" : reply->answers[0].text) : Result<model::Route>(reply.error());
  if (out) return out;
  if (means.log != nullptr) means.log->warning("route", "model_ignored", fmt::format("{} has no answer that can be used ({}): the rules decide", question.model, out.error().message));
  return by_rules;
}

}  // namespace ka::pipeline

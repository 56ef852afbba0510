// Anthropic's Messages.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "synth/llm/wire.h"

namespace ka::llm {
namespace {

constexpr std::int64_t kLimitWithoutRow = 8192;  // the field is not optional
constexpr std::int64_t kLeastThinking = 1024;

std::int64_t thinking_budget(const std::string& effort, std::int64_t limit) {
  const std::int64_t wanted = effort == "low" ? 4096 : effort == "medium" ? 12288 : 24576;
  return std::min(wanted, limit / 2);
}

// Thinking takes no temperature beside it. True when it is on.
bool set_effort(Json& body, const ChatRequest& request, const Model& model, std::int64_t limit) {
  if (request.effort.empty()) return false;
  if (model.effort == EffortForm::adaptive) {
    body["thinking"] = {{"type", "adaptive"}};
    body["output_config"] = {{"effort", request.effort}};
    return true;
  }
  const std::int64_t budget = thinking_budget(request.effort, limit);
  if (model.effort != EffortForm::budget || budget < kLeastThinking) return false;
  body["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget}};
  return true;
}

WireRequest anthropic_request(const ChatRequest& request, const Model& model, const Server& server) {
  const std::int64_t known = output_limit(request, model), limit = known > 0 ? known : kLimitWithoutRow;
  Json body = {{"model", model.name}, {"messages", messages_json(request.messages, false)}, {"max_tokens", limit}, {"stream", true}};
  if (std::string system = system_text(request.messages); !system.empty()) body["system"] = std::move(system);
  if (!set_effort(body, request, model, limit) && request.temperature && model.temperature) body["temperature"] = std::clamp(*request.temperature, 0.0, 1.0);
  std::vector<os::HttpHeader> headers = {{"Content-Type", "application/json"}, {"anthropic-version", "2023-06-01"}};
  if (!server.key.empty()) headers.push_back({"x-api-key", server.key});
  return {"/v1/messages", std::move(headers), to_json_text(body)};
}

Finish anthropic_finish(const std::string& reason) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded" || reason == "pause_turn") return Finish::truncated;
  return reason == "refusal" ? Finish::refused : Finish::complete;
}

class AnthropicReader final : public ReplyReader {
 public:
  using ReplyReader::ReplyReader;

 private:
  Status take_event(const std::string&, const Json& json) override {
    const std::string type = text_of(json, "type");
    if (type == "message_start") {
      if (const Json* message = member(json, "message")) take_head(*message);
    } else if (type == "content_block_start") {
      if (const Json* block = member(json, "content_block")) return take_block(*block);
    } else if (type == "content_block_delta") {
      if (const Json* delta = member(json, "delta")) return take_block(*delta);
    } else if (type == "message_delta") {
      return take_delta(json);
    } else if (type == "message_stop") {
      end_stream();
      return add_text(0, "");
    }
    return ok();
  }

  Status take_document(const Json& json) override {
    take_head(json);
    const Json* content = member(json, "content");
    if (content == nullptr || !content->is_array()) return ok();
    for (const Json& block : *content) KA_TRY(take_block(block));
    return end_answer(0, anthropic_finish(text_of(json, "stop_reason")));
  }

  // A block, or a piece of one: its text counts, its thoughts do not.
  Status take_block(const Json& block) {
    const std::string type = text_of(block, "type");
    if (type.find("thinking") != std::string::npos) thinks();
    return type == "text" || type == "text_delta" ? add_text(0, text_of(block, "text")) : ok();
  }

  Status take_delta(const Json& json) {
    if (const Json* usage = member(json, "usage")) take_usage(*usage);
    const Json* delta = member(json, "delta");
    const std::string reason = delta != nullptr ? text_of(*delta, "stop_reason") : "";
    return reason.empty() ? ok() : end_answer(0, anthropic_finish(reason));
  }

  void take_head(const Json& message) {
    reply_.id = text_of(message, "id");
    reply_.model = text_of(message, "model");
    if (const Json* usage = member(message, "usage")) take_usage(*usage);
  }

  // Each count is the last one given; input comes in three parts of different price.
  void take_usage(const Json& usage) {
    if (member(usage, "input_tokens") != nullptr) {
      reply_.usage.cached_tokens = count_of(usage, "cache_read_input_tokens");
      reply_.usage.input_tokens = count_of(usage, "input_tokens") + count_of(usage, "cache_creation_input_tokens") + reply_.usage.cached_tokens;
    }
    if (member(usage, "output_tokens") != nullptr) reply_.usage.output_tokens = count_of(usage, "output_tokens");
  }
};

}  // namespace

const Wire kAnthropic = {"anthropic messages", false, anthropic_request,
                         [](int samples, OnText on_text) -> std::unique_ptr<ReplyReader> { return std::make_unique<AnthropicReader>(samples, std::move(on_text)); }};

}  // namespace ka::llm

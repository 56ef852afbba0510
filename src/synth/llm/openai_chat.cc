// OpenAI's Chat Completions, and the many servers that speak it (vLLM, llama.cpp, Ollama, DeepSeek).
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "synth/llm/openai.h"

namespace ka::llm {
namespace {

constexpr std::string_view kOfficialHost = "https://api.openai.com/";

Finish chat_finish(const std::string& reason) {
  if (reason == "length") return Finish::truncated;
  return reason == "content_filter" ? Finish::refused : Finish::complete;
}

Usage chat_usage(const Json& json) {
  Usage usage;
  usage.input_tokens = count_of(json, "prompt_tokens");
  usage.output_tokens = count_of(json, "completion_tokens");
  if (const Json* details = member(json, "prompt_tokens_details")) usage.cached_tokens = count_of(*details, "cached_tokens");
  if (const Json* details = member(json, "completion_tokens_details")) usage.reasoning_tokens = count_of(*details, "reasoning_tokens");
  return usage;
}

WireRequest chat_request(const ChatRequest& request, const Model& model, const Server& server) {
  Json body = {{"model", model.name}, {"messages", messages_json(request.messages, true)}, {"stream", true}, {"stream_options", {{"include_usage", true}}}};
  const bool thinks = model.effort != EffortForm::none;
  // Older servers know max_tokens alone; OpenAI's own refuse it for models that reason.
  const char* limit = thinks || server.base_url.starts_with(kOfficialHost) ? "max_completion_tokens" : "max_tokens";
  if (const std::int64_t tokens = output_limit(request, model); tokens > 0) body[limit] = tokens;
  if (request.temperature && model.temperature) body["temperature"] = *request.temperature;
  if (!request.effort.empty() && thinks) body["reasoning_effort"] = request.effort;
  if (request.samples > 1) body["n"] = request.samples;
  return {"/chat/completions", openai_headers(server), to_json_text(body)};
}

}  // namespace

std::vector<os::HttpHeader> openai_headers(const Server& server) {
  std::vector<os::HttpHeader> headers = {{"Content-Type", "application/json"}};
  if (!server.key.empty()) headers.push_back({"Authorization", "Bearer " + server.key});
  return headers;
}

Status ChatShapeReader::take_event(const std::string&, const Json& json) { return take_choices(json, "delta"); }

Status ChatShapeReader::take_document(const Json& json) { return take_choices(json, "message"); }

Status ChatShapeReader::take_choices(const Json& json, const char* part) {
  if (std::string id = text_of(json, "id"); !id.empty()) reply_.id = std::move(id);
  if (std::string model = text_of(json, "model"); !model.empty()) reply_.model = std::move(model);
  if (const Json* usage = member(json, "usage")) reply_.usage = chat_usage(*usage);
  const Json* choices = member(json, "choices");
  if (choices == nullptr || !choices->is_array()) return ok();
  for (const Json& choice : *choices) KA_TRY(take_choice(choice, part));
  return ok();
}

Status ChatShapeReader::take_choice(const Json& choice, const char* part) {
  const std::int64_t sample = count_of(choice, "index");
  if (const Json* delta = member(choice, part)) {
    for (const char* thought : {"reasoning_content", "reasoning"})
      if (!text_of(*delta, thought).empty()) thinks();
    KA_TRY(add_text(sample, text_of(*delta, "content")));
    if (const std::string no = text_of(*delta, "refusal"); !no.empty()) KA_TRY(refuse(sample, no));
  }
  if (const std::string reason = text_of(choice, "finish_reason"); !reason.empty()) {
    KA_TRY(end_answer(sample, chat_finish(reason)));
    ended_.insert(sample);
  }
  end_stream(ended_.size() >= reply_.answers.size());
  return ok();
}

const Wire kOpenAiChat = {"openai chat completions", true, chat_request,
                          [](int samples, OnText on_text) -> std::unique_ptr<ReplyReader> { return std::make_unique<ChatShapeReader>(samples, std::move(on_text)); }};

}  // namespace ka::llm

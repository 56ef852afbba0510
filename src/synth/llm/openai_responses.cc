// OpenAI's Responses.
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "synth/llm/openai.h"

namespace ka::llm {
namespace {

WireRequest responses_request(const ChatRequest& request, const Model& model, const Server& server) {
  Json body = {{"model", model.name}, {"input", messages_json(request.messages, false)}, {"stream", true}, {"store", false}};
  if (std::string system = system_text(request.messages); !system.empty()) body["instructions"] = std::move(system);
  if (const std::int64_t tokens = output_limit(request, model); tokens > 0) body["max_output_tokens"] = tokens;
  if (request.temperature && model.temperature) body["temperature"] = *request.temperature;
  if (!request.effort.empty() && model.effort != EffortForm::none) body["reasoning"] = {{"effort", request.effort}};
  return {"/responses", openai_headers(server), to_json_text(body)};
}

Usage responses_usage(const Json& json) {
  Usage usage;
  usage.input_tokens = count_of(json, "input_tokens");
  usage.output_tokens = count_of(json, "output_tokens");
  if (const Json* details = member(json, "input_tokens_details")) usage.cached_tokens = count_of(*details, "cached_tokens");
  if (const Json* details = member(json, "output_tokens_details")) usage.reasoning_tokens = count_of(*details, "reasoning_tokens");
  return usage;
}

class ResponsesReader final : public ReplyReader {
 public:
  using ReplyReader::ReplyReader;

 private:
  Status take_event(const std::string&, const Json& json) override {
    const std::string type = text_of(json, "type");
    if (type == "response.output_text.delta") return add_text(0, text_of(json, "delta"));
    if (type == "response.refusal.delta") return refuse(0, text_of(json, "delta"));
    if (type.starts_with("response.reasoning")) thinks();
    const Json* response = member(json, "response");
    if (response == nullptr) return ok();
    // A failed response has its error inside, which is also where a stream of a cut connection ends.
    if (const std::optional<Error> error = error_in(*response)) return *error;
    take_head(*response);
    if (type != "response.completed" && type != "response.incomplete") return ok();
    // A server that gives no deltas gives the text here.
    if (reply_.answers.empty() || reply_.answers[0].text.empty()) KA_TRY(take_output(*response));
    return take_end(*response);
  }

  Status take_document(const Json& json) override {
    if (member(json, "output") == nullptr) return ok();
    take_head(json);
    KA_TRY(take_output(json));
    return take_end(json);
  }

  void take_head(const Json& response) {
    if (std::string id = text_of(response, "id"); !id.empty()) reply_.id = std::move(id);
    if (std::string model = text_of(response, "model"); !model.empty()) reply_.model = std::move(model);
    if (const Json* usage = member(response, "usage")) reply_.usage = responses_usage(*usage);
  }

  Status take_output(const Json& response) {
    const Json* output = member(response, "output");
    if (output == nullptr || !output->is_array()) return ok();
    for (const Json& item : *output) {
      const Json* content = member(item, "content");
      if (text_of(item, "type") != "message" || content == nullptr || !content->is_array()) continue;
      for (const Json& part : *content) {
        KA_TRY(add_text(0, text_of(part, "text")));
        if (const std::string no = text_of(part, "refusal"); !no.empty()) KA_TRY(refuse(0, no));
      }
    }
    return ok();
  }

  Status take_end(const Json& response) {
    const Json* details = member(response, "incomplete_details");
    const std::string reason = details != nullptr ? text_of(*details, "reason") : "";
    Finish finish = text_of(response, "status") == "incomplete" ? Finish::truncated : Finish::complete;
    if (reason == "content_filter") finish = Finish::refused;
    end_stream();
    return end_answer(0, finish);
  }
};

}  // namespace

const Wire kOpenAiResponses = {"openai responses", false, responses_request,
                               [](int samples, OnText on_text) -> std::unique_ptr<ReplyReader> { return std::make_unique<ResponsesReader>(samples, std::move(on_text)); }};

}  // namespace ka::llm

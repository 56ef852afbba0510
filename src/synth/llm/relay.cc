// A relay of one's own: the whole question is posted to the server's root, the answers come back as an array of {"output": text}. A relay
// that answers in the shape of Chat Completions is understood too.
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "synth/llm/openai.h"

namespace ka::llm {
namespace {

constexpr std::int64_t kRelayTokens = 8192;
constexpr double kRelayTemperature = 0.7;

WireRequest relay_request(const ChatRequest& request, const Model& model, const Server&) {
  const std::int64_t tokens = output_limit(request, model);
  Json body = {{"model", model.name}, {"messages", messages_json(request.messages, true)}, {"max_tokens", tokens > 0 ? tokens : kRelayTokens},
               {"temperature", request.temperature.value_or(kRelayTemperature)}, {"top_p", 1}, {"n", request.samples}};
  if (!request.effort.empty()) body["reasoning"] = {{"effort", request.effort}};
  return {"/", {{"Content-Type", "application/json"}}, to_json_text(body)};
}

class RelayReader final : public ChatShapeReader {
 public:
  using ChatShapeReader::ChatShapeReader;

 private:
  Status take_document(const Json& json) override {
    if (json.is_object() && member(json, "choices") != nullptr) return ChatShapeReader::take_document(json);
    if (json.is_object()) return take_row(json, 0);
    std::int64_t sample = 0;
    for (const Json& row : json) KA_TRY(take_row(row, sample++));
    return ok();
  }

  Status take_row(const Json& row, std::int64_t sample) {
    if (const std::optional<Error> error = error_in(row)) return *error;
    const Json* output = member(row, "output");
    if (output == nullptr || !output->is_string()) return ok();
    if (std::string id = text_of(row, "plugboard_request_id"); !id.empty()) reply_.id = std::move(id);
    return add_text(sample, output->get_ref<const std::string&>());
  }
};

}  // namespace

const Wire kRelay = {"relay", true, relay_request,
                     [](int samples, OnText on_text) -> std::unique_ptr<ReplyReader> { return std::make_unique<RelayReader>(samples, std::move(on_text)); }};

}  // namespace ka::llm

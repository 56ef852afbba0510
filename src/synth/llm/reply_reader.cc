#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "synth/llm/failure.h"
#include "synth/llm/wire.h"

namespace ka::llm {
namespace {

constexpr std::size_t kMaxDocumentBytes = std::size_t{8} << 20;  // as JSON in memory it may have forty times as many
constexpr std::int64_t kTokensOfAMessage = 16;
constexpr std::int64_t kLeastOutput = 1024;

Error broken(std::string message) { return Error{ErrorKind::network, std::move(message)}; }

}  // namespace

ReplyReader::ReplyReader(int samples, OnText on_text)
    : samples_(std::clamp(samples, 1, kMostSamples)), on_text_(std::move(on_text)), sse_([this](const SseEvent& event) { return take_sse(event); }) {}

Status ReplyReader::feed(std::string_view bytes) {
  if (form_ == Form::events) return sse_.feed(bytes);
  if (document_.size() + bytes.size() > kMaxDocumentBytes) return unsupported(fmt::format("an answer has more than {} bytes", kMaxDocumentBytes));
  document_ += bytes;
  return form_ == Form::document ? ok() : choose_form();
}

// Servers do not always say what they send, so the first character decides: no event stream begins like JSON or HTML.
Status ReplyReader::choose_form() {
  const std::size_t first = document_.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return ok();
  if (document_[first] == '<') return unsupported("the server answered with a page of HTML, so its address is probably not that of a model");
  form_ = document_[first] == '{' || document_[first] == '[' ? Form::document : Form::events;
  return form_ == Form::events ? sse_.feed(std::exchange(document_, {})) : ok();
}

Status ReplyReader::finish() {
  if (form_ == Form::unknown) return broken("the server answered with nothing");
  if (form_ == Form::document) {
    const Result<Json> json = parse_json(document_, "answer");
    if (!json) return broken(fmt::format("the server's answer is no JSON: {}", plain_words(json.error().message)));
    if (const std::optional<Error> error = error_in(*json)) return *error;
    KA_TRY(take_document(*json));
    if (reply_.answers.empty()) return unsupported("the server's JSON has no answer in it");
    return ok();
  }
  KA_TRY(sse_.finish());
  const bool all_ended = !reply_.answers.empty() && whole_;
  if (all_ended) return ok();
  if (!begun_) return broken("the stream ended before it had any text");
  std::size_t bytes = 0;
  for (const Answer& each : reply_.answers) bytes += each.text.size();
  return broken(fmt::format("the stream was cut after {} bytes of text", bytes));
}

Status ReplyReader::take_sse(const SseEvent& event) {
  if (event.data == "[DONE]") {
    if (!reply_.answers.empty()) whole_ = true;
    return ok();
  }
  if (event.data.empty()) return ok();
  const Result<Json> json = parse_json(event.data, "event");
  if (!json) return broken(fmt::format("the stream has an event that is no JSON: {}", plain_words(json.error().message)));
  if (const std::optional<Error> error = error_in(*json)) return *error;
  return take_event(event.name, *json);
}

Result<Answer*> ReplyReader::answer(std::int64_t sample) {
  if (sample < 0 || sample >= samples_) return unsupported(fmt::format("the server sent answer {} where {} were asked for", sample, samples_));
  const auto index = static_cast<std::size_t>(sample);
  if (reply_.answers.size() <= index) reply_.answers.resize(index + 1);
  return &reply_.answers[index];
}

Status ReplyReader::add_text(std::int64_t sample, std::string_view text) {
  KA_ASSIGN(Answer * found, answer(sample));
  if (text.empty()) return ok();
  begun_ = true;
  found->text += text;
  if (sample == 0 && on_text_) on_text_(text);
  return ok();
}

Status ReplyReader::refuse(std::int64_t sample, std::string_view text) {
  KA_TRY(add_text(sample, text));
  return end_answer(sample, Finish::refused);
}

Status ReplyReader::end_answer(std::int64_t sample, Finish finish) {
  KA_ASSIGN(Answer * found, answer(sample));
  if (found->finish != Finish::refused) found->finish = finish;
  return ok();
}

const Json* member(const Json& json, std::string_view name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const Json& json, std::string_view name) {
  const Json* found = member(json, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t count_of(const Json& json, std::string_view name) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  const Json* found = member(json, name);
  if (found == nullptr || !found->is_number_integer()) return 0;
  if (found->is_number_unsigned()) return static_cast<std::int64_t>(std::min<std::uint64_t>(found->get<std::uint64_t>(), kMost));
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kMost);
}

std::int64_t output_limit(const ChatRequest& request, const Model& model) {
  std::int64_t limit = request.max_output_tokens > 0 ? request.max_output_tokens : model.output_tokens;
  if (model.output_tokens > 0) limit = std::min(limit, model.output_tokens);
  if (model.context_tokens <= 0 || limit <= 0) return limit;
  // Providers refuse a question whose answer might not fit beside it. A token has three bytes or more, nearly always.
  std::int64_t asked = 0;
  for (const Message& message : request.messages) asked += static_cast<std::int64_t>(message.text.size()) / 3 + kTokensOfAMessage;
  return std::clamp<std::int64_t>(model.context_tokens - asked, std::min(limit, kLeastOutput), limit);
}

Json messages_json(const std::vector<Message>& messages, bool with_system) {
  constexpr auto name = [](Role role) { return role == Role::system ? "system" : role == Role::user ? "user" : "assistant"; };
  Json out = Json::array();
  for (const Message& message : messages)
    if (with_system || message.role != Role::system) out.push_back({{"role", name(message.role)}, {"content", message.text}});
  return out;
}

std::string system_text(const std::vector<Message>& messages) {
  std::string out;
  for (const Message& message : messages)
    if (message.role == Role::system) out += (out.empty() ? "" : "\n\n") + message.text;
  return out;
}

}  // namespace ka::llm

// The wire forms of providers: how a question is written, how an answer is read. One file and one row each; none of them touches a socket.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "os/http.h"
#include "synth/llm/chat.h"
#include "synth/llm/models.h"
#include "synth/llm/sse.h"

namespace ka::llm {

inline constexpr int kMostSamples = 64;

// What one call has given so far.
struct Reply {
  std::vector<Answer> answers;
  Usage usage;
  std::string model, id;
};

// Reads one reply from pieces of any size: a stream of events, or one JSON document where the server does not stream. Errors of the kinds
// `network` and `timeout` may go away when the question is asked again, others will not.
class ReplyReader {
 public:
  ReplyReader(int samples, OnText on_text);
  virtual ~ReplyReader() = default;
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  Status feed(std::string_view bytes);
  // The connection has ended: an error unless the reply is whole.
  Status finish();
  // Text or thoughts have come.
  bool begun() const { return begun_; }
  const Reply& reply() const { return reply_; }

 protected:
  virtual Status take_event(const std::string& name, const Json& json) = 0;
  virtual Status take_document(const Json& json) = 0;

  Status add_text(std::int64_t sample, std::string_view text);
  Status end_answer(std::int64_t sample, Finish finish);
  Status refuse(std::int64_t sample, std::string_view text);  // the model's own words for no
  void end_stream(bool whole = true) { whole_ = whole; }
  void thinks() { begun_ = true; }
  Reply reply_;

 private:
  enum class Form { unknown, events, document };
  Status choose_form();
  Status take_sse(const SseEvent& event);
  Result<Answer*> answer(std::int64_t sample);

  int samples_;
  OnText on_text_;
  SseReader sse_;
  std::string document_;  // also what came before the form was known
  Form form_ = Form::unknown;
  bool begun_ = false, whole_ = false;
};

// Where a question goes.
struct Server {
  Provider provider = Provider::openai;
  std::string base_url;      // without a slash at its end
  std::string key;           // empty: none is sent
  std::string key_variable;  // that it came from
};

struct WireRequest {
  std::string path;  // after the base URL
  std::vector<os::HttpHeader> headers;
  std::string body;
};

struct Wire {
  std::string_view name;
  bool several_samples;  // in one call
  WireRequest (*request)(const ChatRequest& request, const Model& model, const Server& server);
  std::unique_ptr<ReplyReader> (*reader)(int samples, OnText on_text);
};

extern const Wire kOpenAiResponses, kOpenAiChat, kAnthropic, kRelay;
std::span<const Wire* const> all_wires();

// Small readers of foreign JSON: what is missing or of another type is empty, zero or null.
const Json* member(const Json& json, std::string_view name);
std::string text_of(const Json& json, std::string_view name);
std::int64_t count_of(const Json& json, std::string_view name);

// The error of a provider, given inside a stream or a body: {"error": {"type", "code", "message"}} and its relatives. Nothing when there is none.
std::optional<Error> error_in(const Json& json);

// The tokens that an answer may have: what was asked for, as far as the model has them and the question leaves room; 0 when nothing is known.
std::int64_t output_limit(const ChatRequest& request, const Model& model);
// Messages in the form that most wires share.
Json messages_json(const std::vector<Message>& messages, bool with_system);
std::string system_text(const std::vector<Message>& messages);

}  // namespace ka::llm

// A conversation with a language model: what is asked, what comes back, what it cost. Providers stand behind this interface, and so do
// recordings, budgets and tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/cancel.h"

namespace ka::llm {

enum class Role { system, user, assistant };

struct Message {
  Role role = Role::user;
  std::string text;
  bool operator==(const Message&) const = default;
};

struct ChatRequest {
  std::string model;  // as the user wrote it
  std::vector<Message> messages;
  std::string effort;                 // of reasoning: low, medium, high; empty: the model's own
  std::optional<double> temperature;  // left out where the model takes none
  std::int64_t max_output_tokens = 0; // 0: what the model's row says
  int samples = 1;                    // answers to the same question
};

// Tokens are the provider's count; zero where it tells none.
struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t cached_tokens = 0;     // of the input, at a lower price
  std::int64_t output_tokens = 0;     // with those of reasoning
  std::int64_t reasoning_tokens = 0;  // of the output
  double dollars = 0;                 // zero where the price is not known
  bool operator==(const Usage&) const = default;
};

enum class Finish { complete, truncated, refused };

struct Answer {
  std::string text;
  Finish finish = Finish::complete;
  bool operator==(const Answer&) const = default;
};

struct ChatReply {
  std::vector<Answer> answers;  // as many as samples were asked for; fewer, at least one, where some of the calls failed
  Usage usage;                  // of all of them, and of attempts that failed after they had begun to answer
  std::string model;            // that answered, in the provider's words
  std::string provider;
  std::string id;      // the provider's, for its support
  int retries = 0;
  double seconds = 0;  // from the first attempt to the last byte
};

// A piece of the first answer, as it comes. After a retry the answer begins again.
using OnText = std::function<void(std::string_view)>;

// May be used from several threads.
class Chat {
 public:
  virtual ~Chat() = default;
  // Errors: `environment` (no key), `network` (no such server, a limit of the provider, a cut stream after all retries), `timeout`, `cancelled` (within 0.2 s),
  // `invalid_input` (the request is one that the provider refuses). Never with a key in the text.
  virtual Result<ChatReply> ask(const ChatRequest& request, const os::CancelToken& cancel, const OnText& on_text = {}) = 0;
};

}  // namespace ka::llm

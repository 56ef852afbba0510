// From the name of a model to a conversation with it: which provider, at which address, with which key.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/redact.h"
#include "base/result.h"
#include "synth/llm/attempt.h"
#include "synth/llm/chat.h"
#include "synth/llm/models.h"
#include "synth/llm/retry.h"
#include "synth/llm/wire.h"

namespace ka::llm {

struct ChatOptions {
  std::string provider;  // of several that offer the model: "openai", "anthropic" or "relay"; empty: the first that is usable
  Redactor* redactor = nullptr;  // borrowed, learns the key before anything is sent
  ChatTimes times;
  RetryPolicy retry;
  std::optional<std::uint64_t> seed;  // of the waits between retries; by chance without one
};

// Where the questions for a model go.
struct Road {
  Model model;
  Server server;
  const Wire* wire = nullptr;
};

// The first provider of the model that can be used with these variables. The error is one sentence: `environment` (no key: "your-api-key-here" counts as none; a build without
// an HTTP client) or `invalid_input` (an address or a file of models that cannot be used).
//   OPENAI_API_KEY OPENAI_BASE_URL OPENAI_API (responses, chat)   ANTHROPIC_API_KEY ANTHROPIC_BASE_URL   LLM_RELAY_URL   KERNELAGENT_MODELS
Result<Road> find_road(const Model& model, const Lookup& lookup);
Result<Road> find_road(const std::string& model, const Lookup& lookup);

// A conversation with the model; nothing is sent yet. Errors as above. LLM_RELAY_TIMEOUT_S is the relay's time for a whole question (600).
// `ask` retries, and asks for several samples in one call where the provider can do that, else in calls side by side.
Result<std::unique_ptr<Chat>> open_chat(const std::string& model, const Lookup& lookup, const ChatOptions& options = {});

}  // namespace ka::llm

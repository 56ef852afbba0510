// One question on the wire, once: the answer, or what went wrong.
#pragma once

#include <chrono>
#include <optional>

#include "os/clock.h"
#include "os/http.h"
#include "synth/llm/failure.h"
#include "synth/llm/wire.h"

namespace ka::llm {

// How long a provider may take. Thoughts that are sent count as text.
struct ChatTimes {
  std::chrono::milliseconds connect{15'000};
  std::chrono::milliseconds first_text{600'000};   // models may think for minutes without a word
  std::chrono::milliseconds idle{120'000};         // between two pieces, once text has begun
  std::chrono::milliseconds total{1'200'000};      // of a question with all its retries
};

struct Attempt {
  Reply reply;  // also what came before a failure
  bool begun = false;
  std::optional<Failure> failure;
};

// Never cancelled or late by itself: the error kinds of both are among the failures.
Attempt ask_once(os::HttpClient& http, const Wire& wire, const Server& server, const Model& model, const ChatRequest& request, const ChatTimes& times, os::Deadline deadline,
                 const os::CancelToken& cancel, const OnText& on_text);

}  // namespace ka::llm

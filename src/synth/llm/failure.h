// What went wrong at a provider, as one sentence, and whether asking again may help.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/wall_time.h"
#include "os/http.h"
#include "synth/llm/wire.h"

namespace ka::llm {

struct Failure {
  Error error;
  bool again = false;                                    // may go away by itself
  std::optional<std::chrono::milliseconds> retry_after;  // what the server asked for
};

// An answer with a status from 400 on; of its body, what was kept.
Failure failure_of(const os::HttpHead& head, std::string_view body, const Server& server, WallTime now);
// An error of the connection or of a reply reader.
Failure failure_of(const Error& error, const Server& server);

// Retry-After: seconds, or a date; nothing for anything else. Never below zero.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view text, WallTime now);

// Foreign text for a message: one line, no control characters, at most 300 bytes.
std::string plain_words(std::string_view text);

}  // namespace ka::llm

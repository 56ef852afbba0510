// What the two wire forms of OpenAI, and a relay that answers like one of them, share.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "synth/llm/wire.h"

namespace ka::llm {

std::vector<os::HttpHeader> openai_headers(const Server& server);

// Reads the shape of Chat Completions, streamed ("delta") or whole ("message").
class ChatShapeReader : public ReplyReader {
 public:
  using ReplyReader::ReplyReader;

 protected:
  Status take_event(const std::string& name, const Json& json) override;
  Status take_document(const Json& json) override;

 private:
  Status take_choices(const Json& json, const char* part);
  Status take_choice(const Json& choice, const char* part);
  std::set<std::int64_t> ended_;  // samples
};

}  // namespace ka::llm

#include "synth/prompt/reply_json.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "synth/prompt/fences.h"
#include "synth/prompt/reply.h"
#include "synth/prompt/reply_text.h"

namespace ka::prompt {

Result<Json> read_json_reply(std::string_view reply) {
  constexpr const char* kWanted = "answer with one JSON object and nothing else";
  if (reply.size() > kMaxReplyBytes) return invalid_input(std::string("the reply is too long; ") + kWanted);
  const std::string text = clean(reply).text;
  std::vector<std::string> tried = {trim(text)};
  for (const Block& block : find_blocks(text))
    if (block.language == Language::json || block.language == Language::unknown) tried.push_back(trim(block.text));
  const std::size_t open = text.find('{'), close = text.rfind('}');
  if (open != std::string::npos && close != std::string::npos && open < close) tried.push_back(text.substr(open, close - open + 1));
  std::string complaint = "no JSON object was found";
  for (const std::string& piece : tried) {
    if (!starts_with(piece, "{")) continue;
    Result<Json> json = parse_json(piece, "the JSON object cannot be read");
    if (json && json->is_object()) return json;
    if (!json) complaint = excerpt(json.error().message, 200);
  }
  return invalid_input(complaint + "; " + kWanted);
}

}  // namespace ka::prompt

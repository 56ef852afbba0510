// Answers that are data: the JSON object of a reply, bare, in a fence, or with prose around it.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace ka::prompt {

// Bad input: one sentence for the model.
Result<Json> read_json_reply(std::string_view reply);

}  // namespace ka::prompt

// What a caller of the C interface asks for, as the command line that does it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ka::capi {

struct JobRequest {
  std::vector<std::string> words;        // after the program's name
  std::vector<std::string> environment;  // all of it, "A=b"
  std::string folder;                    // empty: the current one
};

// kernelagent.h says what the text looks like. `environment`: of this process.
Result<JobRequest> parse_request(std::string_view text, const std::vector<std::string>& environment);

}  // namespace ka::capi

// Whether a program can be composed of the given parts, as far as names tell.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "compose/compose.h"

namespace ka::compose {

// A name that Python accepts and that we would write: letters, digits and underscores, no keyword, not two underscores first.
bool is_identifier(std::string_view name);

// invalid_input with one sentence about the first thing that is wrong.
Status check(const Program& program, const std::vector<Part>& parts);

// `names`: those in what the program returns.
Status check_returned(const Program& program, const std::vector<std::string>& names);

}  // namespace ka::compose

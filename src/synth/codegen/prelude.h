// Functions that several kernels share, and host code; a file has those that its texts name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ka::codegen {

// The texts that are named in `texts`, and those that these name, each before its users.
std::vector<std::string_view> shared_functions(std::string texts);

}  // namespace ka::codegen

// kernelagent explain RUN
#pragma once

#include <array>

#include "app/cli/command.h"

namespace ka::app {

inline constexpr auto kExplainFlags = std::to_array<Flag>({
    {"--root", "DIR", "the folder whose .fuse and .optimize hold the runs (default: the current one)"},
    {"--json", "", "print one JSON object, with everything that the text leaves out"},
});

Result<int> run_explain(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

// kernelagent models: the language models that are known, which of them can be asked now, and why not.
#pragma once

#include <array>

#include "app/cli/command.h"

namespace ka::app {

inline constexpr auto kModelsFlags = std::to_array<Flag>({
    {"--json", "", "print the table as one JSON object"},
});

Result<int> run_models(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

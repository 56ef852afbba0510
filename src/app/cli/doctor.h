// kernelagent doctor: what this machine has, line by line, each with the remedy for what it lacks.
#pragma once

#include <array>

#include "app/cli/command.h"

namespace ka::app {

inline constexpr auto kDoctorFlags = std::to_array<Flag>({
    {"--config", "FILE", "a YAML file whose settings are shown too (docs/settings.md)"},
    {"--measure-ceilings", "", "measure what the GPU reaches at best (20 s), keep it for optimize and profile, and show it beside the data sheet"},
    {"--json", "", "print the findings as one JSON object"},
});

Result<int> run_doctor(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

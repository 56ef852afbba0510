// kernelagent report RUN [--out FILE]
#pragma once

#include <array>

#include "app/cli/command.h"

namespace ka::app {

inline constexpr auto kReportFlags = std::to_array<Flag>({
    {"--out", "FILE",
     "where the page goes (default: report.html in the folder of the run; - for standard output)"},
    {"--root", "DIR", "the folder whose .fuse and .optimize hold the runs (default: the current one)"},
});

Result<int> run_report(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

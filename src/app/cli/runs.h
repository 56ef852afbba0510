// kernelagent runs [list|show RUN|rm RUN...|gc]
#pragma once

#include <array>

#include "app/cli/command.h"

namespace ka::app {

inline constexpr auto kRunsFlags = std::to_array<Flag>({
    {"--root", "DIR", "the folder whose .fuse and .optimize hold the runs (default: the current one)"},
    {"--older-than", "TIME", "gc: runs that began longer ago go, such as 12h, 7d or 2w"},
    {"--larger-than", "SIZE",
     "gc: the oldest runs go until all together are no larger, such as 500MB or 2GiB"},
    {"--keep", "N", "gc: the N newest runs stay in any case; alone: all others go"},
    {"--dry-run", "", "gc: say what would go and remove nothing"},
    {"--json", "", "list and show: print JSON"},
});

// The folder that --root names, and the path of the one run that the command is about.
Result<std::string> runs_root(const Arguments& arguments);
Result<std::string> named_run(const Arguments& arguments);

Result<int> run_runs(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

// kernelagent runs [list|show RUN|rm RUN...|gc|winners]
#pragma once

#include "app/cli/command.h"
#include "app/cli/settings_table.h"

namespace ka::app {

inline constexpr auto kRunsFlags = with_settings<kStore>({
    {"--root", "DIR", "the folder whose .fuse and .optimize hold the runs (default: the current one)"},
    {"--older-than", "TIME", "gc: runs that began longer ago go, such as 12h, 7d or 2w"},
    {"--larger-than", "SIZE",
     "gc: the oldest runs go until all together are no larger, such as 500MB or 2GiB"},
    {"--keep", "N", "gc: the N newest runs stay in any case; alone: all others go"},
    {"--dry-run", "", "gc: say what would go and remove nothing"},
    {"--export", "FILE", "winners: write all of them, kernels included, to one JSON file"},
    {"--import", "FILE", "winners: take those of such a file that are faster than what is known"},
    {"--remove", "SIGNATURE", "winners: remove those of a program, by the beginning of its signature"},
    {"--rebuild", "", "winners: put in what the runs below .optimize have found"},
    {"--json", "", "list, show and winners: print JSON"},
});

// The folder that --root names, and the path of the one run that the command is about.
Result<std::string> runs_root(const Arguments& arguments);
Result<std::string> named_run(const Arguments& arguments);

Result<int> run_runs(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

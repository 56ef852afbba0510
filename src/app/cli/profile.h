// kernelagent profile --problem P.py --kernel K.py
#pragma once

#include "app/cli/command.h"
#include "app/cli/settings_table.h"

namespace ka::app {

inline constexpr auto kProfileFlags = with_settings<kNoFlag>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--kernel", "FILE", "the kernel file to look at; it is not judged"},
    {"--entry", "NAME", "its entry (default: kernel_function, else ModelNew)"},
    {"--gpu", "NAME", "the GPU to compile for (default: this machine's, else h200)"},
    {"--static", "", "the compiled code alone, also where there are hardware counters"},
    {"--out", "DIR", "leave profile.json and diagnosis.json there: a run directory that is new, empty or of an earlier run"},
    {"--precision", "TIER", "fp32, tf32 or half: how accurate the kernel must be; then the diagnosis says what that leaves unused"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--timeout", "SECONDS", "limit for finding the launches, for compiling each of them (default 60), and for Nsight Compute (300)"},
    {"--memory", "GIB", "memory that the programs may use (default: half of what is free, at most 16)"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print one JSON object: profile and diagnosis"},
});

Result<int> run_profile(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

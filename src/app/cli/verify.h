// kernelagent verify --problem P.py --kernel K.py
#pragma once

#include "app/cli/command.h"
#include "app/cli/settings_table.h"
#include "verify/judge.h"

namespace ka::app {

inline constexpr auto kVerifyFlags = with_settings<kNoFlag>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--kernel", "FILE", "the kernel file to judge"},
    {"--entry", "NAME", "its entry (default: kernel_function, else ModelNew)"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate the kernel must be"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "cpu (Triton's interpreter), cuda, or auto: cuda where there is a GPU and then the interpreter too"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--require-general", "", "refuse a kernel that is right for the given sizes only"},
    {"--require-buffers", "", "refuse a kernel that does not update the module's buffers"},
    {"--require-sandbox", "LEVEL", "refuse to run below this level: process, isolated or full"},
    {"--target-arch", "N", "compute capability to compile for without a GPU (default 90)"},
    {"--no-compile", "", "do not compile for the target GPU when running in the interpreter"},
    {"--test", "FILE", "a test script that must pass as well: prints PASS, exits with 0 (docs/judge.md)"},
    {"--out", "DIR", "leave verdict.json and events.jsonl there"},
    {"--verbose", "", "say on the terminal what is being done"},
    {"--json", "", "print the verdict as one JSON object"},
});

// The judge's options as the flags say, with this machine's defaults.
Result<verify::JudgeOptions> judge_options(const Arguments& arguments);

Result<int> run_verify(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

// kernelagent generate --problem P.py
#pragma once

#include "app/cli/command.h"
#include "app/cli/settings_table.h"

namespace ka::app {

inline constexpr auto kGenerateFlags = with_settings<kKernels>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--out", "DIR", "the run directory: new, empty, or of an earlier run (default: a folder of its own below .fuse)"},
    {"--platform", "NAME", "cuda or xpu: the device that the file names where its arguments do not tell (default cuda)"},
    {"--target-platform", "NAME", "the same"},
    {"--gpu", "NAME", "the GPU whose facts decide tiles and ways of computing: h200 (the default), h100, b200, a100, l40s, rtx4090, max1550"},
    {"--forms", "LIST", "forms of kernels to write: descriptors, conv_tiles, persistent, shared_rows, graphs, with commas between them; none or all (default: those that win on that GPU)"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate products must be"},
    {"--emit", "FORM", "kernel (kernel_function, the default) or kernelbench (the class ModelNew)"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "where the kernel is verified: cpu (Triton's interpreter), cuda, or auto: cuda where there is a GPU and then the interpreter too"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--no-winners", "", "take no kernel that an earlier search has found (docs/winners.md)"},
    {"--no-algebraic", "", "leave out rewrites that change the amount of work, such as a sum through a matrix product"},
    {"--verify", "", "verify the kernel with the judge: the default, for the sake of being said"},
    {"--no-verify", "", "write the kernel only"},
    {"--explain", "", "print the route, the graph, the kernels it became, what they cost, and why it was decided so"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print one JSON object: verdict, route, kernels, files and times"},
    {"--list-operators", "", "print the PyTorch operators that are known, and do nothing else"},
});

Result<int> run_generate(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

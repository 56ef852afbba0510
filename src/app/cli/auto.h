// kernelagent auto and pipeline: from a problem to a verified program in one run, which can be resumed.
#pragma once

#include "app/cli/command.h"
#include "app/cli/settings_table.h"

namespace ka::app {

inline constexpr auto kAutoFlags = with_settings<kKernels>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--out", "DIR", "the run directory: new, empty, or of an earlier run of the same job (default: a folder of its own below .fuse)"},
    {"--resume", "RUN", "go on with a run (its id or folder): finished steps are not done again; only limits, --dispatch-jobs and what is printed can be given anew"},
    {"--route", "NAME", "direct (one file for the whole program), fuse (parts, then their composition) or auto: the rules decide (default auto)"},
    {"--no-fallback", "", "do not try the other route when one fails"},
    {"--no-router-cache", "", "neither look into .fuse/router_cache.json nor write it"},
    {"--no-winners", "", "take no kernel that an earlier search has found (docs/winners.md)"},
    {"--no-export-cache", "", "ask PyTorch about the program again, whatever .fuse/exports knows"},
    {"--ignore-router-config", "", "take no limits that a router proposes (the rules propose none)"},
    {"--dispatch-jobs", "N|auto", "parts at a time (default auto: by cores, memory and GPUs)"},
    {"--allow-torch-fallback", "", "a part without a kernel stays PyTorch; file, summary and the last line say which"},
    {"--compose-max-iters", "N", "attempts to compose where a language model takes part (the built-in composer needs one)"},
    {"--optimize", "", "then look for a faster kernel than the verified one (docs/optimize.md); the better one is the result. Needs a GPU; --device cpu tries it"},
    {"--optimize-rounds", "N", "rounds of that search at most (default 10)"},
    {"--strategy", "NAME", "of that search: beam_search (the default) or greedy"},
    {"--target-sol", "SHARE", "of that search: the share of the least possible time at which it ends (default 0.95)"},
    {"--max-minutes", "N", "stop after this time; what is verified so far is written, and --resume goes on"},
    {"--max-attempts", "N", "stop before the judge is handed more kernels than this, parts and whole programs alike; else the same"},
    {"--platform", "NAME", "cuda or xpu: the device that the file names where its arguments do not tell (default cuda)"},
    {"--target-platform", "NAME", "the same"},
    {"--gpu", "NAME", "the GPU whose facts decide tiles and ways of computing: h200 (the default), h100, b200, a100, l40s, rtx4090, max1550"},
    {"--forms", "LIST", "forms of kernels to write: descriptors, conv_tiles, persistent, shared_rows, graphs, with commas between them; none, all; measured: those that were seen to win on that GPU; race: "
                        "the same, then all others against them by the clock (the default on a GPU)"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate products must be"},
    {"--emit", "FORM", "kernel (kernel_function, the default) or kernelbench (the class ModelNew; on the direct route)"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "where kernels are verified: cpu (Triton's interpreter), cuda, or auto: cuda where there is a GPU and then the interpreter too"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--no-algebraic", "", "leave out rewrites that change the amount of work, such as a sum through a matrix product"},
    {"--verify", "", "verify the program with the judge: the default, for the sake of being said"},
    {"--no-verify", "", "write the kernels only"},
    {"--explain", "", "print the route, the graph, the kernels it became, what they cost, and why it was decided so"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print one JSON object: route, success, details, kernel_code"},
});

Result<int> run_auto(const Arguments& arguments, AppContext& context);
// `generate` where a language model takes part: the route "direct", without a fallback.
Result<int> run_generate_with_models(const Arguments& arguments, AppContext& context);
// The same on the route "fuse", without a fallback.
Result<int> run_pipeline(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

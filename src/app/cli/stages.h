// kernelagent extract, dispatch, compose: the stages of the pipeline by themselves, on files.
#pragma once

#include "app/cli/command.h"
#include "app/cli/settings_table.h"

namespace ka::app {

inline constexpr auto kExtractFlags = with_settings<kExtract>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--out", "DIR", "where subgraphs.json and orchestrator/ go (default: the current folder)"},
    {"--platform", "NAME", "cuda or xpu (default cuda)"},
    {"--target-platform", "NAME", "the same"},
    {"--gpu", "NAME", "the GPU whose facts decide where the program is cut (default h200)"},
    {"--precision", "TIER", "default, fp32, tf32 or half"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--no-algebraic", "", "leave out rewrites that change the amount of work"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print one JSON object: the files and the subgraphs' ids"},
});

inline constexpr auto kDispatchFlags = with_settings<kKernels>({
    {"--subgraphs", "FILE", "subgraphs.json, as extract writes it"},
    {"--out-dir", "DIR", "where the kernels and summary.json go (default kernels_out)"},
    {"--dispatch-jobs", "N|auto", "subgraphs at a time (default auto: by cores, memory and GPUs)"},
    {"--jobs", "N|auto", "the same"},
    {"--platform", "NAME", "cuda or xpu (default cuda)"},
    {"--target-platform", "NAME", "the same"},
    {"--gpu", "NAME", "the GPU whose facts decide tiles and ways of computing (default h200)"},
    {"--forms", "LIST", "forms of kernels to write, with commas between them; none or all (default: those that win on that GPU)"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate products must be"},
    {"--device", "DEVICE", "where kernels are verified: cpu (Triton's interpreter), cuda, or auto"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--no-algebraic", "", "leave out rewrites that change the amount of work"},
    {"--no-verify", "", "write the kernels only"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print the summary as JSON"},
});

inline constexpr auto kComposeFlags = with_settings<kCompose>({
    {"--problem", "FILE[:NAME]", "the PyTorch program that was extracted"},
    {"--subgraphs", "FILE", "subgraphs.json, as extract writes it"},
    {"--kernels-summary", "FILE", "summary.json, as dispatch writes it; kernels are looked for beside it (default kernels_out/summary.json)"},
    {"--out-dir", "DIR", "where composed_kernel.py and summary.json go (default compose_out)"},
    {"--verify", "", "verify the composed program with the judge"},
    {"--allow-torch-fallback", "", "a part without a kernel stays PyTorch; file, summary and the last line say which"},
    {"--compose-max-iters", "N", "attempts where a language model takes part (the built-in composer needs one)"},
    {"--max-iters", "N", "the same"},
    {"--platform", "NAME", "cuda or xpu (default cuda)"},
    {"--target-platform", "NAME", "the same"},
    {"--gpu", "NAME", "the GPU whose facts decide whether launches are captured (default h200)"},
    {"--forms", "LIST", "forms to write, of which a composition knows graphs (its launches are captured and replayed); none or all (default: those that win on that GPU)"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate products must be"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "where the program is verified: cpu (Triton's interpreter), cuda, or auto"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print the summary as JSON"},
});

Result<int> run_compose(const Arguments& arguments, AppContext& context);
Result<int> run_extract(const Arguments& arguments, AppContext& context);
Result<int> run_dispatch(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

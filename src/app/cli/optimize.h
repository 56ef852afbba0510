// kernelagent optimize --problem P.py --kernel K.py: a faster kernel than the given one, or the given one.
#pragma once

#include <string>

#include "app/cli/command.h"
#include "app/cli/settings_table.h"

namespace ka::app {

// Of --moves.
inline constexpr const char *kAllMoves = "all", *kFormMoves = "forms";
inline constexpr auto kMoveKinds = std::to_array<std::string_view>({kAllMoves, kFormMoves});

inline constexpr auto kOptimizeFlags = with_settings<kStore | kSearch>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--kernel", "FILE", "the kernel file to begin with; the judge must accept it"},
    {"--test", "FILE", "a test script that every candidate must pass as well (docs/judge.md)"},
    {"--strategy", "NAME", "beam_search (several programs at a time, the default) or greedy (the best one)"},
    {"--workers", "N", "kernels that are judged at a time (default: the cores of this machine, at most 4)"},
    {"--beam-width", "N", "programs that a round of beam_search changes (default 2)"},
    {"--bottlenecks", "N", "of each program, the worst first (default 2)"},
    {"--max-rounds", "N", "rounds at most (default 10)"},
    {"--patience", "N", "rounds without a gain beyond noise, after which it ends (default 3)"},
    {"--bottleneck-override", "NAME", "memory, compute or underutilized: what the kernels are taken to be held back by, whatever is diagnosed"},
    {"--platform", "NAME", "nvidia (the default), or noop: the kernel is judged, nothing is timed, and it is the result"},
    {"--moves", "KIND", "what is tried: all (the default), or forms: the built-in generator's kernels in other forms (docs/compiler.md) and nothing else"},
    {"--no-algebraic", "", "try no kernels of the built-in generator with rewrites that change the amount of work"},
    {"--no-store", "", "do not keep the result as a winner (docs/winners.md)"},
    {"--target-sol", "SHARE", "of the least possible time, at which it ends (default 0.95)"},
    {"--max-minutes", "N", "stop after the round in which this time is over; --resume goes on"},
    {"--out", "DIR", "the run directory: new or empty (default: a folder of its own below .optimize)"},
    {"--resume", "RUN", "go on with a run (its folder); only limits and what is printed can be given anew"},
    {"--entry", "NAME", "the kernel's entry (default: kernel_function, else ModelNew)"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate a kernel must be"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "cuda; cpu runs the interpreter on small sizes, to try the command: its times say nothing; recorded:FILE answers from a recording, without a GPU"},
    {"--record", "FILE", "write down every verdict, every sample and every proposal, for --device recorded:FILE"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print one JSON object"},
});

struct OptimizeEnd {
  std::string json, text;  // of the result: for machines, for people
  int code = 0;            // 0: there is a verified kernel
};
// The search alone; nothing is printed.
Result<OptimizeEnd> optimize(const Arguments& arguments, AppContext& context);

Result<int> run_optimize(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

// kernelagent eval --suite DIR
#pragma once

#include "app/cli/command.h"
#include "app/cli/settings_table.h"

namespace ka::app {

inline constexpr auto kEvalFlags = with_settings<kStore>({
    {"--suite", "DIR", "a folder with problem files, searched with its sub-folders"},
    {"--filter", "TEXT", "only problems whose path contains this text (several: separated by commas)"},
    {"--jobs", "N", "problems at a time (default: 2)"},
    {"--dispatch-jobs", "N", "parts of a problem at a time, where it is cut into parts (default: 1)"},
    {"--out", "DIR", "where results.jsonl and the kernels go (default: .fuse/eval)"},
    {"--resume", "", "take over what an earlier run in --out has finished"},
    {"--route", "ROUTE", "direct (one kernel file, as generate; the default), fuse (parts and their composition), or auto"},
    {"--no-verify", "", "write the kernels only"},
    {"--bench", "", "time what is verified, when all problems are judged; needs a GPU (docs/eval.md)"},
    {"--baseline", "LIST", "for --bench: of eager, compile, reduce-overhead, max-autotune, separated by commas (default eager, which is always among them)"},
    {"--rounds", "N", "for --bench: samples of each contender (default 50)"},
    {"--bench-seconds", "SECONDS", "for --bench: time for all rounds of a problem (default 3)"},
    {"--bench-jobs", "N|auto", "for --bench: tasks at a time that are compiled and warmed up on one GPU; samples are taken by one alone (default auto: by cores, at most 8; 1 without a GPU or with --optimize)"},
    {"--bench-limit", "SECONDS", "for --bench: to compile and warm up one contender, and to take all samples (default 180); who takes longer is left out"},
    {"--baseline-cache", "DIR", "for --bench: where times of compiled baselines are kept for later runs (default .fuse/baselines)"},
    {"--no-baseline-cache", "", "for --bench: measure every baseline anew, and keep none"},
    {"--optimize", "", "search for a faster kernel of every verified task (as optimize does), before it is timed; needs a GPU"},
    {"--optimize-minutes", "N", "for --optimize: of one task, whose search ends after the round in which they are over (default 3)"},
    {"--optimize-rounds", "N", "for --optimize: rounds of one task at most (default 10)"},
    {"--moves", "KIND", "for --optimize: all (the default), or forms: the generator's kernels in other forms and nothing else, which takes one round"},
    {"--winners", "", "take kernels that earlier searches have found (docs/winners.md); without it every task has the generator's own"},
    {"--max-minutes", "N", "end with what there is after so many minutes; --resume goes on"},
    {"--limit", "SECONDS", "for one problem as a whole (default 900); a problem that takes longer is a timeout"},
    {"--forms", "LIST", "forms of kernels to write, with commas between them; none or all (default: those that win on an H200)"},
    {"--precision", "TIER", "default, fp32, tf32 or half"},
    {"--no-algebraic", "", "leave out rewrites that change the amount of work"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "cpu (Triton's interpreter), cuda, or auto: cuda where there is a GPU and then the interpreter too"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for each step of either program (default 60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16, shared by the jobs)"},
    {"--json", "", "print one JSON object: problems with name, status, reason, sizes and times; counts"},
});

Result<int> run_eval(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

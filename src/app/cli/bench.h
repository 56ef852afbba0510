// kernelagent bench --problem P.py --kernel K.py
#pragma once

#include "app/cli/command.h"
#include "app/cli/settings_table.h"
#include "base/statistics.h"
#include "bench/timing_side.h"

namespace ka::app {

inline constexpr auto kBenchFlags = with_settings<kNoFlag>({
    {"--problem", "FILE[:NAME]", "the PyTorch program (KernelBench form, or any module or function by name)"},
    {"--kernel", "FILE", "the kernel file to time"},
    {"--entry", "NAME", "its entry (default: kernel_function, else ModelNew)"},
    {"--baseline", "LIST", "of eager, compile, reduce-overhead, max-autotune, separated by commas (default eager)"},
    {"--verdict", "FILE", "a verdict about this very kernel and problem; without one the kernel is verified first"},
    {"--rounds", "N", "samples of each contender (default 100)"},
    {"--seconds", "N", "time for all rounds (default 60)"},
    {"--out", "DIR", "the run directory: new, empty, or of an earlier run (default: a folder of its own below .fuse)"},
    {"--precision", "TIER", "default, fp32, tf32 or half: how accurate the kernel must be"},
    {"--mode", "MODE", "train (as constructed, the default) or eval"},
    {"--device", "DEVICE", "cuda; cpu runs the interpreter on small sizes, to try the command: its times say nothing"},
    {"--seed", "N", "other inputs and weights (default 0)"},
    {"--timeout", "SECONDS", "limit for timing, the compilation of the baselines included (default 600), and for each step of the verification (60)"},
    {"--memory", "GIB", "memory that either program may use (default: half of what is free, at most 16)"},
    {"--verbose", "", "say what is being done also where there is no terminal"},
    {"--json", "", "print one JSON object: timings with all samples, and ratios with their intervals"},
});

Result<int> run_bench(const Arguments& arguments, AppContext& context);

// "eager,compile" as the names of contenders, the kernel first.
Result<std::vector<std::string>> contenders_of(const std::string& baselines);

// timings.jsonl: every sample, a line per contender.
std::string lines_of(const std::vector<model::Timing>& timings);

// A contender's time over the kernel's, with its interval: above 1 the kernel is faster.
struct SpeedUp {
  std::string contender;
  Ratio ratio;
};
std::vector<SpeedUp> speed_ups(const bench::Timed& timed);

// The table that people read.
std::string bench_text(const bench::Timed& timed);
Json to_json(const bench::Timed& timed);

}  // namespace ka::app

// Keys of config files that are neither settings nor flags of that name: other words for a flag, and what files of other tools have that means nothing here. A key of a map inside the
// file is written with a dot: "strategy_config.num_bottlenecks".
#pragma once

#include <array>
#include <string_view>

namespace ka::app {

// Names that may hold a map.
inline constexpr auto kMapKeys = std::to_array<std::string_view>({"strategy_config", "platform", "templates"});

struct ConfigKey {
  std::string_view key;
  std::string_view flag;  // that it gives; empty: none
  bool turned = false;    // the key says the opposite of the flag
  std::string_view note = "";  // what optimize says about it: it is accepted, and this is what there is instead
};

inline constexpr std::string_view kSlotNote = "this part cannot be exchanged";
inline constexpr std::string_view kPromptNote = "prompts have a form of their own here: --prompts names a folder with other ones (docs/prompts.md)";

inline constexpr auto kConfigKeys = std::to_array<ConfigKey>({
    {"allow_fallback", "--no-fallback", true},
    {"use_router_cache", "--no-router-cache", true},
    {"num_workers", "--workers"},
    {"log_dir", "--out"},
    {"strategy_config.num_top_kernels", "--beam-width"},
    {"strategy_config.num_bottlenecks", "--bottlenecks"},
    {"strategy_config.max_no_improvement", "--patience"},
    {"platform.verifier", "", false, kSlotNote},
    {"platform.benchmarker", ""},
    {"platform.worker_runner", ""},
    {"platform.specs_provider", "", false, kSlotNote},
    {"platform.profiler", "", false, kSlotNote},
    {"platform.roofline_analyzer", "", false, kSlotNote},
    {"platform.bottleneck_analyzer", "", false, kSlotNote},
    {"platform.rag_prescriber", "", false, kSlotNote},
    {"templates.kernel_optimization", "", false, kPromptNote},
    {"templates.reflexion_prompt", "", false, kPromptNote},
    {"templates.triton_guidelines", "", false, kPromptNote},
    {"database_path", "", false, "the state of the search is program_database.json of the run directory"},
    {"gpu_name", "", false, "the driver is asked which GPU this is"},
    {"ncu_bin_path", "", false, "the variable KERNELAGENT_NCU names ncu, for profile"},
    {"benchmark_warmup", "", false, "all contenders are timed alike, with 20 calls to warm up"},
    {"benchmark_repeat", "", false, "all contenders are timed alike, with up to 100 samples each"},
    {"divergence_threshold", "", false, "a kernel that is slower never takes the place of a faster one"},
    {"sol_improvement_threshold", "", false, "a kernel wins where the interval of the ratio says so"},
    {"roofline_config", "", false, "efficiency is work over what the GPU can do, and has nothing to set"},
    {"use_rag", "", false, "there is no collection of examples to look into"},
});

}  // namespace ka::app

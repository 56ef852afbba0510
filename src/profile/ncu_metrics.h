// The hardware counters that are asked for, by Nsight Compute's names: one row each.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace ka::profile {

// How several launches of one kernel become one number.
enum class Sum {
  total,     // counts: added
  weighted,  // rates and shares: the mean, weighted by the time of the launches
};

struct Metric {
  std::string_view name;
  Sum sum = Sum::weighted;
  std::string_view label = "";   // in the table for people; empty: not there
  std::string_view unit = "";    // of the label: "%", "bytes"
  bool founding = true;          // of the list that earlier versions kept; the others are what the rules need besides
};

inline constexpr std::string_view kTimeMetric = "gpu__time_duration.sum";
inline constexpr std::string_view kCyclesMetric = "sm__cycles_active.avg";

inline constexpr auto kMetrics = std::to_array<Metric>({
    {kCyclesMetric, Sum::total},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", Sum::weighted, "occupancy reached", "%"},
    {"launch__occupancy_limit_blocks"},
    {"launch__occupancy_limit_registers"},
    {"launch__occupancy_limit_shared_mem"},
    {"launch__registers_per_thread"},
    {"sm__inst_executed.sum", Sum::total},
    {"sm__inst_executed_pipe_fp32.avg.pct_of_peak_sustained_active", Sum::weighted, "fp32 pipe", "%"},
    {"sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active"},
    {"dram__bytes_read.sum", Sum::total, "read from memory", "bytes"},
    {"dram__bytes_write.sum", Sum::total, "written to memory", "bytes"},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", Sum::weighted, "memory throughput", "%"},
    {"dram__bytes.sum.per_second"},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"launch__shared_mem_per_block_allocated"},
    {"l1tex__t_sector_hit_rate.pct", Sum::weighted, "L1 hits", "%"},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"lts__t_sector_hit_rate.pct", Sum::weighted, "L2 hits", "%"},
    {"lts__throughput.avg.pct_of_peak_sustained_active", Sum::weighted, "L2 throughput", "%"},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", Sum::weighted, "tensor cores busy", "%"},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", Sum::weighted, "of loaded sectors used", "%"},
    {"smsp__warp_issue_stalled_memory_dependency_per_warp_active.pct"},
    {"smsp__warp_issue_stalled_short_scoreboard_per_warp_active.pct", Sum::weighted, "waiting for shared memory", "%"},
    {"smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", Sum::weighted, "waiting for memory", "%"},
    {"smsp__warp_issue_stalled_barrier_per_warp_active.pct", Sum::weighted, "waiting at barriers", "%"},
    {"smsp__warp_issue_stalled_branch_resolving_per_warp_active.pct"},
    {"smsp__sass_average_branch_targets_threads_uniform.pct", Sum::weighted, "uniform branches", "%"},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", Sum::weighted, "compute throughput", "%"},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {kTimeMetric, Sum::total, "", "", false},
    {"launch__waves_per_multiprocessor", Sum::weighted, "", "", false},
    {"launch__occupancy_limit_warps", Sum::weighted, "", "", false},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", Sum::weighted, "of stored sectors used", "%", false},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", Sum::total, "", "", false},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", Sum::total, "", "", false},
});

constexpr std::size_t founding_metrics() {
  std::size_t count = 0;
  for (const Metric& metric : kMetrics) count += metric.founding ? 1 : 0;
  return count;
}
static_assert(founding_metrics() == 29);

}  // namespace ka::profile

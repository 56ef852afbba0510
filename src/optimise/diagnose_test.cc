#include "optimise/diagnose.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "optimise/facts.h"
#include "optimise/rules.h"

namespace ka::optimise {
namespace {

constexpr const char *kMemory = "dram__throughput.avg.pct_of_peak_sustained_elapsed", *kCompute = "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                     *kLong = "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", *kBarrier = "smsp__warp_issue_stalled_barrier_per_warp_active.pct",
                     *kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active", *kLoads = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
                     *kStores = "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", *kL2 = "lts__t_sector_hit_rate.pct",
                     *kTensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", *kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                     *kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";

using Metrics = std::map<std::string, double>;
using Mix = std::map<std::string, std::int64_t>;

model::KernelProfile counted(Metrics metrics, Mix mix = {}) {
  model::KernelProfile out;
  out.name = "k";
  out.launches = 1;
  out.metrics = std::move(metrics);
  out.instructions = std::move(mix);
  return out;
}

model::KernelProfile compiled(Mix mix, std::int64_t spills = 0, double occupancy = 100, double waves = 8) {
  model::KernelProfile out = counted({}, std::move(mix));
  out.spills = spills;
  out.occupancy_pct = occupancy;
  out.waves = waves;
  return out;
}

model::KernelProfile repeated(std::int64_t launches, double waves, std::optional<double> time_ms = {}) {
  model::KernelProfile out = counted({});
  out.launches = launches;
  out.waves = waves;
  out.time_ms = time_ms;
  return out;
}

struct Case {
  const char* rule;
  bool fires;
  model::KernelProfile kernel;
  const char* tier = "";
};

std::vector<Case> cases() {
  return {
      {"memory_bound", true, counted({{kMemory, 88}, {kCompute, 20}})},
      {"memory_bound", false, counted({{kMemory, 50}, {kCompute, 20}})},
      {"memory_bound", false, counted({{kMemory, 70}, {kCompute, 90}})},
      {"memory_bound", false, counted({{kMemory, 88}})},
      {"compute_bound", true, counted({{kMemory, 20}, {kCompute, 85}})},
      {"compute_bound", false, counted({{kMemory, 90}, {kCompute, 85}})},
      {"latency_bound", true, counted({{kMemory, 20}, {kCompute, 15}, {kLong, 70}})},
      {"latency_bound", false, counted({{kMemory, 20}, {kCompute, 15}, {kLong, 10}})},
      {"latency_bound", false, counted({{kMemory, 80}, {kCompute, 15}, {kLong, 70}})},
      {"barriers", true, counted({{kBarrier, 40}})},
      {"barriers", false, counted({{kBarrier, 5}})},
      {"launch_bound", true, repeated(60, 0.1, 0.3)},
      {"launch_bound", false, repeated(60, 9, 60)},
      {"launch_bound", false, repeated(1, 0.1, 0.005)},
      {"many_small_launches", true, repeated(60, 0.1)},
      {"many_small_launches", false, repeated(60, 4)},
      {"many_small_launches", false, repeated(2, 0.1)},
      {"occupancy", true, counted({{kWarps, 12}, {kMemory, 30}, {kCompute, 30}})},
      {"occupancy", false, counted({{kWarps, 12}, {kMemory, 90}, {kCompute, 30}})},
      {"occupancy", false, counted({{kWarps, 80}, {kMemory, 30}, {kCompute, 30}})},
      {"occupancy_bound", true, compiled({{"total", 9}}, 0, 12.5)},
      {"occupancy_bound", false, compiled({{"total", 9}, {"tensor", 8}}, 0, 12.5)},
      {"occupancy_bound", false, compiled({{"total", 9}}, 0, 50)},
      {"small_grid", true, compiled({}, 0, 100, 0.05)},
      {"small_grid", false, compiled({}, 0, 100, 2)},
      {"tail_wave", true, compiled({}, 0, 100, 1.1)},
      {"tail_wave", false, compiled({}, 0, 100, 1.95)},
      {"tail_wave", false, compiled({}, 0, 100, 40.1)},
      {"tail_wave", false, compiled({}, 0, 100, 0.5)},
      {"uncoalesced_loads", true, counted({{kLoads, 25}})},
      {"uncoalesced_loads", false, counted({{kLoads, 100}})},
      {"uncoalesced_stores", true, counted({{kStores, 12.5}})},
      {"uncoalesced_stores", false, counted({{kStores, 97}})},
      {"narrow_loads", true, compiled({{"total", 99}, {"global_load_32", 8}})},
      {"narrow_loads", false, compiled({{"total", 99}, {"global_load_128", 8}})},
      {"narrow_loads", false, compiled({{"total", 99}, {"global_load_32", 2}})},
      {"narrow_loads", false, compiled({{"total", 99}, {"global_load_32", 8}, {"async_copy_128", 4}})},
      {"bank_conflicts", true, counted({{kConflicts, 60}, {kWavefronts, 100}})},
      {"bank_conflicts", false, counted({{kConflicts, 1}, {kWavefronts, 100}})},
      {"bank_conflicts", false, counted({{kConflicts, 0}, {kWavefronts, 0}})},
      {"spills", true, compiled({}, 40)},
      {"spills", false, compiled({}, 0)},
      {"local_memory", true, compiled({{"total", 99}, {"local_load", 96}})},
      {"local_memory", false, compiled({{"total", 99}, {"local_load", 96}}, 8)},
      {"local_memory", false, compiled({{"total", 99}})},
      {"l2_misses", true, counted({{kL2, 20}, {kMemory, 70}}, {{"total", 9}, {"tensor", 8}})},
      {"l2_misses", false, counted({{kL2, 20}, {kMemory, 70}}, {{"total", 9}})},
      {"l2_misses", false, counted({{kL2, 80}, {kMemory, 70}}, {{"total", 9}, {"tensor", 8}})},
      {"tensor_cores_wait", true, counted({{kTensor, 10}, {kMemory, 30}}, {{"total", 9}, {"tensor", 8}})},
      {"tensor_cores_wait", false, counted({{kTensor, 70}, {kMemory, 30}}, {{"total", 9}, {"tensor", 8}})},
      {"tensor_cores_unused", true, compiled({{"total", 2000}, {"fp32_fma", 1024}, {"async_copy_128", 24}}), "tf32"},
      {"tensor_cores_unused", false, compiled({{"total", 2000}, {"fp32_fma", 1024}, {"async_copy_128", 24}}), "fp32"},
      {"tensor_cores_unused", false, compiled({{"total", 2000}, {"fp32_fma", 1024}, {"async_copy_128", 24}})},
      {"tensor_cores_unused", false, compiled({{"total", 2000}, {"fp32_fma", 1024}}), "tf32"},
      {"fp32_rate_unused", true, compiled({{"total", 2000}, {"fp32_fma", 1024}, {"async_copy_128", 24}}), "fp32"},
      {"fp32_rate_unused", false, compiled({{"total", 2000}, {"tensor", 24}, {"fp32_fma", 1024}, {"async_copy_128", 24}}), "fp32"},
      {"tf32_rate_unused", true, compiled({{"total", 2000}, {"tensor_tf32", 8}}), "tf32"},
      {"tf32_rate_unused", false, compiled({{"total", 2000}, {"tensor", 8}}), "tf32"},
      {"tf32_rate_unused", false, compiled({{"total", 2000}, {"tensor_tf32", 8}}), "fp32"},
      {"index_arithmetic", true, compiled({{"total", 2383}, {"integer", 1650}})},
      {"index_arithmetic", false, compiled({{"total", 2383}, {"integer", 250}})},
      {"index_arithmetic", false, compiled({{"total", 50}, {"integer", 40}})},
      {"special_functions", true, compiled({{"total", 100}, {"special", 40}})},
      {"special_functions", false, compiled({{"total", 100}, {"special", 5}})},
  };
}

std::vector<std::string> rules_that_fire(const model::KernelProfile& kernel, const char* tier) {
  model::Profile profile;
  profile.kernels = {kernel};
  std::vector<std::string> out;
  for (const model::Bottleneck& one : diagnose(profile, tier).bottlenecks) out.push_back(one.rule);
  return out;
}

TEST(Diagnose, EveryRuleFiresWhereItShouldAndOnlyThere) {
  int number = 0;
  for (const Case& c : cases()) {
    const std::vector<std::string> fired = rules_that_fire(c.kernel, c.tier);
    EXPECT_EQ(std::count(fired.begin(), fired.end(), c.rule), c.fires ? 1 : 0) << c.rule << ", row " << number << ": " << join(fired, ", ");
    ++number;
  }
}

TEST(Diagnose, EveryRuleHasARowThatFiresAndOneThatDoesNot) {
  for (const Rule& rule : all_rules())
    for (const bool fires : {true, false}) {
      const std::vector<Case> rows = cases();
      EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const Case& c) { return c.rule == rule.name && c.fires == fires; }))
          << rule.name << (fires ? " never fires" : " is never silent");
    }
}

TEST(Diagnose, WithoutNumbersNoRuleSaysAnything) {
  const model::Diagnosis nothing = diagnose({});
  EXPECT_TRUE(nothing.bottlenecks.empty());
  EXPECT_EQ(nothing.category, "unknown");
  EXPECT_EQ(nothing.decided_by, "rules");
  EXPECT_EQ(diagnosis_text(nothing), "diagnosis: nothing stands out in what is known\n");
  EXPECT_TRUE(rules_that_fire(counted({}), "fp32").empty());
}

TEST(Diagnose, WorstFirstByTimeSeverityAndConfidence) {
  model::Profile profile;
  profile.candidate_sha256 = "abc";
  profile.kernels = {compiled({{"total", 9}}, 512), compiled({{"total", 9}}, 512)};
  profile.kernels[0].name = "short", profile.kernels[0].time_ms = 0.1;
  profile.kernels[1].name = "long", profile.kernels[1].time_ms = 0.9;
  const model::Diagnosis found = diagnose(profile);
  ASSERT_EQ(found.bottlenecks.size(), 2u);
  EXPECT_EQ(found.bottlenecks[0].kernel, "long");
  EXPECT_NEAR(found.bottlenecks[0].score, 0.7 * 0.9, 1e-12);
  EXPECT_NEAR(found.bottlenecks[1].score, 0.7 * 0.1, 1e-12);
  EXPECT_EQ(found.category, "memory");
  EXPECT_EQ(found.candidate_sha256, "abc");
}

TEST(Diagnose, EvidenceNamesMetricValueAndMeaning) {
  model::Profile profile;
  profile.kernels = {counted({{kMemory, 88.5}, {kCompute, 20}})};
  const model::Diagnosis found = diagnose(profile);
  ASSERT_EQ(found.bottlenecks.size(), 1u);
  const model::RootCause& cause = found.bottlenecks[0].root_causes.at(0);
  EXPECT_EQ(cause.evidence.at(0).metric, kMemory);
  EXPECT_EQ(cause.evidence.at(0).value, 88.5);
  EXPECT_EQ(cause.evidence.at(0).interpretation, "% of the bandwidth of the memory is used");
  EXPECT_EQ(cause.fixes.size(), 3u);
  const std::string text = diagnosis_text(found);
  EXPECT_THAT(text, testing::HasSubstr("  1. memory_bound in k: the memory is nearly as busy as it can be (score 0.73, confidence 0.90)\n"));
  EXPECT_THAT(text, testing::HasSubstr("     seen: 88.5 % of the bandwidth of the memory is used; 68.5 points more than of the rate of the\n     multiprocessors\n"));
  for (const std::string& line : split(text, '\n')) EXPECT_LE(line.size(), 100u);
}

TEST(Diagnose, OnlyTheFirstAreTold) {
  model::Profile profile;
  profile.kernels.assign(9, compiled({{"total", 9}}, 512));
  EXPECT_THAT(diagnosis_text(diagnose(profile), 2), testing::EndsWith("  and 7 more (--json has all)\n"));
}

}  // namespace
}  // namespace ka::optimise

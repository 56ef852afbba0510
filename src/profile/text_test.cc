#include "profile/text.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace ka::profile {
namespace {

model::Profile example() {
  model::Profile out;
  out.device = "NVIDIA H200 SXM";
  out.source = "static";
  out.limits = "no times and no hardware counters: this machine has no NVIDIA GPU";
  model::KernelProfile kernel;
  kernel.name = "a_kernel_with_a_name_that_is_much_longer_than_a_column_of_the_table";
  kernel.launches = 12;
  kernel.registers = 211;
  kernel.shared_bytes = 98304;
  kernel.spills = 0;
  kernel.occupancy_pct = 12.5;
  kernel.occupancy_limit = "registers and shared memory";
  kernel.waves = 1.94;
  kernel.grid = {512, 1, 1};
  kernel.num_warps = 4;
  kernel.num_stages = 3;
  kernel.instructions = {{"total", 900}, {"global_load_128", 32}, {"fp32", 512}, {"other", 99}, {"shared_store", 8}};
  out.kernels = {kernel, {}};
  return out;
}

TEST(ProfileText, IsATableOfAtMostAHundredColumns) {
  const std::string text = profile_text(example());
  for (const std::string& line : split(text, '\n')) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(text.find("NVIDIA H200 SXM: static facts of the compiled code\n"), std::string::npos) << text;
  EXPECT_NE(text.find("     12 512              4      3  211      0  96.0 KiB    12.5 %   1.94\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  occupancy is bounded by registers and shared memory\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  900 instructions, 512 fp32, 32 global load 128 bit, 8 shared store\n"), std::string::npos) << text;
  EXPECT_NE(text.find("limits: no times"), std::string::npos) << text;
}

TEST(ProfileText, CountersStandBelowTheirKernel) {
  model::Profile profile = example();
  profile.source = "ncu";
  profile.kernels[0].time_ms = 0.03;
  profile.kernels[1].time_ms = 0.01;
  profile.kernels[0].metrics = {{"dram__throughput.avg.pct_of_peak_sustained_elapsed", 88.41}, {"dram__bytes_read.sum", 67108864}, {"sm__cycles_active.avg", 5}};
  const std::string text = profile_text(profile);
  EXPECT_NE(text.find("hardware counters (Nsight Compute)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  0.0300 ms (75 % of all): 67.11 MB read from memory, 88.4 % memory throughput\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  0.0100 ms (25 % of all)\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace ka::profile

#include "pipeline/machine_gpu.h"

#include <sys/stat.h>

#include <cstdlib>

#include <gtest/gtest.h>

#include "os/environment.h"
#include "os/files.h"

namespace ka::pipeline {
namespace {

bench::Ceilings made_up(const os::Gpu& gpu, double read, double half) {
  bench::Ceilings out{gpu.name, gpu.driver, gpu.power_limit_watts, "2026-11-16T16:00:00.000Z", {}};
  for (const bench::CeilingRow& row : bench::kCeilings) out.ways.push_back({row.name, "made up", 4e12, {1}});
  out.ways.push_back({"read_bytes", "made up", read, {1}});
  out.ways.push_back({"bfloat16_flops", "made up", half, {1}});
  return out;
}

TEST(MachineGpu, TheBestMeasuredRateOfEachKindCounts) {
  const os::Gpu device{0, "NVIDIA H200", "9.0", 0, "580.1", 700};
  const MachineGpu gpu = machine_gpu(device, made_up(device, 4.5e12, 7e14));
  EXPECT_TRUE(gpu.is_known);
  EXPECT_EQ(gpu.facts.name, "h200");
  EXPECT_EQ(gpu.peaks()->basis, "by measured ceilings");
  EXPECT_EQ(gpu.peaks()->bytes, 4.5e12);
  EXPECT_EQ(gpu.peaks()->float32, 4e12);
  EXPECT_EQ(gpu.peaks()->half, 7e14);
}

TEST(MachineGpu, ElseTheDataSheet) {
  const MachineGpu gpu = machine_gpu({0, "NVIDIA A100-SXM4-80GB", "8.0", 0, "580.1", 400}, {});
  EXPECT_EQ(gpu.facts.name, "a100");
  EXPECT_EQ(gpu.peaks()->basis, "by the data sheet");
  EXPECT_EQ(gpu.peaks()->bytes, gpu.facts.peak_bytes);
}

TEST(MachineGpu, OneThatTheTableDoesNotHave) {
  const os::Gpu device{0, "NVIDIA T4", "7.5", 0, "580.1", 70};
  const MachineGpu nothing = machine_gpu(device, {});
  EXPECT_FALSE(nothing.is_known);
  EXPECT_FALSE(nothing.peaks());
  EXPECT_EQ(machine_gpu(device, made_up(device, 3e11, 6e13)).peaks()->half, 6e13);
}

TEST(MachineGpu, IsTheFirstThatProgramsSee) {
  const os::TempDir folder = os::TempDir::create().value();
  const std::string path = os::get_env("PATH").value_or("/usr/bin:/bin"), cache = os::get_env("XDG_CACHE_HOME").value_or("");
  ASSERT_TRUE(os::write_file_atomic(folder.file("nvidia-smi"), "#!/bin/sh\necho '0, NVIDIA L40S, 8.9, 1, 5, 350'\necho '1, NVIDIA H200, 9.0, 1, 5, 700'\n"));
  ASSERT_EQ(::chmod(folder.file("nvidia-smi").c_str(), 0755), 0);
  ::setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
  EXPECT_EQ(machine_gpu()->facts.name, "h200");
  EXPECT_FALSE(machine_gpu()->measured);
  const os::Gpu device{1, "NVIDIA H200", "9.0", 0, "5", 700};
  ASSERT_TRUE(bench::keep_ceilings(device, made_up(device, 4.5e12, 7e14)));
  EXPECT_TRUE(machine_gpu()->measured);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_FALSE(machine_gpu());
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(machine_gpu()->facts.name, "l40s");
  ::setenv("PATH", path.c_str(), 1);
  cache.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
}

}  // namespace
}  // namespace ka::pipeline

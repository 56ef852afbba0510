#include "os/gpu.h"

#include <sys/stat.h>

#include <cstdlib>

#include <gtest/gtest.h>

#include "os/environment.h"
#include "os/files.h"

namespace ka::os {
namespace {

TEST(GpuTable, ReadsLines) {
  const auto gpus =
      parse_gpu_table("0, NVIDIA H200, 9.0, 143771, 580.159.04, 700.00\n1, NVIDIA H200, 9.0, 143771, 580.159.04, 650.00\n");
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(gpus[0].compute_capability, "9.0");
  EXPECT_EQ(gpus[0].memory_bytes, std::uint64_t{143771} << 20);
  EXPECT_EQ(gpus[0].driver, "580.159.04");
  EXPECT_EQ(gpus[0].power_limit_watts, 700);
  EXPECT_EQ(gpus[1].power_limit_watts, 650);
}

TEST(GpuTable, LeavesOutWhatIsNoGpu) {
  EXPECT_TRUE(parse_gpu_table("").empty());
  EXPECT_TRUE(parse_gpu_table("No devices were found\n").empty());
  EXPECT_TRUE(parse_gpu_table("x, y, z, 1, 2\n0, only, three\n-, , , , \n").empty());
}

TEST(GpuTable, MemoryMayBeUnknown) {
  const auto gpus = parse_gpu_table("0, NVIDIA GB10, 12.1, [N/A], 580.1");
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].memory_bytes, 0U);
}

TEST(GpuTable, PowerMayBeUnknown) {
  for (const std::string watts : {"", ", [N/A]", ", nan", ", -3"}) {
    const std::string line = "0, NVIDIA L4, 8.9, 1024, 580.1" + watts;
    const auto gpus = parse_gpu_table(line);
    ASSERT_EQ(gpus.size(), 1U) << line;
    EXPECT_EQ(gpus[0].driver, "580.1") << line;
    EXPECT_EQ(gpus[0].power_limit_watts, 0) << line;
  }
}

// Puts a program called nvidia-smi with the given text in front of the search path.
class QueryGpus : public ::testing::Test {
 protected:
  QueryGpus() : dir_(TempDir::create().value()), path_(get_env("PATH").value_or("/usr/bin:/bin")) {}
  ~QueryGpus() override { ::setenv("PATH", path_.c_str(), 1); }
  void install(const std::string& script) {
    ASSERT_TRUE(write_file_atomic(dir_.file("nvidia-smi"), "#!/bin/sh\n" + script));
    ASSERT_EQ(::chmod(dir_.file("nvidia-smi").c_str(), 0755), 0);
    ::setenv("PATH", (dir_.path() + ":" + path_).c_str(), 1);
  }
  std::size_t count(Deadline deadline = Deadline::never()) { return query_gpus(deadline).value().size(); }

  TempDir dir_;
  std::string path_;
};

TEST_F(QueryGpus, AsksTheTool) {
  install("echo '0, NVIDIA H200, 9.0, 143771, 580.159.04, 700.00'\n");
  EXPECT_EQ(count(), 1U);
}

TEST_F(QueryGpus, FailureMeansNone) {
  install("echo '0, NVIDIA H200, 9.0, 143771, 580.159.04, 700.00'; exit 9\n");
  EXPECT_EQ(count(), 0U);
}

TEST_F(QueryGpus, HangingToolMeansNone) {
  install("exec sleep 600\n");
  EXPECT_EQ(count(Deadline::in(std::chrono::milliseconds(50))), 0U);
}

TEST_F(QueryGpus, MissingToolMeansNone) {
  ::setenv("PATH", dir_.path().c_str(), 1);
  EXPECT_EQ(count(), 0U);
}

}  // namespace
}  // namespace ka::os

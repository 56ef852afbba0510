#include "os/machine.h"

#include <gtest/gtest.h>

namespace ka::os {
namespace {

TEST(Machine, HasSizes) {
  const Machine machine = query_machine("/").value();
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.memory_total, 0U);
  EXPECT_LE(machine.memory_available, machine.memory_total);
  EXPECT_FALSE(machine.kernel.empty());
}

TEST(Machine, NeedsAnExistingPath) {
  EXPECT_FALSE(query_machine("/nonexistent/path"));
}

TEST(Meminfo, ReadsOneLine) {
  constexpr const char* kText =
      "MemTotal:       16384 kB\nMemTotalFake: 1 kB\nHugePages_Total:       4\nBad: x kB\n";
  EXPECT_EQ(meminfo_bytes(kText, "MemTotal"), 16384U * 1024);
  EXPECT_EQ(meminfo_bytes(kText, "MemFree"), 0U);
  EXPECT_EQ(meminfo_bytes(kText, "HugePages_Total"), 0U);
  EXPECT_EQ(meminfo_bytes(kText, "Bad"), 0U);
  EXPECT_EQ(meminfo_bytes("", "MemTotal"), 0U);
}

}  // namespace
}  // namespace ka::os

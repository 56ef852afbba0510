#include "profile/occupancy.h"

#include <gtest/gtest.h>

namespace ka::profile::occupancy_test {
namespace {

struct Case {
  const char* name;
  const char* gpu;
  Needs needs;
  std::int64_t blocks;  // 0: does not fit
  double pct;
  const char* limit;
};

// Worked out by hand from the units in which a multiprocessor gives its registers and its shared memory away.
constexpr Case kCases[] = {
    {"plain", "h200", {4, 32, 0}, 16, 100, "registers and threads"},
    {"one warp", "h200", {1, 16, 0}, 32, 50, "blocks"},
    {"many registers", "h200", {8, 128, 0}, 2, 25, "registers"},
    {"registers in units of 8 per thread", "h200", {4, 129, 0}, 3, 18.75, "registers"},
    {"all registers", "h200", {4, 255, 0}, 2, 12.5, "registers"},
    {"shared memory", "h200", {4, 32, 100 * 1024}, 2, 12.5, "shared memory"},
    {"matmul tile", "h200", {4, 211, 98304}, 2, 12.5, "registers and shared memory"},
    {"the largest tile", "h200", {8, 168, 232448}, 1, 12.5, "registers and shared memory"},
    {"other card", "rtx4090", {8, 40, 1024}, 6, 100, "registers and threads"},
    {"older card", "a100", {4, 64, 40000}, 4, 25, "shared memory"},
    {"too many registers for one program", "h200", {32, 80, 0}, 0, 0, ""},
    {"too much shared memory", "rtx4090", {4, 32, 200000}, 0, 0, ""},
    {"no warps", "h200", {0, 32, 0}, 0, 0, ""},
    {"nonsense", "h200", {4, -1, 0}, 0, 0, ""},
    {"more warps than a program has", "h200", {64, 16, 0}, 0, 0, ""},
};

TEST(Occupancy, IsWhatTheScarcestResourceAllows) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::optional<Occupancy> found = occupancy(c.needs, *ir::find_gpu(c.gpu).value().cuda);
    ASSERT_EQ(found.has_value(), c.blocks > 0);
    if (!found) continue;
    EXPECT_EQ(found->blocks, c.blocks);
    EXPECT_DOUBLE_EQ(found->warps_pct, c.pct);
    EXPECT_EQ(found->limit, c.limit);
  }
}

}  // namespace
}  // namespace ka::profile::occupancy_test

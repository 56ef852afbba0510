#include "optimise/roofline.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace ka::optimise {
namespace {

TEST(Roofline, TheFloorIsWorkOverThePeaksOfTheTier) {
  const ir::Gpu& gpu = ir::default_gpu();
  const struct {
    const char* name;
    Work work;
    const char* tier;
    double memory, compute;
  } cases[] = {
      {"bytes", {4.8e9, 0, 0}, "fp32", 1e-3, 0},
      {"products in float32's accuracy", {0, 989e9, 0}, "fp32", 0, 3e-3},
      {"a tier that is not known is the strictest", {0, 989e9, 0}, "", 0, 3e-3},
      {"products in TF32's accuracy", {0, 989e9, 0}, "tf32", 0, 1e-3},
      {"products in half", {0, 989e9, 0}, "half", 0, 1e-3},
      {"other arithmetic beside products", {0, 989e9, 670e9}, "half", 0, 1e-2},
      {"products that are TF32's by PyTorch's default", {0, 0, 0, 989e9}, "", 0, 1e-3},
      {"both kinds of products, one after the other", {0, 989e9, 0, 989e9}, "", 0, 4e-3},
      {"nothing", {}, "fp32", 0, 0},
  };
  for (const auto& c : cases) {
    const Floor floor = floor_of(c.work, data_sheet_peaks(gpu), c.tier);
    EXPECT_EQ(floor.basis, "by the data sheet") << c.name;
    EXPECT_NEAR(floor.memory_seconds, c.memory, 1e-12) << c.name;
    EXPECT_NEAR(floor.compute_seconds, c.compute, 1e-12) << c.name;
    EXPECT_EQ(floor.seconds(), std::max(floor.memory_seconds, floor.compute_seconds)) << c.name;
  }
}

TEST(Roofline, MeasuredCeilingsMakeAnotherFloor) {
  const Peaks measured{4e12, 50e12, 600e12, "by measured ceilings"};
  const struct {
    const char* tier;
    double compute;
  } cases[] = {{"fp32", 3e-3}, {"tf32", 1e-3}, {"half", 1e-3}};
  for (const auto& c : cases) {
    const Floor floor = floor_of({4e9, 600e9, 0}, measured, c.tier);
    EXPECT_NEAR(floor.memory_seconds, 1e-3, 1e-12) << c.tier;
    EXPECT_NEAR(floor.compute_seconds, c.compute, 1e-12) << c.tier;
    EXPECT_EQ(roofline(floor, 1, false).basis, "by measured ceilings") << c.tier;
  }
  EXPECT_NEAR(floor_of({0, 50e9, 0}, {4e12, 50e12, 90e12, ""}, "fp32").compute_seconds, 1e-3, 1e-12) << "a GPU whose tensor cores gain nothing";
}

TEST(Roofline, EfficiencyIsTheFloorOverTheTime) {
  const model::Roofline half = roofline({1e-3, 2e-4}, 2e-3, false);
  EXPECT_DOUBLE_EQ(half.memory_pct, 50);
  EXPECT_DOUBLE_EQ(half.compute_pct, 10);
  EXPECT_DOUBLE_EQ(half.efficiency_pct, 50);
  EXPECT_DOUBLE_EQ(half.headroom_pct, 50);
  EXPECT_FALSE(half.at_roofline);
  EXPECT_TRUE(half.warnings.empty());
  EXPECT_TRUE(roofline({1e-3, 0}, 1.05e-3, true).at_roofline);
  EXPECT_FALSE(roofline({1e-3, 0}, 1.06e-3, true).at_roofline);
}

TEST(Roofline, FasterThanTheFloorIsSuspicious) {
  const model::Roofline fast = roofline({1e-3, 0}, 5e-4, false);
  EXPECT_DOUBLE_EQ(fast.efficiency_pct, 200);
  EXPECT_EQ(fast.headroom_pct, 0);
  ASSERT_EQ(fast.warnings.size(), 1u);
  EXPECT_EQ(fast.warnings[0], "200 % of what the GPU can do: the kernel does less than the program, or the time is wrong");
}

TEST(Roofline, WithoutATimeThereIsNone) {
  for (const double seconds : {0.0, -1.0}) {
    const model::Roofline none = roofline({1e-3, 0}, seconds, true);
    EXPECT_EQ(none.efficiency_pct, 0);
    EXPECT_EQ(none.warnings.size(), 1u);
    EXPECT_TRUE(none.uses_tensor_cores);
  }
}

}  // namespace
}  // namespace ka::optimise

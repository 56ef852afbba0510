#include "profile/static_facts.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ka::profile {
namespace {

TEST(StaticFacts, ComeFromTheLaunchAndTheCompiler) {
  const Json launch = Json::parse(R"({"kernel": "mm", "launched": 3, "grid": [64, 8, 1], "num_warps": 4, "num_stages": 3})");
  const Json compiled = Json::parse(R"({"ok": true, "registers": 211, "shared_bytes": 98304, "spills": 16, "stack_bytes": 8, "num_warps": 4, "num_stages": 2,
                                        "code": "/*0000*/ HGMMA.64x128x16.F32 R1 ;\n", "code_form": "sass"})");
  const model::KernelProfile kernel = kernel_from(launch, compiled, ir::default_gpu());
  EXPECT_EQ(kernel.name, "mm");
  EXPECT_EQ(kernel.launches, 3);
  EXPECT_EQ(kernel.registers, 211);
  EXPECT_EQ(kernel.spills, 16);
  EXPECT_EQ(kernel.stack_bytes, 8);
  EXPECT_EQ(kernel.num_stages, 2);
  EXPECT_EQ(kernel.occupancy_pct, 12.5);
  EXPECT_EQ(kernel.occupancy_limit, "registers and shared memory");
  ASSERT_TRUE(kernel.waves);
  EXPECT_DOUBLE_EQ(*kernel.waves, 512.0 / 264);
  EXPECT_EQ(kernel.instructions, (std::map<std::string, std::int64_t>{{"tensor", 1}, {"total", 1}}));
}

TEST(StaticFacts, WhatIsNotKnownIsNotThere) {
  const Json launch = Json::parse(R"({"kernel": "k", "grid": [8], "num_warps": 8, "num_stages": 3})");
  const model::KernelProfile failed = kernel_from(launch, Json::parse(R"({"ok": false, "registers": null, "shared_bytes": 400000})"), ir::default_gpu());
  EXPECT_EQ(failed.num_warps, 8);
  EXPECT_FALSE(failed.registers);
  EXPECT_FALSE(failed.occupancy_pct);
  EXPECT_FALSE(failed.waves);
  EXPECT_TRUE(failed.instructions.empty());
}

TEST(StaticFacts, NonsenseDoesNoHarm) {
  for (const char* launch : {"null", "[]", "{}", R"({"kernel": 3, "grid": "x", "launched": -7})", R"({"grid": [1, 2, 3, 4], "launched": 1e300})", R"({"grid": [null, "a", -5]})"})
    for (const char* compiled : {"null", "{}", R"({"registers": 1e9, "shared_bytes": -1, "num_warps": "four", "code": 5})",
                                 R"({"registers": 99999999, "shared_bytes": 0, "num_warps": 4})"}) {
      const model::KernelProfile kernel = kernel_from(Json::parse(launch), Json::parse(compiled), ir::default_gpu());
      EXPECT_GE(kernel.launches, 1);
      EXPECT_FALSE(kernel.occupancy_pct);
    }
}

}  // namespace
}  // namespace ka::profile

#include "ir/gpu.h"

#include <gtest/gtest.h>

namespace ka::ir {
namespace {

TEST(Gpu, TheBuiltInTableIsReadable) {
  ASSERT_GE(all_gpus().size(), 6u);
  EXPECT_EQ(default_gpu().name, "h200");
  EXPECT_EQ(default_gpu().source, "measured");
  EXPECT_EQ(default_gpu().multiprocessors, 132);
  EXPECT_EQ(default_gpu().wanted_programs(), 528);
  for (const Gpu& gpu : all_gpus()) {
    EXPECT_LT(gpu.bytes, gpu.peak_bytes) << gpu.name;
    EXPECT_LT(gpu.half_products, gpu.peak_half) << gpu.name;
    EXPECT_TRUE(gpu.source == "measured" || gpu.source == "data sheet") << gpu.name;
  }
}

TEST(Gpu, WhatWasNotMeasuredIsTheSameShareOfThePeak) {
  const Result<Gpu> a100 = find_gpu("a100");
  ASSERT_TRUE(a100);
  EXPECT_NEAR(a100->bytes, 2.039e12 * 3 / 4.8, 1e6);
  EXPECT_NEAR(a100->three_products, 180e12 * 312 / 989, 1e7);
  EXPECT_EQ(a100->launch_seconds, default_gpu().launch_seconds);
}

TEST(Gpu, OneThatIsNotKnownIsRefusedWithTheNamesOfThoseThatAre) {
  const Result<Gpu> none = find_gpu("h2000");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::invalid_input);
  EXPECT_EQ(none.error().message, "there are no facts about a GPU \"h2000\"; known are h200, h100, b200, a100, l40s, rtx4090, max1550");
}

TEST(Gpu, ATableOfTheWrongFormIsRefused) {
  const std::string row = R"({"name": "a", "title": "A", "source": "measured", "multiprocessors": 1, "memory_bytes": 1, "l2_bytes": 1, "shared_bytes": 1, "peak_bytes": 2, "peak_float32": 2,
    "peak_tf32": 2, "peak_half": 2, "bytes": 1, "float_products": 1, "three_products": 1, "gathered_products": 1, "half_products": 1, "launch_seconds": 1, "python_launch_seconds": 1)";
  EXPECT_TRUE(read_gpus(R"({"gpus": [)" + row + "}]}"));
  for (const std::string& text : {std::string("{}"), std::string(R"({"gpus": []})"), R"({"gpus": [)" + row + R"(, "speed": 3}]})", R"({"gpus": [)" + row + "}, " + row + "}]}",
                                  std::string(R"({"gpus": [{"name": "a"}]})")})
    EXPECT_FALSE(read_gpus(text)) << text;
}

}  // namespace
}  // namespace ka::ir

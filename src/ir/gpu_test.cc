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
  const std::string limits = R"({"arch": 90, "threads": 2048, "blocks": 32, "shared_bytes": 1024, "registers": 65536)";
  EXPECT_TRUE(read_gpus(R"({"gpus": [)" + row + R"(, "cuda": )" + limits + "}}]}"));
  for (const std::string& cuda : {std::string("{}"), limits + R"(, "speed": 3})", std::string(R"({"arch": 90, "threads": 0, "blocks": 32, "shared_bytes": 1024, "registers": 65536})")})
    EXPECT_FALSE(read_gpus(R"({"gpus": [)" + row + R"(, "cuda": )" + cuda + "}]}")) << cuda;
}

TEST(Gpu, IsFoundByTheNameThatTheDriverGives) {
  struct Case {
    const char *title, *name;
  };
  for (const Case& c : {Case{"NVIDIA H200", "h200"}, {"NVIDIA H100 80GB HBM3", "h100"}, {"NVIDIA A100-SXM4-80GB", "a100"}, {"NVIDIA GeForce RTX 4090", "rtx4090"},
                        {"NVIDIA RTX A1000", ""}, {"NVIDIA GeForce RTX 4090 D", "rtx4090"}, {"", ""}, {" - ", ""}}) {
    const Gpu* found = gpu_by_title(c.title);
    EXPECT_EQ(found ? found->name : "", c.name) << c.title;
  }
}

TEST(Gpu, EveryNvidiaRowSaysWhatAMultiprocessorHolds) {
  for (const Gpu& gpu : all_gpus()) {
    EXPECT_EQ(gpu.cuda.has_value(), gpu.title.starts_with("NVIDIA")) << gpu.name;
    if (!gpu.cuda) continue;
    EXPECT_GE(gpu.cuda->shared_bytes, gpu.shared_bytes) << gpu.name;
    EXPECT_EQ(gpu.cuda->threads % 32, 0) << gpu.name;
  }
}

}  // namespace
}  // namespace ka::ir

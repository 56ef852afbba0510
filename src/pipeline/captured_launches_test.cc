#include "pipeline/captured_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ka::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ir::Gpu gpu() {
  ir::Gpu out = ir::default_gpu();
  out.forms = {ir::Form::graphs};
  out.bytes = 1e12;
  out.launch_seconds = 2e-6;
  out.python_launch_seconds = 10e-6;
  return out;
}

TEST(CapturedLaunches, WinsWhereLaunchesKeepTheGpuWaiting) {
  const Replay many = replay_of({60, 120e-6, 600e3, 2}, gpu());
  EXPECT_TRUE(many.wins);
  EXPECT_EQ(many.sentence, "launches are captured as a CUDA graph and replayed: 125 us instead of 600 us for 60 launches by Python, 5.2 us of it for 2 copies");
}

TEST(CapturedLaunches, LosesWhereCopiesCostMoreThanLaunches) {
  const struct {
    const char* name;
    KernelCall call;
  } cases[] = {
      {"one launch", {1, 3e-6, 4e3, 2}},
      {"long kernels", {60, 5e-3, 600e3, 2}},
      {"large inputs", {60, 120e-6, 1e9, 2}},
      {"many inputs", {10, 20e-6, 1e3, 12}},
  };
  for (const auto& one : cases) {
    const Replay replay = replay_of(one.call, gpu());
    EXPECT_FALSE(replay.wins) << one.name;
    EXPECT_THAT(replay.sentence, StartsWith("launches are made one by one: a replay would take ")) << one.name;
  }
}

compose::Composed composed() {
  compose::Composed out;
  out.text = "import torch\n\n\ndef kernel_function(x):\n    y = part(x)\n    return y\n";
  out.returned = {"y"};
  out.launches = 60;
  return out;
}

const compose::Program kProgram = [] {
  compose::Program out;
  out.inputs = {"x"};
  return out;
}();

std::vector<model::Subgraph> parts(std::int64_t elements) {
  model::Subgraph part;
  part.inputs = {{"a", ir::DType::float32, {elements}, {}, {}}};
  part.outputs = part.inputs;
  part.calls = {{0, {"x"}, {}, {"y"}, {}}};
  return {part};
}

TEST(CapturedLaunches, OfAComposedProgram) {
  compose::Composed made = composed();
  EXPECT_THAT(capture_launches(made, kProgram, parts(1000), "cuda", gpu()), StartsWith("launches are captured as a CUDA graph and replayed: "));
  EXPECT_THAT(made.text, HasSubstr("captured_launches = Captured(run_kernels)"));
}

TEST(CapturedLaunches, OfAComposedProgramWithReasonsAgainstIt) {
  const struct {
    const char* reason;
    void (*change)(compose::Composed&);
    const char* platform;
    std::int64_t elements;
  } cases[] = {
      {"a graph of xpu is not written", [](compose::Composed&) {}, "xpu", 1000},
      {"a part is PyTorch", [](compose::Composed& made) { made.torch_parts = {"conv"}; }, "cuda", 1000},
      {"rand draws", [](compose::Composed& made) { made.uncaptured = "rand draws"; }, "cuda", 1000},
      {"the name Captured is taken", [](compose::Composed& made) { made.text += "Captured = 1\n"; }, "cuda", 1000},
      {"a replay would take", [](compose::Composed&) {}, "cuda", 1 << 30},
  };
  for (const auto& one : cases) {
    compose::Composed made = composed();
    one.change(made);
    const std::string before = made.text;
    EXPECT_THAT(capture_launches(made, kProgram, parts(one.elements), one.platform, gpu()), StartsWith(std::string("launches are made one by one: ") + one.reason));
    EXPECT_EQ(made.text, before);
  }
}

TEST(CapturedLaunches, NotAskedFor) {
  compose::Composed made = composed();
  ir::Gpu plain = gpu();
  plain.forms.clear();
  EXPECT_EQ(capture_launches(made, kProgram, parts(1000), "cuda", plain), "");
  EXPECT_EQ(made.text, composed().text);
}

}  // namespace
}  // namespace ka::pipeline

// With the interpreter and the CPU's clock: who is faster, and what is said where one cannot be timed.
#include "pipeline/race.h"

#include <gtest/gtest.h>

namespace ka::pipeline {
namespace {

constexpr const char* kProblem = R"(
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []
)";

// `programs`: how many the elements are divided among; the interpreter runs one after the other.
std::string relu(int programs) {
  return R"(import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[()" + std::to_string(programs) + R"(,)](x, y, x.numel(), BLOCK=)" + std::to_string(64 * 128 / programs) + R"()
    return y
)";
}

struct RaceTest : testing::Test {
  const Result<std::string> python = bridge::find_interpreter();
  bridge::WarmInterpreter interpreter{bridge::InterpreterOptions{python ? *python : "python3"}};
  os::CancelSource cancel;
  const os::CancelToken token = cancel.token();
  const verify::ProblemSource problem{"p.py", "", kProblem, "train"};
  verify::JudgeOptions judge;
  RaceTest() { judge.device = "cpu"; }
  Result<double> race(const std::string& before, const std::string& after) {
    return speed_up(problem, judge, {"before.py", before, "kernel_function", "fp32"}, {"after.py", after, "kernel_function", "fp32"}, {interpreter, token});
  }
};

TEST_F(RaceTest, TheOneWithLessToDoIsFaster) {
  const Result<double> times = race(relu(64), relu(1));
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_GT(*times, 2);
  const Result<double> back = race(relu(1), relu(64));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_LT(*back, 0.5);
}

TEST_F(RaceTest, OneThatCannotBeTimedIsASentence) {
  const Result<double> times = race(relu(1), "def kernel_function(x):\n    raise ValueError('no')\n");
  ASSERT_FALSE(times);
  EXPECT_NE(times.error().message.find("no"), std::string::npos) << times.error().message;
}

TEST_F(RaceTest, ItCanBeInterrupted) {
  cancel.cancel();
  const Result<double> times = race(relu(1), relu(1));
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace ka::pipeline

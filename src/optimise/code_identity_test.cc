// Which changes of a file change what it does.
#include <gtest/gtest.h>

#include "optimise/code_identity.h"

namespace ka::optimise {
namespace {

constexpr const char* kProblem = R"(
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(64, 128)]


def get_init_inputs():
    return []
)";

constexpr const char* kKernel = R"(
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, tl.where(x < 0, 0.0, x), mask=mask)


def kernel_function(x):
    y = torch.empty_like(x)
    relu_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256, num_warps=4, num_stages=3)
    return y
)";

std::string with(std::string text, std::initializer_list<std::pair<std::string, std::string>> changes) {
  for (const auto& [before, after] : changes) {
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    text.replace(at, before.size(), after);
  }
  return text;
}

struct CodeIdentity : testing::Test {
  bridge::WarmInterpreter interpreter{bridge::InterpreterOptions{bridge::find_interpreter().value()}};
  os::CancelSource cancel;
  std::string of(const std::string& text) {
    const Result<std::string> out = code_identity({"p.py", "", kProblem, "train", "k.py", text, "kernel_function"}, {}, interpreter, cancel.token());
    EXPECT_TRUE(out) << out.error().message;
    return out ? *out : "";
  }
};

TEST_F(CodeIdentity, TheSameWhereNothingIsDoneDifferently) {
  const std::string plain = of(kKernel);
  ASSERT_FALSE(plain.empty());
  const std::pair<const char*, std::string> same[] = {
      {"stages of a kernel without a loop", with(kKernel, {{"num_stages=3", "num_stages=4"}})},
      {"lines and comments", with(kKernel, {{"\n\n\n@triton.jit", "\n\n\n# a comment\n\n\n@triton.jit"}, {"    y = torch", "    # another\n    y = torch"}})},
      {"names in the kernel", with(kKernel, {{"    mask = offsets < n", "    inside = offsets < n"}, {"mask=mask", "mask=inside"}, {"mask=mask", "mask=inside"}})},
  };
  for (const auto& [name, text] : same) EXPECT_EQ(of(text), plain) << name;
}

TEST_F(CodeIdentity, AnotherWhereSomethingIs) {
  const std::string plain = of(kKernel);
  const std::pair<const char*, std::string> others[] = {
      {"warps", with(kKernel, {{"num_warps=4", "num_warps=8"}})},
      {"a block, and the grid with it", with(kKernel, {{"x.numel(), 256)", "x.numel(), 512)"}, {"BLOCK=256", "BLOCK=512"}})},
      {"the grid alone", with(kKernel, {{"x.numel(), 256)", "x.numel(), 128)"}})},
      {"an argument", with(kKernel, {{"x, y, x.numel()", "x, y, x.numel() - 32"}})},
      {"the kernel", with(kKernel, {{"x < 0", "x <= 0"}})},
      {"the host code", with(kKernel, {{"    y = torch.empty_like(x)", "    y = torch.zeros_like(x)"}})},
      {"a second launch",
       with(kKernel, {{"    return y", "    relu_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256, num_warps=4, num_stages=3)\n    return y"}})},
  };
  for (const auto& [name, text] : others) {
    const std::string other = of(text);
    EXPECT_FALSE(other.empty()) << name;
    EXPECT_NE(other, plain) << name;
  }
}

TEST_F(CodeIdentity, UnknownWhereItCannotBeSaid) {
  const std::pair<const char*, std::string> unknown[] = {
      {"no Python", "def ("},
      {"raises", with(kKernel, {{"    y = torch.empty_like(x)", "    raise ValueError()"}})},
      {"does not compile", with(kKernel, {{"tl.where(x < 0, 0.0, x)", "tl.where(x < 0, 0.0, x) @ x"}})},
      {"launches nothing", "import torch\n\n\ndef kernel_function(x):\n    return torch.empty_like(x)\n"},
      {"tuned", with(kKernel, {{"@triton.jit", "@triton.autotune(configs=[triton.Config({'BLOCK': 256}), triton.Config({'BLOCK': 512})], key=['n'])\n@triton.jit"},
                               {"relu_kernel[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256, num_warps=4, num_stages=3)",
                                "relu_kernel[lambda meta: (triton.cdiv(x.numel(), meta['BLOCK']),)](x, y, x.numel())"}})},
  };
  for (const auto& [name, text] : unknown) EXPECT_EQ(of(text), "") << name;
}

}  // namespace
}  // namespace ka::optimise

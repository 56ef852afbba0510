#include "bridge/captured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace ka::bridge {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kFile = R"(import torch


def kernel_function(x, y, *, weight, bias):
    out = torch.empty(x.shape)

    return out
)";

TEST(Captured, ClassIsTheTextOfTheBridge) {
  EXPECT_THAT(std::string(captured_class()), StartsWith("class Captured:\n    \"\"\"A function whose launches are captured"));
  EXPECT_THAT(std::string(captured_class()), Not(HasSubstr("\n\n\n")));  // nothing comes after it
}

TEST(Captured, EntryReplaysWhatItWas) {
  const Result<std::string> text = with_captured_launches(kFile);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, StartsWith("import torch\n\n\nclass Captured:\n"));
  EXPECT_THAT(*text, EndsWith(R"(

def run_kernels(x, y, *, weight, bias):
    out = torch.empty(x.shape)

    return out


captured_launches = Captured(run_kernels)


def kernel_function(x, y, *, weight, bias):
    return captured_launches(x, y, weight=weight, bias=bias)
)"));
}

TEST(Captured, WhatFollowsTheEntryStays) {
  const Result<std::string> text = with_captured_launches(kFile + "\n\nif __name__ == \"__main__\":\n    print(1)\n");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, EndsWith("bias=bias)\n\n\nif __name__ == \"__main__\":\n    print(1)\n"));
}

TEST(Captured, LongSignaturesStayAsTheyAreAndLongCallsAreBroken) {
  std::string names;
  for (int i = 0; i < 30; ++i) names += fmt::format("    weight_{},\n", i);
  const Result<std::string> text = with_captured_launches("import torch\n\ndef kernel_function(\n    x, *,\n" + names + "):\n    return x\n");
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("\ndef kernel_function(\n    x, *,\n" + names + "):\n    return captured_launches(\n        x, weight_0=weight_0, "));
  EXPECT_THAT(*text, EndsWith("weight_29=weight_29,\n    )\n"));
}

TEST(Captured, InnerFunctionKeepsItsName) {
  std::string inner = kFile;
  inner.replace(inner.find("kernel_function"), 15, "run_kernels");
  const Result<std::string> text = with_captured_launches(inner);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, EndsWith("    return out\n\n\ncaptured_launches = Captured(run_kernels)\n"));
}

TEST(Captured, RefusesWhatItCannotDoWithCertainty) {
  const struct {
    std::string text, message;
  } cases[] = {
      {"import torch\n", "there is no function kernel_function at the top of the file"},
      {"x = 1\ndef kernel_function(x=1):\n    return x\n", "the signature of kernel_function holds more than names"},
      {"x = 1\ndef kernel_function(x: int) -> int:\n    return x\n", "the signature of kernel_function holds more than names"},
      {"captured_launches = 1\n" + kFile, "the name captured_launches is taken"},
      {"class Captured:\n    pass\n" + kFile, "the name Captured is taken"},
      {"run_kernels = 1\n" + kFile, "the name run_kernels is taken"},
  };
  for (const auto& one : cases) {
    const Result<std::string> text = with_captured_launches(one.text);
    ASSERT_FALSE(text) << one.text;
    EXPECT_EQ(text.error().message, one.message);
  }
}

}  // namespace
}  // namespace ka::bridge

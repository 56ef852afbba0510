#include "base/python_tokens.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace ka {
namespace {

std::string tokens(std::string_view source) {
  std::string out;
  for (const Token& token : python_tokens(source)) {
    constexpr const char* names = "pkd@scn";
    out += fmt::format("{}:{}|", names[static_cast<int>(token.kind)], token.text);
  }
  return out;
}

TEST(PythonTokens, Pieces) {
  const struct {
    const char* source;
    const char* want;
  } cases[] = {
      {"def f(x): # c", "k:def|p: |d:f|p:(x): |c:# c|"},
      {"class A:", "k:class|p: |d:A|p::|"},
      {"@triton.jit\ndef k", "@:@triton.jit|p:\n|k:def|p: |d:k|"},
      {"a @ b", "p:a @ b|"},
      {"x = 'a # b' + \"c\\\"d\"", "p:x = |s:'a # b'|p: + |s:\"c\\\"d\"|"},
      {"\"\"\"a\n'b' # c\"\"\"d", "s:\"\"\"a\n'b' # c\"\"\"|p:d|"},
      {"f'{x}' rb\"y\" xy'z'", "s:f'{x}'|p: |s:rb\"y\"|p: xy|s:'z'|"},
      {"'open\nreturn", "s:'open|p:\n|k:return|"},
      {"1e-5 0x1F 1_000 .5 a1 2.5j 1.", "n:1e-5|p: |n:0x1F|p: |n:1_000|p: |n:.5|p: a1 |n:2.5j|p: |n:1.|"},
      {"returned in_x None", "p:returned in_x |k:None|"},
      {"\xC3\xA4 = 1", "p:\xC3\xA4 = |n:1|"},
      {"'''open", "s:'''open|"},
      {"'\\", "s:'\\|"},
      {"", ""},
  };
  for (const auto& row : cases) EXPECT_EQ(tokens(row.source), row.want) << row.source;
}

TEST(PythonTokens, NothingIsLost) {
  const std::string alphabet = "a1.'\"\\#@\n e-x\xC3";
  std::uint32_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    std::string source, back;
    for (int k = 0; k < 40; ++k) {
      state = state * 1664525 + 1013904223;
      source += alphabet[(state >> 16) % alphabet.size()];
    }
    for (const Token& token : python_tokens(source)) back += token.text;
    ASSERT_EQ(back, source);
  }
}

TEST(PythonTokens, NamesAtTheMargin) {
  const struct {
    const char* source;
    const char* want;
  } cases[] = {
      {"def f():\n    def g(): pass\nasync def h(): pass\nclass C: pass\n", "f h C"},
      {"X = 1\nY == 2\nZ=lambda: 0\n  W = 3\nx.y = 4\n", "X Z"},
      {"'''\nA = 1\ndef b(): pass\n'''\nC = 1", "C"},
      {"f(x); y = 1\n", ""},
      {"", ""},
  };
  for (const auto& row : cases) EXPECT_EQ(fmt::format("{}", fmt::join(outer_names(row.source), " ")), row.want) << row.source;
}

}  // namespace
}  // namespace ka

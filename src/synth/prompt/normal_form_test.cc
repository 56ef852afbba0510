#include "synth/prompt/normal_form.h"

#include <gtest/gtest.h>

namespace ka::prompt {
namespace {

struct Pair {
  const char* name;
  const char* a;
  const char* b;
};

TEST(NormalForm, TheSame) {
  const Pair cases[] = {
      {"line ends", "x = 1\r\ny = 2\r\n", "x = 1\ny = 2"},
      {"blanks at line ends", "x = 1  \ny = 2\t\n", "x = 1\ny = 2\n"},
      {"blank lines", "\n\nx = 1\n\n   \ny = 2\n\n", "x = 1\ny = 2\n"},
      {"comments", "# head\nx = 1  # why\n# tail", "x = 1\n"},
      {"a comment inside brackets", "f(a,  # first\n  b)", "f(a,\n  b)"},
      {"docstrings", "\"\"\"About.\n\nMore.\n\"\"\"\ndef f():\n    'short'\n    return 1\n", "def f():\n    return 1\n"},
      {"blanks between words and signs", "x=f( a,b )+ 1", "x = f(a, b) + 1"},
      {"a comment after a docstring", "def f():\n    \"doc\"  # c\n    return 1", "def f():\n    return 1"},
  };
  for (const Pair& row : cases) EXPECT_EQ(normal_form(row.a), normal_form(row.b)) << row.name;
}

TEST(NormalForm, NotTheSame) {
  const Pair cases[] = {
      {"a number", "x = 1\n", "x = 2\n"},
      {"indentation", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"},
      {"a hash inside a text", "x = '# a'\n", "x = '# b'\n"},
      {"a text that is a value", "x = \\\n'a'\n", "x = \\\n'b'\n"},
      {"a text that is an argument", "f(\n'a'\n)", "f(\n'b'\n)"},
      {"blanks inside a text", "x = 'a  b'", "x = 'a b'"},
      {"blanks at a line end inside a text", "x = '''a \nb'''", "x = '''a\nb'''"},
      {"signs", "x = a * *b", "x = a ** b"},
      {"words", "not x", "notx"},
      {"a number with a point", "1 .real", "1.real"},
      {"a quote inside an f-string", "x = f\"{d[\"#\"]}\"\n", "x = f\"{d[\"#a\"]}\"\n"},
      {"a text that the policy reads", "\"\"\"\ndef f(): pass\n\"\"\"\nx = 1\n", "x = 1\n"},
      {"an encoding", "# -*- coding: latin-1 -*-\nx = 1\n", "x = 1\n"},
      {"a control character in a comment", "x = 1  # \x0C\x01\n", "x = 1\n"},
      {"a text that is not closed", "x = '''a # b", "x = '''a"},
  };
  for (const Pair& row : cases) EXPECT_NE(normal_form(row.a), normal_form(row.b)) << row.name << "\n" << normal_form(row.a);
}

TEST(NormalForm, IsItsOwnNormalForm) {
  for (const char* source : {"def f( x ):\n  return x  # c\n", "x = f\"{a}\" 'b'\n", "@triton . jit\ndef k(): pass\n"})
    EXPECT_EQ(normal_form(normal_form(source)), normal_form(source));
}

TEST(NormalForm, IdentityIsAHash) {
  EXPECT_EQ(source_identity("x = 1 # a\n"), source_identity("x = 1\r\n"));
  EXPECT_EQ(source_identity("x = 1\n").size(), 64U);
}

}  // namespace
}  // namespace ka::prompt

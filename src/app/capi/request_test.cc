#include "app/capi/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ka::capi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Good {
  std::string_view text;
  std::vector<std::string> words;
};

TEST(RequestTest, BecomesACommandLine) {
  const std::vector<Good> rows = {
      {R"({"command": "auto"})", {"auto"}},
      {R"({"command": "auto", "flags": {}, "words": []})", {"auto"}},
      {R"({"command": "verify", "flags": {"problem": "p q.py", "require_general": true, "json": false, "entry": null}})", {"verify", "--problem=p q.py", "--require-general"}},
      {R"({"command": "auto", "flags": {"max-minutes": 1.5, "seed": 7}})", {"auto", "--max-minutes=1.5", "--seed=7"}},
      {R"({"command": "generate", "words": ["relu of 4 numbers"]})", {"generate", "relu of 4 numbers"}},
      {R"({"command": "auto", "flags": {"out": "--json"}})", {"auto", "--out=--json"}},
  };
  for (const Good& row : rows) {
    const Result<JobRequest> got = parse_request(row.text, {});
    ASSERT_TRUE(got) << row.text << ": " << got.error().message;
    EXPECT_EQ(got->words, row.words) << row.text;
  }
}

struct Bad {
  std::string_view text, says;
};

TEST(RequestTest, WhatIsRefused) {
  const std::vector<Bad> rows = {
      {"", "request"},
      {"[]", "request"},
      {"{}", "command"},
      {R"({"command": 1})", "command"},
      {R"({"command": ""})", "is not the name of a command"},
      {R"({"command": "--version"})", "is not the name of a command"},
      {R"({"command": "__launch"})", "is not the name of a command"},
      {R"({"command": "auto", "flag": {}})", "unknown field \"flag\""},
      {R"({"command": "auto", "flags": []})", "flags"},
      {R"({"command": "auto", "flags": {"a": [1]}})", "flag \"a\" is a list"},
      {R"({"command": "auto", "flags": {"a b": 1}})", "not the name of a flag"},
      {R"({"command": "auto", "flags": {"--a": 1}})", "not the name of a flag"},
      {R"({"command": "auto", "words": ["--json"]})", "begins like a flag"},
      {R"({"command": "auto", "words": [1]})", "words"},
      {R"({"command": "auto", "environment": {"A=B": "c"}})", "no variable"},
      {R"({"command": "auto", "environment": {"A": 1}})", "no variable"},
  };
  for (const Bad& row : rows) {
    const Result<JobRequest> got = parse_request(row.text, {});
    ASSERT_FALSE(got) << row.text;
    EXPECT_EQ(got.error().kind, ErrorKind::invalid_input);
    EXPECT_THAT(got.error().message, HasSubstr(std::string(row.says)));
  }
}

TEST(RequestTest, Environment) {
  const Result<JobRequest> got = parse_request(R"({"command": "auto", "folder": "/x", "environment": {"A": "new", "B": null, "C": ""}})", {"A=old", "AA=1", "B=2"});
  ASSERT_TRUE(got);
  EXPECT_THAT(got->environment, ElementsAre("AA=1", "A=new", "C="));
  EXPECT_EQ(got->folder, "/x");
}

}  // namespace
}  // namespace ka::capi

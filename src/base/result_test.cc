#include "base/result.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace ka {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return invalid_input("odd");
  return n / 2;
}

Result<int> quarter(int n) {
  KA_ASSIGN(const int first, half(n));
  KA_ASSIGN(const int second, half(first));
  return second;
}

Status check_even(int n) {
  KA_TRY(half(n));
  return ok();
}

TEST(Result, CarriesValueOrError) {
  EXPECT_EQ(half(4).value(), 2);
  EXPECT_EQ(half(3).error().message, "odd");
  EXPECT_FALSE(half(3));
}

TEST(Result, AssignReturnsTheFirstError) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().kind, ErrorKind::invalid_input);
  EXPECT_TRUE(check_even(2));
  EXPECT_FALSE(check_even(1));
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, ErrorsGainContext) {
  const Error error = io_error("disk full").with("journal").with("run");
  EXPECT_EQ(error.message, "run: journal: disk full");
  EXPECT_EQ(error.kind, ErrorKind::io);
}

TEST(Result, ExitCodeTellsWhoseTurnItIs) {
  struct Case {
    Error error;
    int code;
  };
  const Case cases[] = {
      {invalid_input(""), 2}, {unsupported(""), 2},   {not_found(""), 2},         {environment_error(""), 3},
      {io_error(""), 3},      {timeout_error(""), 3}, {cancelled_error(""), 130}, {internal_error(""), 70},
  };
  for (const Case& row : cases) EXPECT_EQ(exit_code(row.error), row.code) << to_string(row.error.kind);
}

TEST(Result, ErrnoErrorEndsWithTheSystemsText) {
  EXPECT_EQ(errno_error("cannot open x", ENOENT).message, "cannot open x: No such file or directory");
}

TEST(Result, TheUsersMistakesAreOneLineWhateverTheyQuote) {
  for (const Error& error : {invalid_input("a\n\tb\x1b[2J\x7f é"), unsupported("a\n\tb\x1b[2J\x7f é"), not_found("a\n\tb\x1b[2J\x7f é")})
    EXPECT_EQ(error.message, "a\\n\\tb\\x1b[2J\\x7f é");
}

TEST(ResultDeathTest, AskingForAMissingValueAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(static_cast<void>(half(3).value()), "internal error");
}

}  // namespace
}  // namespace ka

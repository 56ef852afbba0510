#include "os/environment.h"

#include <sys/stat.h>

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/files.h"

namespace ka::os {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Sets a variable and puts the old value back.
class ScopedEnv {
 public:
  ScopedEnv(const char* name, const char* value) : name_(name), before_(get_env(name)) {
    ::setenv(name, value, 1);
  }
  ~ScopedEnv() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  ScopedEnv(const ScopedEnv&) = delete;
  ScopedEnv& operator=(const ScopedEnv&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Environment, GetEnvTellsUnsetFromEmpty) {
  const ScopedEnv empty("KA_TEST_EMPTY", "");
  EXPECT_EQ(get_env("KA_TEST_EMPTY"), "");
  EXPECT_EQ(get_env("KA_TEST_UNSET"), std::nullopt);
}

TEST(Environment, CleanEnvironmentHoldsNoKeys) {
  const char* secrets[] = {
      "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HF_TOKEN",      "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY",
      "SSH_AUTH_SOCK",  "LC_SECRET",         "PYTHONSTARTUP", "LD_PRELOAD",   "PATH_KEY"};
  for (const char* name : secrets) {
    const ScopedEnv secret(name, "leaked-value");
    for (const std::string& entry : clean_environment())
      EXPECT_THAT(entry, Not(HasSubstr("leaked-value"))) << name;
  }
}

TEST(Environment, CleanEnvironmentPassesHarmlessOnes) {
  const ScopedEnv zone("TZ", "UTC");
  const ScopedEnv language("LC_ALL", "C.UTF-8");
  const ScopedEnv home("HOME", "/somewhere/private");
  const std::vector<std::string> entries = clean_environment("/scratch");
  EXPECT_THAT(entries, Contains("TZ=UTC"));
  EXPECT_THAT(entries, Contains("LC_ALL=C.UTF-8"));
  EXPECT_THAT(entries, Contains("HOME=/scratch"));
  EXPECT_THAT(entries, Not(Contains(HasSubstr("/somewhere/private"))));
  EXPECT_THAT(entries, Contains(StartsWith("PATH=")));
  EXPECT_TRUE(std::is_sorted(entries.begin(), entries.end()));
}

TEST(FindProgram, SearchesThePath) {
  const TempDir dir = std::move(TempDir::create()).value();
  ASSERT_TRUE(write_file_atomic(dir.file("tool"), "#!/bin/sh\n"));
  const std::string path = "/nonexistent::" + dir.path();
  EXPECT_EQ(find_program("tool", path), std::nullopt);  // not executable yet
  ASSERT_EQ(::chmod(dir.file("tool").c_str(), 0755), 0);
  EXPECT_EQ(find_program("tool", path), dir.file("tool"));
  EXPECT_EQ(find_program(dir.file("tool"), ""), dir.file("tool"));
  EXPECT_EQ(find_program("", path), std::nullopt);
  EXPECT_EQ(find_program("no-such-tool", path), std::nullopt);
  EXPECT_TRUE(find_program("sh"));
}

}  // namespace
}  // namespace ka::os

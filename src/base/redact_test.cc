#include "base/redact.h"

#include <gtest/gtest.h>

namespace ka {
namespace {

TEST(Redactor, HidesRegisteredValues) {
  Redactor redactor;
  redactor.add_secret("hunter22");
  EXPECT_EQ(redactor.redact("pw hunter22, again hunter22."), "pw [redacted], again [redacted].");
  EXPECT_EQ(redactor.redact("hunter2"), "hunter2");
}

TEST(Redactor, LongerSecretsGoFirst) {
  Redactor redactor;
  redactor.add_secret("secret");
  redactor.add_secret("secret-longer");
  EXPECT_EQ(redactor.redact("secret-longer secret"), "[redacted] [redacted]");
}

TEST(Redactor, IgnoresValuesThatWouldBlankOutEverything) {
  Redactor redactor;
  redactor.add_secret("");
  redactor.add_secret("a");
  EXPECT_EQ(redactor.redact("a banana"), "a banana");
}

TEST(Redactor, HidesTextsThatLookLikeKeys) {
  struct Case {
    const char* text;
    const char* redacted;
  };
  const Case cases[] = {
      {"key sk-abcdefgh12345678 end", "key [redacted] end"},
      {"sk-proj-abc_DEF-123456", "[redacted]"},
      {"Authorization: Bearer abcdef.123456", "Authorization: [redacted]"},
      {"\"ghp_aaaaaaaaaaaaaaaaaaaaaaaa\"", "\"[redacted]\""},
      {"hf_aaaaaaaaaaaaaaaaaaaaaaaa", "[redacted]"},
      {"nvapi-abcdefghij", "[redacted]"},
      {"AKIAABCDEFGHIJKLMNOP", "[redacted]"},
      {"the task-scheduler works", "the task-scheduler works"},
      {"sk-short", "sk-short"},
      {"hf_hub", "hf_hub"},
      {"", ""},
  };
  const Redactor redactor;
  for (const Case& row : cases) EXPECT_EQ(redactor.redact(row.text), row.redacted) << row.text;
}

}  // namespace
}  // namespace ka

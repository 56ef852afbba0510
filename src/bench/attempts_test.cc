#include "bench/attempts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ka::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kAll = {"kernel", "eager", "compile", "compile_max_autotune"};

Timed timed_with(const std::vector<std::string>& contenders) {
  Timed out;
  for (const std::string& name : contenders) {
    out.timings.emplace_back();
    out.timings.back().contender = name;
  }
  return out;
}

struct Tried {
  std::vector<std::vector<std::string>> contenders;
  Result<Timed> result = Timed{};
};

// Fails with the guilty one as long as `fails` says so of those who take part.
Tried attempts(const std::function<std::string(const std::vector<std::string>&)>& guilty_of, ErrorKind kind = ErrorKind::environment) {
  Tried out;
  TimingOptions options;
  options.contenders = kAll;
  out.result = time_in_attempts(options, [&](const TimingOptions& now, std::string& guilty) -> Result<Timed> {
    out.contenders.push_back(now.contenders);
    guilty = guilty_of(now.contenders);
    if (!guilty.empty()) return Error{kind, "it was killed"};
    return timed_with(now.contenders);
  });
  return out;
}

TEST(Attempts, RivalsGoTogetherAndTheOthersAreTimed) {
  for (const auto& [guilty_one, all] : {std::pair("kernel_2", true), std::pair("samples", false)}) {
    TimingOptions options;
    options.contenders = {"kernel", "eager"};
    options.rivals = {{"a.py", "", ""}, {"b.py", "", ""}};
    int tries = 0;
    const Result<Timed> timed = time_in_attempts(options, [&](const TimingOptions& now, std::string& guilty) -> Result<Timed> {
      ++tries;
      guilty = guilty_one;
      if (!now.rivals.empty()) return environment_error("it was killed");
      return timed_with(now.contenders);
    });
    EXPECT_EQ(tries, 2);
    EXPECT_EQ(timed->timings.size(), 2U) << "eager is still there";
    EXPECT_EQ(timed->failed.at("kernel_1"), fmt::format("left out, because with it {} failed: it was killed", all ? "kernel_2" : "the samples"));
    EXPECT_EQ(timed->failed.at("kernel_2") == "it was killed", all);
  }
}

bool has(const std::vector<std::string>& names, const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); }

TEST(Attempts, NothingFails) {
  const Tried tried = attempts([](const auto&) { return ""; });
  EXPECT_THAT(tried.contenders, ElementsAre(kAll));
  EXPECT_TRUE(tried.result->failed.empty());
}

TEST(Attempts, AGuiltyBaselineIsLeftOutAndTheOthersAreTimed) {
  const Tried tried = attempts([](const auto& names) { return has(names, "compile_max_autotune") ? "compile_max_autotune" : has(names, "compile") ? "compile" : ""; });
  ASSERT_EQ(tried.contenders.size(), 3U);
  EXPECT_THAT(tried.contenders.back(), ElementsAre("kernel", "eager"));
  EXPECT_EQ(tried.result->failed.at("compile_max_autotune"), "it was killed");
  EXPECT_EQ(tried.result->failed.at("compile"), "it was killed");
}

TEST(Attempts, WhatTheKernelFailsOfMayBeTheCompilers) {
  const Tried tried = attempts([](const auto& names) { return has(names, "compile") ? "kernel" : ""; });
  ASSERT_EQ(tried.contenders.size(), 2U);
  EXPECT_THAT(tried.contenders.back(), ElementsAre("kernel", "eager"));
  EXPECT_THAT(tried.result->failed.at("compile"), HasSubstr("with it the kernel failed"));
}

TEST(Attempts, SamplesThatFailAreTakenWithFewer) {
  const Tried tried = attempts([](const auto& names) { return names.size() > 1 ? kBenchSamples : ""; });
  ASSERT_EQ(tried.contenders.size(), 3U);
  EXPECT_THAT(tried.contenders[1], ElementsAre("kernel", "eager"));
  EXPECT_THAT(tried.contenders[2], ElementsAre("kernel"));
}

TEST(Attempts, AKernelThatFailsAloneIsAnError) {
  const Tried tried = attempts([](const auto&) { return "kernel"; });
  EXPECT_EQ(tried.contenders.size(), 3U);
  EXPECT_FALSE(tried.result);
}

TEST(Attempts, AProblemThatDoesNotOpenIsTriedOnce) {
  const Tried tried = attempts([](const auto&) { return kBenchProblem; });
  EXPECT_EQ(tried.contenders.size(), 1U);
  EXPECT_FALSE(tried.result);
}

TEST(Attempts, ACancellationIsTheEnd) {
  const Tried tried = attempts([](const auto&) { return "compile"; }, ErrorKind::cancelled);
  EXPECT_EQ(tried.contenders.size(), 1U);
  EXPECT_EQ(tried.result.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace ka::bench

#include "bench/baseline_cache.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/files.h"

namespace ka::bench {
namespace {

using ::testing::HasSubstr;

model::Timing timing(const std::string& contender, std::vector<double> samples) {
  model::Timing out;
  out.contender = contender;
  out.samples_ms = std::move(samples);
  out.median_ms = median(out.samples_ms);
  return out;
}

const BaselineKey kKey = {{"NVIDIA H200", "580.1", "700.00", "2.11.0", "3.6.0"}, "ab12", "", "train", "cuda_events", 0, "compile"};
const CachedBaseline kEntry = {"2026-11-16T16:00:00.000Z", timing("compile", {1.0, 1.1, 0.9}), timing("eager", {2.0, 2.2, 1.8})};

class BaselineCacheTest : public ::testing::Test {
 protected:
  os::TempDir dir_ = os::TempDir::create("baselines-").value();
  BaselineCache cache_{dir_.file("kept")};
  std::string file() const { return dir_.file("kept") + "/" + os::list_dir(dir_.file("kept")).value().at(0); }
};

TEST_F(BaselineCacheTest, WhatIsKeptIsFoundAgain) {
  EXPECT_EQ(cache_.find(kKey).value(), std::nullopt);
  ASSERT_TRUE(cache_.keep(kKey, kEntry));
  const std::optional<CachedBaseline> found = cache_.find(kKey).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->baseline, kEntry.baseline);
  EXPECT_EQ(found->eager, kEntry.eager);
  EXPECT_EQ(found->taken, kEntry.taken);
}

TEST_F(BaselineCacheTest, AnotherMachineProblemModeMethodSeedOrBaselineIsAnotherEntry) {
  ASSERT_TRUE(cache_.keep(kKey, kEntry));
  const std::function<void(BaselineKey&)> changes[] = {
      [](BaselineKey& key) { key.machine.gpu = "NVIDIA H100"; },
      [](BaselineKey& key) { key.machine.driver = "570.1"; },
      [](BaselineKey& key) { key.machine.power_limit = "600.00"; },
      [](BaselineKey& key) { key.machine.torch = "2.12.0"; },
      [](BaselineKey& key) { key.machine.triton = "3.7.0"; },
      [](BaselineKey& key) { key.problem_sha256 = "cd34"; },
      [](BaselineKey& key) { key.object = "Model2"; },
      [](BaselineKey& key) { key.mode = "eval"; },
      [](BaselineKey& key) { key.method = "perf_counter"; },
      [](BaselineKey& key) { key.seed = 1; },
      [](BaselineKey& key) { key.contender = "compile_max_autotune"; },
  };
  for (const auto& change : changes) {
    BaselineKey other = kKey;
    change(other);
    EXPECT_EQ(cache_.find(other).value(), std::nullopt);
  }
}

TEST_F(BaselineCacheTest, ADamagedEntryIsAnErrorThatNamesTheFile) {
  ASSERT_TRUE(cache_.keep(kKey, kEntry));
  const std::string text = os::read_file(file()).value();
  std::string faster = text;
  faster.replace(faster.find("1.1"), 3, "0.1");
  for (const std::string& damaged : {text.substr(0, text.size() / 2), std::string("{}"), std::string(), faster}) {
    ASSERT_TRUE(os::write_file_atomic(file(), damaged));
    const auto found = cache_.find(kKey);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr(file() + " is damaged"));
  }
  ASSERT_TRUE(cache_.keep(kKey, kEntry));
  EXPECT_TRUE(cache_.find(kKey).value());
}

TEST_F(BaselineCacheTest, TimesThatAreNoneAreDamage) {
  for (const std::vector<double>& samples : {std::vector<double>{}, {0, 1, 2}, {1, 2}, {-1, 1, 1}}) {
    ASSERT_TRUE(cache_.keep(kKey, {kEntry.taken, timing("compile", samples), kEntry.eager}));
    EXPECT_FALSE(cache_.find(kKey));
  }
}

TEST(ScaledBaseline, GoesWithWhatEagerTakesNow) {
  const ScaledBaseline now = scaled(kEntry, timing("eager", {4.0, 4.4, 3.6}), timing("kernel", {0.5, 0.55, 0.45}));
  EXPECT_NEAR(now.median_ms, 2.0, 1e-12) << "half of eager then, so half of eager now";
  EXPECT_NEAR(now.ratio.value, 4.0, 1e-12);
  EXPECT_LE(now.ratio.low, 4.0 + 1e-9);
  EXPECT_GE(now.ratio.high, 4.0 - 1e-9);
}

}  // namespace
}  // namespace ka::bench

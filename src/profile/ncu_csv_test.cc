#include "profile/ncu_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/files.h"
#include "profile/ncu_metrics.h"

namespace ka::profile {
namespace {

using testing::HasSubstr;

std::string seed(const char* name) { return os::read_file(std::string(KA_SOURCE_DIR "/test/fuzz/seeds/ncu/") + name).value(); }

const char* const kHeader =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
    "\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"dram__throughput.avg.pct_of_peak_sustained_elapsed\",\"launch__registers_per_thread\"\n";
const char* const kUnits = "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\",\"Mbyte\",\"%\",\"register/thread\"\n";

std::string row(const std::string& kernel, const std::string& values, const std::string& block = "(128, 1, 1)") {
  return "\"0\",\"12\",\"python3.11\",\"127.0.0.1\",\"" + kernel + "\",\"1\",\"7\",\"" + block + "\",\"(64, 2, 1)\",\"0\",\"9.0\"," + values + "\n";
}

std::string table(const std::string& rows) { return std::string("==PROF== Connected to process 12\n") + kHeader + kUnits + rows + "==PROF== Disconnected from process 12\n"; }

TEST(NcuCsv, ReadsUnitsSeparatorsAndQuotedNames) {
  const auto launches = parse_ncu(table(row("void add<float, \"\"x\"\">(float *, int)", "\"1,234.5\",\"16.78\",\"91.25\",\"32\""))).value();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, "void add<float, \"x\">(float *, int)");
  EXPECT_EQ(launches[0].block, (std::array<std::int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(launches[0].grid, (std::array<std::int64_t, 3>{64, 2, 1}));
  EXPECT_DOUBLE_EQ(launches[0].metrics.at("gpu__time_duration.sum"), 1234.5e-6);
  EXPECT_DOUBLE_EQ(launches[0].metrics.at("dram__bytes_read.sum"), 16.78e6);
  EXPECT_DOUBLE_EQ(launches[0].metrics.at("launch__registers_per_thread"), 32);
}

TEST(NcuCsv, AllLaunchesOfAKernelAreOneAndLongOnesWeighMore) {
  const auto kernels = aggregated(
      parse_ncu(table(row("a", "\"10\",\"1\",\"90\",\"32\"") + row("b", "\"5\",\"2\",\"50\",\"40\"") + row("a", "\"30\",\"3\",\"10\",\"32\""))).value());
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "a");
  EXPECT_EQ(kernels[0].launches, 2);
  EXPECT_DOUBLE_EQ(*kernels[0].time_ms, 0.04);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("dram__bytes_read.sum"), 4e6) << "counts are added";
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 30) << "rates are weighted by time";
  EXPECT_EQ(kernels[0].registers, 32);
  EXPECT_EQ(kernels[0].num_warps, 4);
  EXPECT_EQ(kernels[1].launches, 1);
}

TEST(NcuCsv, OtherCodeOfTheSameNameIsAnotherKernel) {
  const std::string values = "\"10\",\"1\",\"90\",\"32\"";
  EXPECT_EQ(aggregated(parse_ncu(table(row("a", values) + row("a", values, "(256, 1, 1)") + row("a", "\"10\",\"1\",\"90\",\"64\""))).value()).size(), 3u);
}

TEST(NcuCsv, WhatALaunchLacksIsNotInvented) {
  const auto kernels = aggregated(parse_ncu(table(row("a", "\"10\",\"n/a\",\"90\",\"32\"") + row("a", "\"30\",\"3\",\"nan\",\"32\""))).value());
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_FALSE(kernels[0].metrics.contains("dram__bytes_read.sum")) << "half of a sum is no sum";
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 90) << "the mean of those that have it";
}

TEST(NcuCsv, WithoutTimesAllLaunchesWeighTheSame) {
  const auto kernels = aggregated(parse_ncu(table(row("a", "\"n/a\",\"1\",\"90\",\"32\"") + row("a", "\"30\",\"3\",\"10\",\"32\""))).value());
  EXPECT_FALSE(kernels[0].time_ms);
  EXPECT_DOUBLE_EQ(kernels[0].metrics.at("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 50);
}

struct Field {
  const char* text;
  std::optional<double> value;
};

TEST(NcuCsv, NumbersAreReadStrictly) {
  for (const Field& c : {Field{"1", 1}, {"1,234", 1234}, {"12,345,678.25", 12345678.25}, {" 7 ", 7}, {"1e3", 1000}, {"-1,000", -1000}, {"0", 0}, {"n/a", {}}, {"", {}}, {"nan", {}},
                         {"inf", {}}, {"1,23", {}}, {",123", {}}, {"1,2345", {}}, {"1234,567", {}}, {"1.2,345", {}}, {"12 %", {}}, {"0x10", {}}, {"1,", {}}, {"1e999", {}}}) {
    const auto launches = parse_ncu(table(row("a", "\"10\",\"1\",\"" + std::string(c.text) + "\",\"32\"")));
    ASSERT_TRUE(launches) << c.text;
    const auto found = (*launches)[0].metrics.find("dram__throughput.avg.pct_of_peak_sustained_elapsed");
    ASSERT_EQ(found != (*launches)[0].metrics.end(), c.value.has_value()) << c.text;
    if (c.value) {
      EXPECT_DOUBLE_EQ(found->second, *c.value) << c.text;
    }
  }
}

TEST(NcuCsv, UnitsWithAndWithoutPrefix) {
  const struct {
    const char* unit;
    double factor;
  } cases[] = {{"", 1}, {"%", 1}, {"byte", 1}, {"Kbyte", 1e3}, {"Gbyte/second", 1e9}, {"nsecond", 1e-9}, {"ns", 1e-9}, {"us", 1e-6}, {"msecond", 1e-3}, {"s", 1},
               {"register/thread", 1},
               {"Kbyte/block", 1e3}, {"byte/nsecond", 1e9}, {"Ghz", 1e9}, {"Pbyte", 0}, {"furlong", 0}, {"byte/", 1}, {"/", 1}, {"a/b/c", 0}, {"K", 0}};
  for (const auto& c : cases) EXPECT_DOUBLE_EQ(unit_factor(c.unit), c.factor) << c.unit;
}

TEST(NcuCsv, AUnitThatIsNotKnownMakesTheMetricMissing) {
  std::string text = table(row("a", "\"10\",\"1\",\"90\",\"32\""));
  text.replace(text.find("Mbyte"), 5, "Zbyte");
  EXPECT_FALSE(parse_ncu(text).value()[0].metrics.contains("dram__bytes_read.sum"));
}

TEST(NcuCsv, DamageIsASentence) {
  const std::string good = row("a", "\"10\",\"1\",\"90\",\"32\"");
  const struct {
    std::string text;
    const char* says;
  } cases[] = {
      {"", "there is no table"},
      {"==PROF== Connected\n", "there is no table"},
      {kHeader, "there is no table"},
      {std::string(kHeader) + kUnits, "there is no table"},
      {std::string(kHeader) + "\"\",\"\"\n" + good, "line 2: 2 units for 15 columns"},
      {table("\"0\",\"12\"\n"), "line 4: 2 fields for 15 columns"},
      {table("\"0\",\"12\n"), "line 4: quotes that do not match"},
      {table(row("", "\"10\",\"1\",\"90\",\"32\"")), "without the name of its kernel"},
      {"\"ID\",\"Kernel Name\"\n\"\",\"\"\n\"0\",\"a\"\n", "lacks one of the columns"},
      {"\"Kernel Name\",\"Block Size\",\"Grid Size\"\n\"\",\"\",\"\"\n\"a\",\"(1, 1, 1)\",\"(1, 1, 1)\"\n", "no metrics"},
      {seed("permission.txt"), "NVreg_RestrictProfilingToAdminUsers=0"},
      {seed("permission.txt"), "nothing in the sandbox is one, whoever starts it"},
      {"==ERROR== Failed to create/open lock file /tmp/nsight-compute-lock.\n", "another Nsight Compute is at work"},
      {"==WARNING== No kernels were profiled.\n", "saw no kernel"},
      {"==ERROR== The application returned an error code (1).\n", "the profiled program failed"},
      {"==ERROR== Cuda driver is not compatible with Nsight Compute.\n", "do not fit together"},
      {"==ERROR== Something new.\n", "Nsight Compute says: Something new."},
  };
  for (const auto& c : cases) {
    const auto launches = parse_ncu(c.text);
    ASSERT_FALSE(launches) << c.text;
    EXPECT_THAT(launches.error().message, HasSubstr(c.says));
  }
}

TEST(NcuCsv, ExtentsOfAnotherFormAreOnes) {
  for (const char* block : {"", "(0, 1, 1)", "(128, 1)", "128", "(a, b, c)", "(-5, 1, 1)", "(99999999999999999999, 1, 1)"})
    EXPECT_EQ(parse_ncu(table(row("a", "\"10\",\"1\",\"90\",\"32\"", block))).value()[0].block, (std::array<std::int64_t, 3>{1, 1, 1})) << block;
}

TEST(NcuCsv, AWholeTableHasEveryMetricThatIsAskedFor) {
  const auto kernels = aggregated(parse_ncu(seed("two_kernels.csv")).value());
  ASSERT_EQ(kernels.size(), 2u);
  for (const Metric& metric : kMetrics) {
    const bool absent = metric.name.find("pipe_fp32") != std::string_view::npos || metric.name.find("memory_dependency") != std::string_view::npos;
    EXPECT_EQ(kernels[0].metrics.contains(std::string(metric.name)), !absent) << metric.name;
  }
  EXPECT_EQ(kernels[0].launches, 2);
}

TEST(NcuCsv, NamesOfUnknownMetricsAreFound) {
  EXPECT_THAT(unknown_metrics("==ERROR== Failed to find metric sm__a.avg\n==ERROR== Failed to find metric sm__b.sum.\nFailed to find metric sm__a.avg\n"),
              testing::ElementsAre("sm__a.avg", "sm__b.sum"));
  EXPECT_TRUE(unknown_metrics("Failed to find metric ").empty());
}

}  // namespace
}  // namespace ka::profile

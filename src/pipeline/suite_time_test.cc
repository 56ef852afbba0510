#include "pipeline/suite_time.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "os/files.h"

namespace ka::pipeline {
namespace {

TEST(WantsTiming, OnlyWhatIsVerifiedAndHasNoTimesOfTheseContendersOnThisDevice) {
  SuiteOptions suite;
  suite.options.device = "cuda";
  SuiteTiming timing;
  timing.contenders = {"kernel", "eager", "compile"};
  const auto row = [](const char* status, Json bench) { return Json{{"name", "a.py"}, {"status", status}, {"bench", std::move(bench)}}; };
  const Json all = {{"asked", {"kernel", "eager", "compile", "compile_max_autotune"}}, {"on", "cuda"}};
  const Json fewer = {{"asked", {"kernel", "eager"}}, {"on", "cuda"}}, elsewhere = {{"asked", timing.contenders}, {"on", "cpu"}};
  EXPECT_TRUE(wants_timing({{"name", "a.py"}, {"status", "verified"}}, suite, timing));
  EXPECT_FALSE(wants_timing({{"name", "a.py"}, {"status", "refused"}}, suite, timing));
  EXPECT_FALSE(wants_timing(row("verified", all), suite, timing));
  EXPECT_TRUE(wants_timing(row("verified", fewer), suite, timing));
  EXPECT_TRUE(wants_timing(row("verified", elsewhere), suite, timing));
  EXPECT_FALSE(wants_timing(row("verified", {{"asked", timing.contenders}, {"on", "cuda"}, {"error", "hung"}}), suite, timing)) << "its time-out was paid";
  EXPECT_FALSE(wants_timing({{"name", "a.py"}, {"status", "verified"}}, suite, {})) << "without --bench";
}

Json searched_row(const std::string& best_sum, const char* state = "ended", bool faster = true) {
  const Json kernel = {{"path", "a.py"}, {"sha256", "d"}, {"entry", "kernel_function"}};
  const Json best = {{"path", "a.py.optimized.py"}, {"sha256", best_sum}, {"entry", "kernel_function"}};
  const Json search = {{"of", "d"}, {"on", "cuda"}, {"folder", "f"}, {"state", state}, {"faster", faster}, {"kernel", best}};
  return {{"name", "a.py"}, {"status", "verified"}, {"kernel", kernel}, {"optimized", search}};
}

TEST(WantsTiming, TheKernelOfASearchHasATimeToo) {
  SuiteOptions suite;
  suite.options.device = "cuda";
  SuiteTiming timing;
  timing.contenders = {"kernel", "eager"};
  Json bench = {{"asked", timing.contenders}, {"on", "cuda"}};
  const auto wants = [&](Json row) {
    row["bench"] = bench;
    return wants_timing(row, suite, timing);
  };
  EXPECT_TRUE(wants(searched_row("b")));
  EXPECT_FALSE(wants(searched_row("b", "failed")));
  EXPECT_FALSE(wants(searched_row("d", "ended", false))) << "it found nothing";
  bench["optimized"] = {{"sha256", "b"}};
  EXPECT_FALSE(wants(searched_row("b")));
  EXPECT_TRUE(wants(searched_row("another")));
}

TEST(WantsSearch, WhatIsVerifiedAndWasNotSearchedOnThisDevice) {
  const os::TempDir dir = os::TempDir::create("suite-").value();
  SuiteOptions suite;
  suite.out = dir.path();
  suite.options.device = "cuda";
  ASSERT_TRUE(os::write_file_atomic(suite.out + "/a.py.optimized.py", "best"));
  const std::string sum = sha256_hex("best");
  EXPECT_FALSE(wants_search(searched_row(sum), suite));
  EXPECT_FALSE(wants_search(searched_row(sum, "failed"), suite)) << "its time was paid";
  EXPECT_TRUE(wants_search(searched_row(sum, "begun"), suite));
  EXPECT_TRUE(wants_search(searched_row(sha256_hex("another")), suite)) << "its kernel is not there";
  const auto with = [&](const char* object, const char* field, Json value) {
    Json row = searched_row(sum);
    (*object == '\0' ? row : row[object])[field] = std::move(value);
    return wants_search(row, suite);
  };
  EXPECT_TRUE(with("kernel", "sha256", "other")) << "another default kernel";
  EXPECT_TRUE(with("optimized", "on", "cpu"));
  EXPECT_FALSE(with("", "status", "refused"));
  EXPECT_TRUE(with("", "optimized", Json::object()));
}

TEST(TellFloor, ByThePeaksOfTheGpu) {
  SuiteOptions suite;
  const Json row = {{"name", "a.py"}, {"tier", "tf32"}, {"work", {{"bytes", 4e9}, {"product_flops", 1e9}, {"other_flops", 1e6}}}};
  Json told = row;
  tell_floor(told, suite);
  EXPECT_EQ(told, row) << "no GPU is known";
  os::Gpu device;
  device.name = "NVIDIA H200";
  suite.gpu = machine_gpu(device, std::nullopt);
  const optimise::Peaks peaks = suite.gpu->peaks().value();
  tell_floor(told, suite);
  EXPECT_DOUBLE_EQ(told["floor"]["ms"].get<double>(), 1e3 * 4e9 / peaks.bytes);
  EXPECT_EQ(told["floor"]["bound"], "memory");
  told["work"]["product_flops"] = 1e15;
  tell_floor(told, suite);
  EXPECT_EQ(told["floor"]["bound"], "compute");
  EXPECT_DOUBLE_EQ(told["floor"]["compute_ms"].get<double>(), 1e3 * 1e15 / peaks.half);
  told = {{"name", "a.py"}};
  tell_floor(told, suite);
  EXPECT_FALSE(told.contains("floor")) << "its work is not known";
}

TEST(IsAboutTheseFiles, TheTextsDecide) {
  const os::TempDir dir = os::TempDir::create("suite-").value();
  SuiteOptions suite;
  suite.folder = dir.file("in");
  suite.out = dir.file("out");
  ASSERT_TRUE(os::make_dirs(suite.folder) && os::make_dirs(suite.out));
  ASSERT_TRUE(os::write_file_atomic(suite.folder + "/a.py", "problem") && os::write_file_atomic(suite.out + "/a.py", "kernel"));
  const Json kernel = {{"path", "a.py"}, {"sha256", sha256_hex("kernel")}, {"entry", "kernel_function"}};
  const Json verified = {{"name", "a.py"}, {"status", "verified"}, {"problem_sha256", sha256_hex("problem")}, {"kernel", kernel}};
  EXPECT_TRUE(is_about_these_files(verified, suite));
  const auto changed = [&](const char* field, Json value) {
    Json row = verified;
    if (value.is_null()) row.erase(field);
    else row[field] = std::move(value);
    return is_about_these_files(row, suite);
  };
  EXPECT_FALSE(changed("problem_sha256", sha256_hex("another")));
  EXPECT_FALSE(changed("problem_sha256", nullptr));
  EXPECT_FALSE(changed("name", "b.py"));
  EXPECT_FALSE(changed("kernel", {{"path", "a.py"}, {"sha256", sha256_hex("another")}}));
  EXPECT_FALSE(changed("kernel", {{"path", "b.py"}, {"sha256", sha256_hex("kernel")}}));
  EXPECT_FALSE(changed("kernel", nullptr)) << "verified, but nobody knows what";
  EXPECT_TRUE(is_about_these_files({{"name", "a.py"}, {"status", "unsupported"}, {"problem_sha256", sha256_hex("problem")}}, suite));
}

}  // namespace
}  // namespace ka::pipeline

// Ceilings as values and as files, and the child that measures them the way that needs no GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "bench/ceilings.h"
#include "os/environment.h"
#include "os/files.h"

namespace ka::bench {
namespace {

const os::Gpu kGpu = {0, "NVIDIA H200", "9.0", 0, "580.1", 700};

Ceilings made_up() {
  Ceilings out{kGpu.name, kGpu.driver, kGpu.power_limit_watts, "2026-11-16T16:00:00.000Z", {}};
  for (const CeilingRow& row : kCeilings) out.ways.push_back({row.name, "one way", 100, {0.5, 0.25, 1}});
  out.ways.push_back({"read_bytes", "better", 100, {0.125, 0.125, 8}});
  out.ways.push_back({"launch_seconds", "worse", 100, {2}});
  return out;
}

TEST(Ceilings, TheBestWayCountsByItsMedian) {
  const Ceilings ceilings = made_up();
  EXPECT_EQ(ceilings.value("copy_bytes"), 200);
  EXPECT_EQ(ceilings.value("read_bytes"), 800);
  EXPECT_EQ(ceilings.best("read_bytes").how, "better");
  EXPECT_EQ(ceilings.value("launch_seconds"), 0.005);
  EXPECT_EQ(ceilings.best("launch_seconds").how, "one way");
}

TEST(Ceilings, GoThroughJson) {
  const Json json = to_json(made_up());
  const Result<Ceilings> again = ceilings_from_json(json);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), json);
}

TEST(Ceilings, WhatIsNoneIsRefused) {
  struct Row {
    const char* pointer;
    Json value;
    const char* says;
  };
  const Row rows[] = {{"/schema", 2, "schema"},           {"/gpu", 1, "gpu"},
                      {"/ways/0/ceiling", "speed", "speed"}, {"/ways/0/ceiling", "read_bytes", "copy_bytes is missing"},
                      {"/ways/0/work", 0, "work"},        {"/ways/0/seconds", Json::array(), "seconds"},
                      {"/ways/0/seconds", {1, -1}, "seconds"}, {"/ways/0/seconds", {1, "2"}, "seconds"},
                      {"/ways", 3, "ways"}};
  for (const Row& row : rows) {
    Json json = to_json(made_up());
    json[Json::json_pointer(row.pointer)] = row.value;
    const Result<Ceilings> read = ceilings_from_json(json);
    ASSERT_FALSE(read) << row.pointer;
    EXPECT_NE(read.error().message.find(row.says), std::string::npos) << read.error().message;
  }
}

TEST(KeptCeilings, AreOfOneGpuDriverAndPowerLimit) {
  const os::TempDir folder = os::TempDir::create().value();
  EXPECT_FALSE(kept_ceilings(kGpu, folder.file("deep/ceilings")));
  ASSERT_TRUE(keep_ceilings(kGpu, made_up(), folder.file("deep/ceilings")));
  const std::optional<Ceilings> kept = kept_ceilings(kGpu, folder.file("deep/ceilings"));
  ASSERT_TRUE(kept);
  EXPECT_EQ(to_json(*kept), to_json(made_up()));
  EXPECT_EQ(os::list_dir(folder.file("deep/ceilings")).value(), std::vector<std::string>{"nvidia_h200_580.1_700w.json"});
  const os::Gpu others[] = {{0, "NVIDIA H100", "9.0", 0, "580.1", 700}, {0, "NVIDIA H200", "9.0", 0, "590.1", 700}, {0, "NVIDIA H200", "9.0", 0, "580.1", 500}};
  for (const os::Gpu& other : others) {
    EXPECT_FALSE(kept_ceilings(other, folder.file("deep/ceilings"))) << other.name << other.driver;
    // Under its name lies what is about another one.
    ASSERT_TRUE(os::write_file_atomic(ceilings_file(other, folder.file("deep/ceilings")), to_pretty_json_text(to_json(made_up()))));
    EXPECT_FALSE(kept_ceilings(other, folder.file("deep/ceilings"))) << other.name << other.driver;
  }
}

TEST(KeptCeilings, ADamagedFileIsNone) {
  const os::TempDir folder = os::TempDir::create().value();
  const std::string good = to_pretty_json_text(to_json(made_up()));
  for (const std::string& text : {std::string(), good.substr(0, good.size() / 2), std::string("[]"), std::string("{\"schema\": 1}"), good + "x"}) {
    ASSERT_TRUE(os::write_file_atomic(ceilings_file(kGpu, folder.path()), text));
    EXPECT_FALSE(kept_ceilings(kGpu, folder.path())) << text;
  }
  ASSERT_TRUE(keep_ceilings(kGpu, made_up(), folder.path()));
  EXPECT_TRUE(kept_ceilings(kGpu, folder.path()));
}

TEST(KeptCeilings, AFolderForThem) {
  const std::string cache = os::get_env("XDG_CACHE_HOME").value_or(""), home = os::get_env("HOME").value_or("");
  ::setenv("XDG_CACHE_HOME", "/c", 1);
  EXPECT_EQ(ceilings_folder(), "/c/kernelagent/ceilings");
  ::setenv("XDG_CACHE_HOME", "not/a/full/path", 1);
  ::setenv("HOME", "/h", 1);
  EXPECT_EQ(ceilings_folder(), "/h/.cache/kernelagent/ceilings");
  ::setenv("HOME", "", 1);
  EXPECT_EQ(ceilings_folder(), "");
  EXPECT_FALSE(kept_ceilings(kGpu));
  const Status kept = keep_ceilings(kGpu, made_up());
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().kind, ErrorKind::environment);
  cache.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  home.empty() ? ::unsetenv("HOME") : ::setenv("HOME", home.c_str(), 1);
}

TEST(MeasureCeilings, ByTheCpusClock) {
  const Result<std::string> python = bridge::find_interpreter();
  ASSERT_TRUE(python) << python.error().message;
  bridge::WarmInterpreter interpreter{bridge::InterpreterOptions{*python}};
  const os::CancelSource cancel;
  const Result<Ceilings> measured = measure_ceilings(kGpu, {"cpu"}, interpreter, cancel.token());
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_TRUE(measured->is_of(kGpu));
  for (const CeilingRow& row : kCeilings) EXPECT_GT(measured->value(row.name), 0) << row.name;
  EXPECT_TRUE(ceilings_from_json(to_json(*measured)));
}

}  // namespace
}  // namespace ka::bench

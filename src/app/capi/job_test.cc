// The C functions, with a shell script in the place of the program.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/capi/kernelagent.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

namespace ka::capi {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

// What it does is its first word: `kernelagent NAME`.
constexpr const char* kScript = R"(#!/bin/bash
case "$1" in
  good) echo '{"event": 1}' >&3; echo '{"event": 2}' >&3; echo "{\"words\": \"$*\", \"parent\": \"$KERNELAGENT_PARENT\"}" ;;
  bad) echo 'kernelagent: first' >&2; echo 'something else' >&2; echo 'kernelagent: bad: no such file' >&2; echo 'plain text'; exit 2 ;;
  much) head -c 5000000 /dev/zero | tr '\0' 'x' | sed 's/.*/"&"/'; head -c 300000 /dev/zero | tr '\0' 'e' >&2 ;;
  stubborn) trap '' TERM; echo '{"event": "up"}' >&3; while true; do sleep 0.05; done ;;
  polite) trap 'exit 130' TERM; echo '{"event": "up"}' >&3; while true; do sleep 0.05; done ;;
  leaves) sleep 100 & exit 0 ;;
  killed) kill -9 $$ ;;
esac
)";

std::string taken(char* text) {
  std::string out = text == nullptr ? "(null)" : text;
  kernelagent_free_text(text);
  return out;
}

class JobTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = os::get_env("TMPDIR").value_or("/tmp") + "/job_test_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    program_ = folder_ + "/kernelagent";
    ASSERT_TRUE(os::write_file_atomic(program_, kScript));
    ASSERT_EQ(::chmod(program_.c_str(), 0755), 0);
    ASSERT_EQ(::setenv("KERNELAGENT_PROGRAM", program_.c_str(), 1), 0);
  }
  void TearDown() override {
    ::unsetenv("KERNELAGENT_PROGRAM");
    ASSERT_TRUE(os::remove_tree(folder_));
  }

  static std::int64_t start(const std::string& command, const std::string& rest = "") {
    char* error = nullptr;
    const std::int64_t job = kernelagent_start(("{\"command\": \"" + command + "\"" + rest + "}").c_str(), &error);
    EXPECT_GT(job, 0) << taken(error);
    return job;
  }
  static Json finished(std::int64_t job) {
    EXPECT_EQ(kernelagent_wait(job, -1), 1);
    return Json::parse(taken(kernelagent_result(job)));
  }
  // Until the program says that it is up.
  static void wait_until_up(std::int64_t job) {
    std::string events;
    while (events.find("up") == std::string::npos) {
      ASSERT_EQ(kernelagent_wait(job, 10), 0);
      events += taken(kernelagent_events(job));
    }
  }
  static std::size_t open_files() { return os::list_dir("/proc/self/fd")->size(); }

  std::string folder_, program_;
};

TEST_F(JobTest, AResultAndEvents) {
  const std::int64_t job = start("good", R"(, "flags": {"a": 1}, "words": ["x y"])");
  const Json result = finished(job);
  EXPECT_EQ(result["exit_code"], 0);
  EXPECT_EQ(result["output"]["words"], "good --a=1 x y");
  EXPECT_EQ(result["output"]["parent"], std::to_string(::getpid()));
  EXPECT_FALSE(result["cancelled"]);
  EXPECT_EQ(taken(kernelagent_events(job)), "{\"event\": 1}\n{\"event\": 2}\n");
  EXPECT_EQ(taken(kernelagent_events(job)), "");
  kernelagent_free(job);
  EXPECT_EQ(kernelagent_wait(job, 0), -1);
  EXPECT_EQ(kernelagent_cancel(job), -1);
  EXPECT_EQ(kernelagent_result(job), nullptr);
  EXPECT_EQ(kernelagent_events(job), nullptr);
  kernelagent_free(job);
}

TEST_F(JobTest, AComplaint) {
  const std::int64_t job = start("bad");
  const Json result = finished(job);
  EXPECT_EQ(result["exit_code"], 2);
  EXPECT_EQ(result["message"], "bad: no such file");
  EXPECT_EQ(result["output"], nullptr);
  EXPECT_EQ(result["text"], "plain text\n");
  EXPECT_THAT(result["stderr"].get<std::string>(), HasSubstr("something else"));
  kernelagent_free(job);
}

TEST_F(JobTest, MuchOutput) {
  const std::int64_t job = start("much");
  const Json result = finished(job);
  EXPECT_EQ(result["output"].get<std::string>().size(), 5'000'000u);
  EXPECT_LE(result["stderr"].get<std::string>().size(), 65'536u);
  kernelagent_free(job);
}

TEST_F(JobTest, CancelIsAnsweredWithinTwoSeconds) {
  for (const std::string command : {"polite", "stubborn"}) {
    const std::int64_t job = start(command);
    wait_until_up(job);
    EXPECT_EQ(kernelagent_result(job), nullptr);
    const os::TimePoint begin = std::chrono::steady_clock::now();
    EXPECT_EQ(kernelagent_cancel(job), 0);
    EXPECT_EQ(kernelagent_cancel(job), 0);
    const Json result = finished(job);
    EXPECT_LT(os::seconds_since(begin), 2) << command;
    EXPECT_TRUE(result["cancelled"]);
    EXPECT_EQ(result["exit_code"], command == "polite" ? 130 : 137);
    kernelagent_free(job);
  }
}

TEST_F(JobTest, EndsWithTheProgramWhateverHoldsItsPipes) {
  const os::TimePoint begin = std::chrono::steady_clock::now();
  const std::int64_t leaves = start("leaves"), killed = start("killed");
  EXPECT_EQ(finished(leaves)["exit_code"], 0);
  EXPECT_EQ(finished(killed)["exit_code"], 137);
  EXPECT_LT(os::seconds_since(begin), 5);
  kernelagent_free(leaves);
  kernelagent_free(killed);
}

TEST_F(JobTest, FreeWhileOthersWait) {
  const std::int64_t job = start("polite");
  wait_until_up(job);
  std::atomic<int> ended = 0;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 4; ++i) waiters.emplace_back([&] { ended += kernelagent_wait(job, -1) != 0 ? 1 : 0; });
  kernelagent_free(job);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(ended, 4);
}

TEST_F(JobTest, ManyJobsInManyThreadsLeaveNothing) {
  const std::size_t before = open_files();
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 8; ++k) {
        const std::int64_t job = start(k % 2 == 0 ? "good" : "polite");
        if (k % 2 != 0) kernelagent_cancel(job);
        const Json result = finished(job);
        good += k % 2 != 0 || result["exit_code"] == 0 ? 1 : 0;
        kernelagent_free(job);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 48);
  EXPECT_EQ(open_files(), before);
}

TEST_F(JobTest, WhatCannotBeStarted) {
  char* error = nullptr;
  EXPECT_EQ(kernelagent_start(nullptr, &error), 0);
  EXPECT_THAT(taken(error), HasSubstr("request"));
  EXPECT_EQ(kernelagent_start("{}", nullptr), 0);
  EXPECT_EQ(kernelagent_start(R"({"command": "good", "folder": "/nonexistent"})", &error), 0);
  EXPECT_THAT(taken(error), HasSubstr("does not exist"));
  ASSERT_EQ(::chmod(program_.c_str(), 0644), 0);
  EXPECT_EQ(kernelagent_start(R"({"command": "good"})", &error), 0);
  EXPECT_THAT(taken(error), HasSubstr("KERNELAGENT_PROGRAM"));
}

}  // namespace
}  // namespace ka::capi

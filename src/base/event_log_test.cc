#include "base/event_log.h"

#include <cstdlib>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace ka {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

WallClock fixed_clock() {
  return [] { return WallTime(std::chrono::seconds(1794724820)); };
}

// A file that is gone after the test.
class EventLogTest : public ::testing::Test {
 protected:
  EventLogTest() : path_(::testing::TempDir() + "/events_XXXXXX") { ::close(::mkstemp(path_.data())); }
  ~EventLogTest() override { ::unlink(path_.c_str()); }

  std::string content() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void add_file(EventLog& log) {
    auto sink = open_event_file(path_);
    ASSERT_TRUE(sink);
    log.add_sink(std::move(sink).value());
  }

  std::string path_;
};

TEST_F(EventLogTest, WritesOneJsonObjectPerLine) {
  EventLog log(fixed_clock());
  add_file(log);
  log.write({LogLevel::info,
             "verify",
             "draw",
             "two\nlines",
             {{"draw", std::int64_t{3}}, {"error", 0.5}, {"good", true}, {"rule", "policy.import"}}});
  EXPECT_EQ(
      content(),
      R"({"time":"2026-11-15T06:40:20.000Z","level":"info","stage":"verify","event":"draw","message":"two\nlines",)"
      R"("fields":{"draw":3,"error":0.5,"good":true,"rule":"policy.import"}})"
      "\n");
}

TEST_F(EventLogTest, AppendsToWhatIsThere) {
  for (int i = 0; i < 2; ++i) {
    EventLog log(fixed_clock());
    add_file(log);
    log.info("app", "start");
  }
  EXPECT_EQ(split(content(), '\n').size(), 3U);
}

TEST_F(EventLogTest, FiltersByLevel) {
  EventLog log(fixed_clock(), LogLevel::warning);
  add_file(log);
  log.info("app", "hidden");
  log.warning("app", "shown");
  log.set_min_level(LogLevel::error);
  log.warning("app", "hidden");
  log.error("app", "failed");
  EXPECT_THAT(content(), Not(HasSubstr("hidden")));
  EXPECT_THAT(content(), HasSubstr("shown"));
  EXPECT_THAT(content(), HasSubstr("failed"));
}

TEST_F(EventLogTest, RedactsSecretsInEveryPart) {
  EventLog log(fixed_clock());
  add_file(log);
  log.add_secret("hunter22\"quoted");
  const std::string secret = "hunter22\"quoted";
  log.write({LogLevel::info, secret, secret, "a " + secret + " sk-abcdefgh12345678", {{secret, secret}}});
  EXPECT_THAT(content(), Not(HasSubstr("hunter22")));
  EXPECT_THAT(content(), Not(HasSubstr("sk-abc")));
  EXPECT_THAT(content(), HasSubstr("\"fields\":{\"[redacted]\":\"[redacted]\"}"));
}

TEST_F(EventLogTest, BytesThatAreNotUtf8AreReplaced) {
  EventLog log(fixed_clock());
  add_file(log);
  log.info("app", "odd", "\xFF\xFE");
  EXPECT_TRUE(nlohmann::json::accept(content()));
}

TEST_F(EventLogTest, LinesOfSeveralThreadsDoNotMix) {
  EventLog log(fixed_clock());
  add_file(log);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&log] {
        for (int i = 0; i < 50; ++i) log.info("app", "line", std::string(200, 'x'));
      });
    }
  }
  const std::vector<std::string> lines = split(content(), '\n');
  ASSERT_EQ(lines.size(), 201U);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_TRUE(nlohmann::json::accept(lines[i])) << lines[i];
}

TEST_F(EventLogTest, HumanSinkWritesLinesAtItsOwnLevel) {
  std::FILE* stream = std::fopen(path_.c_str(), "w");
  ASSERT_NE(stream, nullptr);
  EventLog log(fixed_clock());
  log.add_sink(make_human_sink(stream, LogLevel::info));
  log.debug("app", "detail");
  log.info("verify", "accepted", "all draws agree");
  std::fclose(stream);
  EXPECT_EQ(content(), "verify: all draws agree\n");
}

TEST(EventText, HumanLines) {
  EXPECT_EQ(event_human_line({LogLevel::info, "verify", "started", "", {}}), "verify: started");
  EXPECT_EQ(event_human_line({LogLevel::warning, "", "x", "careful", {}}), "warning: careful");
  EXPECT_EQ(event_human_line({LogLevel::error,
                              "verify",
                              "refused",
                              "kernel refused",
                              {{"rule", "policy.import"}, {"what", "import os"}, {"line", std::int64_t{3}}}}),
            "error: verify: kernel refused (rule=policy.import what=\"import os\" line=3)");
}

TEST(EventText, HumanLinesCannotSteerTheTerminal) {
  EXPECT_EQ(event_human_line({LogLevel::info, "", "x", "\x1b[2Jgone\nnext", {}}), "\\x1b[2Jgone\n  next");
}

TEST(EventFile, ThatCannotBeOpenedIsAnError) {
  const auto sink = open_event_file("/nonexistent/events.jsonl");
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().message, "cannot open /nonexistent/events.jsonl: No such file or directory");
}

TEST(LogLevel, ParsesWords) {
  EXPECT_EQ(parse_log_level("DEBUG"), LogLevel::debug);
  EXPECT_EQ(parse_log_level("warn"), LogLevel::warning);
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
  for (const LogLevel level : {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error}) {
    EXPECT_EQ(parse_log_level(to_string(level)), level);
  }
}

}  // namespace
}  // namespace ka

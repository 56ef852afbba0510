#include "optimise/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/files.h"

namespace ka::optimise {
namespace {

using testing::HasSubstr;

const RecordingHead kHead = {"cuda", "NVIDIA H200", "580.1", 700, "2026-11-16T16:00:00.000Z", "abc", "fp32", "eval", 0.5, 0.25, "by the data sheet", {{"torch", "2"}}};

// Answers anything; the second of two crashes, and three are too many.
class PlainDevice : public Device {
 public:
  Result<std::vector<Judged>> judge(const std::vector<std::string>& texts, const Limit&) override {
    std::vector<Judged> out;
    for (const std::string& text : texts) out.push_back({text != "wrong", text == "wrong" ? "it is wrong" : "", "code of " + text});
    return out;
  }
  Result<Samples> time(const std::vector<std::string>& texts, Effort effort) override {
    if (texts.size() == 3) return environment_error("the GPU is gone");
    if (texts.size() == 4) return cancelled_error("stopped");
    Samples out(texts.size());
    out[0] = std::vector<double>(effort == Effort::brief ? 2 : 3, 0.1);
    return out;
  }
};
class PlainProposer : public Proposer {
 public:
  Result<std::vector<Move>> propose(const Program& program, const State&, int) override { return std::vector<Move>{{program.text + "+", "add", "memory"}}; }
};

struct Files : testing::Test {
  os::TempDir folder = os::TempDir::create().value();
  std::string path = folder.file("r.jsonl");
  PlainDevice device;
  PlainProposer proposer;

  void record(bool resumes, const std::string& text) {
    Result<RecordingWriter> writer = RecordingWriter::open(path, kHead, resumes);
    ASSERT_TRUE(writer) << writer.error().message;
    RecordingDevice recording(device, *writer);
    RecordingProposer noting(proposer, *writer);
    State state;
    state.round = 2;
    ASSERT_TRUE(recording.judge({text, "wrong"}, {}));
    ASSERT_TRUE(noting.propose({0, -1, 0, text, "", "", 0}, state, 1));
    ASSERT_TRUE(recording.time({text}, Effort::full));
    ASSERT_TRUE(recording.time({text, text + "+"}, Effort::brief));
    ASSERT_FALSE(recording.time({text, text, text}, Effort::brief));
    ASSERT_FALSE(recording.time({text, text, text, text}, Effort::brief));
  }
};

TEST_F(Files, WhatIsWrittenIsRead) {
  record(false, "input");
  const Recording read = read_recording(path).value();
  EXPECT_EQ(read.head.gpu, "NVIDIA H200");
  EXPECT_EQ(read.head.in_words(), "a recording of NVIDIA H200, taken 2026-11-16T16:00:00.000Z");
  EXPECT_EQ(read.head.least_ms, 0.25);
  EXPECT_EQ(read.head.versions.at("torch"), "2");
  EXPECT_THAT(read.texts, testing::ElementsAre("input", "wrong", "input+"));
  EXPECT_TRUE(read.judged.at(0).accepted);
  EXPECT_EQ(read.judged.at(0).code, "code of input");
  EXPECT_EQ(read.judged.at(1).reason, "it is wrong");
  ASSERT_EQ(read.proposals.size(), 1u);
  EXPECT_EQ(read.proposals[0].round, 2);
  EXPECT_EQ(read.proposals[0].moves[0].text, 2u);
  ASSERT_EQ(read.timings.size(), 3u) << "a cancellation is no answer";
  EXPECT_EQ(read.timings[0].samples, (Samples{{0.1, 0.1, 0.1}}));
  EXPECT_EQ(read.timings[1].samples, (Samples{{0.1, 0.1}, {}}));
  EXPECT_EQ(read.timings[2].error, "the GPU is gone");
}

TEST_F(Files, ARunThatGoesOnAddsToItsFile) {
  record(false, "input");
  EXPECT_FALSE(RecordingWriter::open(path, kHead, false)) << "not over another one";
  record(true, "other");
  const Recording read = read_recording(path).value();
  EXPECT_THAT(read.texts, testing::ElementsAre("input", "wrong", "input+", "other", "other+"));
  EXPECT_EQ(read.timings.size(), 6u);
  RecordingHead other = kHead;
  other.problem_sha256 = "def";
  EXPECT_FALSE(RecordingWriter::open(path, other, true));
}

TEST_F(Files, ALineThatWasBeingWrittenIsLeftOut) {
  record(false, "input");
  const std::string text = os::read_file(path).value();
  const std::size_t last = text.rfind('\n', text.size() - 2);
  for (std::size_t cut = last + 1; cut < text.size(); ++cut) EXPECT_EQ(parse_recording(text.substr(0, cut), "r").value().timings.size(), 2u) << cut;
}

TEST_F(Files, WhatIsNoRecordingIsRefused) {
  record(false, "input");
  const std::string good = os::read_file(path).value(), head = good.substr(0, good.find('\n') + 1);
  const struct {
    std::string text;
    const char* says;
  } rows[] = {
      {"", "no lines"},
      {"{}\n", "r:1: recording: missing field \"kind\""},
      {R"({"kind": "recording", "schema": 2})" "\n", "schema"},
      {head + "x\n", "r:2"},
      {head + R"({"kind": "song"})" "\n", "\"song\" is none of"},
      {head + R"({"kind": "judged", "text": 0, "accepted": true, "reason": "", "code": ""})" "\n", "the number of no text before"},
      {head + R"({"kind": "timed", "effort": "long", "texts": [], "samples": []})" "\n", "brief, full or last"},
      {head + R"({"kind": "timed", "effort": "full", "texts": [-1], "samples": [[1]]})" "\n", "the number of no text before"},
      {head + R"({"kind": "text", "text": "a"})" "\n" + R"({"kind": "timed", "effort": "full", "texts": [0], "samples": []})" "\n", "one list of samples for each"},
      {head + R"({"kind": "text", "text": "a"})" "\n" + R"({"kind": "timed", "effort": "full", "texts": [0], "samples": [[1, 0]]})" "\n", "more than 0"},
      {head + R"({"kind": "text", "text": "a"})" "\n" + R"({"kind": "timed", "effort": "full", "texts": [0, 0], "samples": [[1, 1], [1]]})" "\n", "the same number of samples"},
      {head + R"({"kind": "text", "text": "a"})" "\n" + R"({"kind": "timed", "effort": "full", "texts": [0], "samples": [1]})" "\n", "lists of numbers"},
      {head + R"({"kind": "text", "text": "a"})" "\n" + R"({"kind": "proposed", "program": 0, "round": 1, "moves": [{"text": 7, "what": "", "bottleneck": ""}]})" "\n",
       "the number of no text before"},
  };
  for (const auto& row : rows) {
    const Result<Recording> read = parse_recording(row.text, "r");
    ASSERT_FALSE(read) << row.says;
    EXPECT_EQ(read.error().kind, ErrorKind::invalid_input) << row.says;
    EXPECT_THAT(read.error().message, HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace ka::optimise

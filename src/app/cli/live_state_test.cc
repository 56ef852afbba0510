#include "app/cli/live_state.h"

#include <gmock/gmock.h>

namespace ka::app {
namespace {

using std::chrono::milliseconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr WallTime kStart{std::chrono::hours(1000)};
WallTime at(double seconds) { return kStart + milliseconds(static_cast<int>(seconds * 1000)); }

Event stage_event(const std::string& stage, const std::string& name, const std::string& message = "") {
  return {name == "start" ? LogLevel::debug : LogLevel::info, stage, name, message, {}};
}

Event part_event(const std::string& id, const std::string& word) { return {LogLevel::info, "dispatch", "part", "", {{"id", id}, {"state", word}}}; }

std::vector<std::string> texts(const LiveState& state, int columns, int rows, double now) {
  std::vector<std::string> out;
  for (const FrameLine& line : frame(state, columns, rows, at(now))) out.push_back(line.text);
  return out;
}

LiveState started() {
  LiveState state;
  state.began = kStart;
  return state;
}

// Three stages and parts in every state.
LiveState busy() {
  LiveState state = started();
  apply(state, stage_event("problem", "start"), at(0));
  apply(state, stage_event("problem", "done", "x.py loaded"), at(1.25));
  apply(state, stage_event("dispatch", "start"), at(2));
  for (const char* id : {"conv2d_relu_1", "linear_2", "softmax_3", "norm_4", "pool_5"}) apply(state, part_event(id, "queued"), at(2));
  apply(state, part_event("conv2d_relu_1", "writing"), at(3));
  apply(state, part_event("conv2d_relu_1", "verifying"), at(4));
  apply(state, part_event("conv2d_relu_1", "verified"), at(5.5));
  apply(state, part_event("linear_2", "writing"), at(4));
  apply(state, part_event("softmax_3", "writing"), at(4));
  apply(state, part_event("softmax_3", "verifying"), at(5));
  apply(state, part_event("norm_4", "writing"), at(4));
  apply(state, part_event("norm_4", "refused"), at(6));
  return state;
}

TEST(LiveFrame, SaysThatItStarts) {
  EXPECT_THAT(texts(started(), 80, 24, 0.5), ElementsAre("starting               0.5 s"));
}

TEST(LiveFrame, ShowsStagesAndPartsWithStateAndTime) {
  EXPECT_THAT(texts(busy(), 80, 24, 7),
              ElementsAre("problem          done         1.2 s  x.py loaded",  //
                          "dispatch         running      5.0 s",               //
                          "  conv2d_relu_1  verified     2.5 s",               //
                          "  linear_2       writing      3.0 s",               //
                          "  softmax_3      verifying    3.0 s",               //
                          "  norm_4         refused      2.0 s",               //
                          "  pool_5         waiting"));
}

TEST(LiveFrame, WorksInTwentyColumns) {
  EXPECT_THAT(texts(busy(), 20, 24, 7), ElementsAre("+ problem        1s",  //
                                                    "> dispatch       5s",  //
                                                    "+ conv2d...u_1   2s",  //
                                                    "> linear_2       3s",  //
                                                    "> softmax_3      3s",  //
                                                    "! norm_4         2s",  //
                                                    ". pool_5           "));
}

TEST(LiveFrame, NeverWiderOrHigherThanTheWindow) {
  LiveState state = busy();
  for (int i = 0; i < 30; ++i) apply(state, part_event("part_with_a_long_name_and_a_number_" + std::to_string(i), i % 3 == 0 ? "queued" : "writing"), at(6));
  for (int i = 0; i < 8; ++i) apply(state, stage_event("stage" + std::to_string(i), "done", std::string(300, 'm')), at(7));
  apply(state, stage_event("last", "note", "日本語のテキスト日本語のテキスト日本語のテキスト日本語のテキスト"), at(7));
  for (int columns = 1; columns < 130; ++columns) {
    for (int rows = 1; rows < 50; ++rows) {
      const std::vector<FrameLine> lines = frame(state, columns, rows, at(4000));
      ASSERT_GE(lines.size(), 1U);
      ASSERT_LE(lines.size(), static_cast<std::size_t>(std::max(1, rows - 1))) << columns << "x" << rows;
      for (const FrameLine& line : lines) {
        ASSERT_LE(display_width(line.text), static_cast<std::size_t>(std::max(1, columns - 1))) << line.text;
        ASSERT_LE(line.mark + line.mark_bytes, line.text.size());
      }
    }
  }
}

TEST(LiveFrame, SummarisesPartsForWhichThereIsNoLine) {
  LiveState state = busy();
  for (int i = 0; i < 12; ++i) apply(state, part_event("more_" + std::to_string(i), "queued"), at(6));
  EXPECT_THAT(texts(state, 80, 7, 7), ElementsAre(HasSubstr("problem"), HasSubstr("dispatch"), HasSubstr("linear_2"), HasSubstr("softmax_3"), HasSubstr("norm_4"),
                                                  "  14 more: 1 verified, 13 waiting"));
  apply(state, part_event("conv2d_relu_1", "failed"), at(7));
  EXPECT_EQ(texts(state, 80, 8, 7).back(), "  13 more waiting");
}

TEST(LiveFrame, KeepsTheNewestStagesInALowWindow) {
  LiveState state = busy();
  EXPECT_THAT(texts(state, 80, 2, 7), ElementsAre(HasSubstr("dispatch")));
  EXPECT_THAT(texts(state, 80, 3, 7), ElementsAre(HasSubstr("dispatch"), "  5 more: 1 refused, 1 verified, 1 verifying, 1 waiting, 1 writing"));
  apply(state, stage_event("compose", "start"), at(7));
  EXPECT_THAT(texts(state, 80, 2, 7), ElementsAre(HasSubstr("compose")));
}

TEST(LiveFrame, StagesAfterThePartsStandBelowThem) {
  LiveState state = busy();
  apply(state, stage_event("compose", "start"), at(7));
  const std::vector<std::string> lines = texts(state, 80, 24, 8);
  EXPECT_THAT(lines[2], HasSubstr("conv2d_relu_1"));
  EXPECT_THAT(lines.back(), HasSubstr("compose"));
}

TEST(LiveFrame, ElidesLongNamesAndKeepsTheirEnds) {
  LiveState state = started();
  apply(state, part_event("a_very_long_name_of_a_subgraph_with_many_operations_17", "writing"), at(0));
  EXPECT_THAT(texts(state, 60, 24, 1)[1], HasSubstr("..."));
  EXPECT_THAT(texts(state, 60, 24, 1)[1], HasSubstr("ations_17  writing"));
}

TEST(LiveFrame, HasOtherUnitsForLongTimes) {
  LiveState state = started();
  apply(state, stage_event("verify", "start"), at(0));
  EXPECT_THAT(texts(state, 80, 24, 99.9)[0], HasSubstr("99.9 s"));
  EXPECT_THAT(texts(state, 80, 24, 125)[0], HasSubstr("2m 05s"));
  EXPECT_THAT(texts(state, 80, 24, 3600 * 30 + 61)[0], HasSubstr("30h 01m"));
}

TEST(LiveFrame, ForeignTextCannotControlTheTerminal) {
  LiveState state = started();
  apply(state, stage_event("verify", "note", "a\x1b[2Jb\tc\xc2\x9b" "d\xff" "e\xe2\x80\xae" "f\nsecond line"), at(0));
  apply(state, part_event("x\x1b]0;title\x07", "writing"), at(0));
  const std::vector<std::string> lines = texts(state, 100, 24, 1);
  EXPECT_THAT(lines[0], HasSubstr("a?[2Jb?c?d?e?f"));
  EXPECT_THAT(lines[0], testing::Not(HasSubstr("second")));
  EXPECT_THAT(lines, Each(testing::Not(HasSubstr("\x1b"))));
}

TEST(LiveFrame, UnknownStatesAndFieldsOfOtherTypesAreHarmless) {
  LiveState state = started();
  apply(state, {LogLevel::info, "dispatch", "part", "", {{"id", std::int64_t{7}}, {"state", true}}}, at(0));
  apply(state, {LogLevel::info, "dispatch", "part", "", {{"id", std::string("a")}, {"state", std::string("dancing")}, {"seconds", std::string("x")}}}, at(0));
  apply(state, {LogLevel::info, "", "done", "", {{"seconds", -5.0}}}, at(0));
  EXPECT_THAT(texts(state, 80, 24, 1), ElementsAre(HasSubstr("dispatch"), HasSubstr("running"), HasSubstr("run")));
}

TEST(LiveState, TakesTheTimesThatEventsTell) {
  LiveState state = started();
  apply(state, {LogLevel::info, "graph", "done", "", {{"seconds", 3.25}}}, at(9));
  EXPECT_EQ(state.stages[0].seconds, 3.25);
  apply(state, {LogLevel::info, "dispatch", "part", "", {{"id", std::string("a")}, {"state", std::string("verified")}, {"seconds", 1.5}}}, at(9));
  EXPECT_EQ(state.parts[0].seconds, 1.5);
}

TEST(LiveState, AStageMayStartAgain) {
  LiveState state = started();
  apply(state, stage_event("verify", "start"), at(0));
  apply(state, stage_event("verify", "refused"), at(1));
  EXPECT_EQ(state.stages[0].tone, Tone::bad);
  apply(state, stage_event("verify", "start"), at(5));
  EXPECT_THAT(texts(state, 80, 24, 7), ElementsAre("verify  running      2.0 s"));
}

TEST(LiveState, AnErrorEndsAStage) {
  LiveState state = started();
  apply(state, stage_event("graph", "start"), at(0));
  apply(state, {LogLevel::error, "graph", "no_export", "cannot", {}}, at(1));
  EXPECT_THAT(texts(state, 80, 24, 7), ElementsAre("graph  failed       1.0 s  cannot"));
}

TEST(LiveState, WhatRanAtTheEndWasStopped) {
  LiveState state = busy();
  end(state, at(8));
  EXPECT_THAT(texts(state, 80, 24, 100),
              ElementsAre(HasSubstr("done"), HasSubstr("stopped      6.0 s"), HasSubstr("verified"), HasSubstr("stopped      4.0 s"), HasSubstr("stopped"), HasSubstr("refused"),
                          HasSubstr("waiting")));
}

}  // namespace
}  // namespace ka::app

#include "optimise/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ka::optimise {
namespace {

using testing::HasSubstr;

// A device from a table: what each text is, how long it takes, and how much the clock trembles. The same for everybody in a round, and a little for each alone.
class TableDevice : public Device {
 public:
  struct Row {
    double ms = 0;
    bool accepted = true, crashes = false, kills_all = false;
    std::string code = {};
    double last_ms = 0;          // in the last race; 0: as ever
    int crashes_after = 1'000'000;  // timings
  };
  std::map<std::string, Row> rows;
  double shared_noise = 0.2, own_noise = 0.004;
  int judged = 0, timings = 0, samples = 0;
  int rounds_of_two = 40;  // of a full timing of two: another number than of more

  Result<std::vector<Judged>> judge(const std::vector<std::string>& texts, const Limit& limit) override {
    std::vector<Judged> out;
    for (const std::string& text : texts) {
      if (limit && !limit().empty()) {
        out.push_back({false, "", "", false});
        continue;
      }
      ++judged;
      const Row& row = rows.at(text);
      out.push_back({row.accepted, row.accepted ? "" : "result.mismatch", row.code.empty() ? text : row.code});
    }
    return out;
  }

  Result<Samples> time(const std::vector<std::string>& texts, Effort effort) override {
    ++timings;
    Samples out(texts.size());
    for (const std::string& text : texts) {
      if (rows.at(text).kills_all) return environment_error("the GPU is gone");
    }
    for (int round = 0; round < (effort == Effort::brief ? 5 : texts.size() == 2 ? rounds_of_two : 40); ++round) {
      const double weather = 1 + shared_noise * (next() - 0.5);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        ++samples;
        const Row& row = rows.at(texts[i]);
        const double ms = effort == Effort::last && row.last_ms > 0 ? row.last_ms : row.ms;
        if (!row.crashes && timings <= row.crashes_after) out[i].push_back(ms * weather * (1 + own_noise * next()));
      }
    }
    return out;
  }

 private:
  double next() {  // 0 to 1
    seed_ = seed_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(seed_ >> 40) / static_cast<double>(1 << 24);
  }
  std::uint64_t seed_ = 1;
};

// Each program's moves from a table.
class TableProposer : public Proposer {
 public:
  std::map<std::string, std::vector<std::string>> moves;
  std::vector<std::string> asked;
  Result<std::vector<Move>> propose(const Program& program, const State&, int bottlenecks) override {
    EXPECT_GE(bottlenecks, 1);
    asked.push_back(program.text);
    std::vector<Move> out;
    for (const std::string& text : moves[program.text]) out.push_back({text, program.text + " to " + text, "memory"});
    return out;
  }
};

struct SearchTest : testing::Test {
  TableDevice device;
  TableProposer proposer;
  SearchOptions options;
  State state;
  std::vector<std::string> kept;

  SearchTest() {
    state.programs = {{0, -1, 0, "input", "", "", 0}};
    device.rows["input"] = {10};
    options.patience = 2;
  }
  void row(const std::string& text, double ms, const std::string& parent = "input") {
    device.rows[text] = {ms};
    proposer.moves[parent].push_back(text);
  }
  Status run() {
    return search(state, options, device, proposer, [this](const State& now) {
      kept.push_back(to_json(now).dump());
      return ok();
    });
  }
  std::string outcome(const std::string& text) const {
    for (const Attempt& one : state.attempts) {
      if (one.move.ends_with(" to " + text)) return one.outcome;
    }
    return "";
  }
  const std::string& best() const { return state.best_program().text; }
};

TEST_F(SearchTest, ClimbsToTheFastestOverSeveralRounds) {
  row("a", 8), row("b", 9), row("slow", 14), row("aa", 5, "a"), row("ba", 4, "b"), row("aab", 4.5, "aa");
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "ba");  // of the second best: the beam has room for it
  EXPECT_EQ(outcome("slow"), "slower");
  EXPECT_NEAR(state.best_program().ms / state.input_ms, 0.4, 0.005);
  EXPECT_THAT(state.stop, HasSubstr("no gain beyond noise in 2 rounds"));
  EXPECT_EQ(state.programs[0].text, "input");
  EXPECT_THAT(state.best_program().path, testing::ElementsAre("input to b", "b to ba"));
}

TEST_F(SearchTest, GreedyFollowsTheBestAlone) {
  options.width = 1;
  row("a", 8), row("b", 9), row("aa", 5, "a"), row("ba", 4, "b");
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "aa");
  EXPECT_THAT(proposer.asked, testing::Not(testing::Contains("b")));
}

TEST_F(SearchTest, NoiseIsNoGain) {
  for (int i = 0; i < 12; ++i) row("same" + std::to_string(i), 10.0);
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "input");
  EXPECT_EQ(state.round, 2);
}

TEST_F(SearchTest, ASmallGainIsSeenThroughALargeSharedNoise) {
  row("a", 9.8);
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "a");
}

TEST_F(SearchTest, TheResultIsNeverSlowerThanTheInput) {
  row("a", 10.4), row("b", 11), row("c", 30);
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "input");
  EXPECT_EQ(state.best_program().ms, state.input_ms);
}

TEST_F(SearchTest, WhatIsRefusedOrCompilesToTheSameIsNotTimed) {
  row("wrong", 1), row("twin", 1), row("a", 9);
  device.rows["wrong"].accepted = false;
  device.rows["twin"].code = "input";
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "a");
  EXPECT_EQ(outcome("wrong"), "refused");
  EXPECT_EQ(outcome("twin"), "same_code");
}

TEST_F(SearchTest, NothingIsTriedTwice) {
  row("a", 9), row("b", 9.5);
  proposer.moves["a"] = {"b", "input", "a"};
  proposer.moves["b"] = {"a"};
  ASSERT_TRUE(run());
  EXPECT_EQ(device.judged, 3);
}

// One who answers in words, repeats itself, has something, and then falls silent.
class Talker : public Proposer {
 public:
  int asked = 0;
  Result<std::vector<Move>> propose(const Program&, const State&, int) override {
    const std::vector<Move> answers = {{"", "words", "memory", "gpt", "", "no code block was found"}, {"input", "again", "memory", "gpt", ""}, {"a", "a thing", "memory", "gpt", "a little"}};
    return static_cast<std::size_t>(++asked) <= answers.size() ? std::vector<Move>{answers[static_cast<std::size_t>(asked - 1)]} : std::vector<Move>();
  }
  std::string silent() const override { return asked > 3 ? "it has no tokens" : ""; }
};

TEST_F(SearchTest, WhatAModelSaysIsAnAttemptAndIsReflectedOn) {
  Talker talker;
  options.patience = 4;
  options.width = 1;
  device.rows["a"] = {8};
  ASSERT_TRUE(search(state, options, device, talker, [this](const State& now) {
    state = state_from_json(to_json(now)).value();
    return ok();
  }));
  std::vector<std::string> outcomes;
  for (const Attempt& one : state.attempts) outcomes.push_back(one.outcome + " " + one.by);
  EXPECT_THAT(outcomes, testing::ElementsAre("refused gpt", "same_code gpt", "kept gpt"));
  EXPECT_EQ(state.stop, "no move is left to try: it has no tokens");
  ASSERT_EQ(state.reflections.size(), 3u);
  EXPECT_EQ(state.reflections[0].actual, "refused: no code block was found");
  EXPECT_EQ(state.reflections[2].expected, "a little");
  EXPECT_THAT(state.reflections[2].actual, HasSubstr("times faster than what it changed"));
}

TEST_F(SearchTest, OneThatCrashesCostsItselfOnly) {
  row("a", 9), row("crash", 1), row("b", 8);
  device.rows["crash"].crashes = true;
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "b");
  EXPECT_EQ(outcome("crash"), "crashed");
}

TEST_F(SearchTest, OneThatTakesTheGpuDownIsFoundOut) {
  row("a", 9), row("killer", 1), row("b", 8);
  device.rows["killer"].kills_all = true;
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "b");
  EXPECT_EQ(outcome("killer"), "crashed");
}

// They are timed apart then, and one set may be cut where another was not.
TEST_F(SearchTest, SetsOfOtherLengthsAreComparedByTheRoundsThatBothHave) {
  row("a", 9), row("killer", 1), row("b", 8);
  device.rows["killer"].kills_all = true;
  proposer.moves["b"] = {"ba", "killer2"};
  device.rows["ba"] = {6};
  device.rows["killer2"] = {1};
  device.rows["killer2"].kills_all = true;
  device.rounds_of_two = 31;
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "ba");
}

TEST_F(SearchTest, ABestThatCannotRunAnyMoreIsTheBestNoMore) {
  row("a", 5), row("b", 9), row("bb", 8, "b");
  device.rows["a"].crashes_after = 3;  // the first round and no further
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "bb");
}

// The luckiest of many looks faster than it is.
TEST_F(SearchTest, WhatIsNotFasterInTheLastRaceIsNoWinner) {
  row("lucky", 7), row("honest", 9);
  device.rows["lucky"].last_ms = 10.5;
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "honest");
  ASSERT_EQ(state.finish.size(), 1u);
  EXPECT_NEAR(state.finish[0].gain, 10.0 / 9, 0.005);
  EXPECT_GT(state.finish[0].low, 1);
  device.rows["honest"].last_ms = 10;
  state.has_finished = false;
  state.best = 2;
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "input");
  EXPECT_TRUE(state.has_finished && state.finish.empty());
}

TEST_F(SearchTest, WhereNothingWonThereIsNoLastRace) {
  row("a", 12);
  ASSERT_TRUE(run());
  EXPECT_FALSE(state.has_finished);
}

// What was judged by then is timed; the rest may be tried by a run that goes on.
TEST_F(SearchTest, TheLimitEndsARoundInItsMiddle) {
  row("a", 9), row("b", 8), row("c", 5);
  options.width = 3;
  int left = 3;  // once after the input, then for each candidate
  options.limit = [&left] { return --left >= 0 ? "" : "the limit of 1 minute"; };
  options.patience = 1;
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "b");
  EXPECT_EQ(outcome("c"), "");
  EXPECT_EQ(state.stop, "the limit of 1 minute");
  EXPECT_EQ(state.round, 1);
  state = state_from_json(to_json(state)).value();
  state.stop.clear();
  options.limit = {};
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "c");
}

TEST_F(SearchTest, WhatHadEndedDoesNotGoOnByItself) {
  row("a", 9), row("aa", 8, "a"), row("aaa", 7, "aa");
  options.rounds = 2;
  ASSERT_TRUE(run());
  const Json end = to_json(state);
  state = state_from_json(end).value();
  state.stop.clear();
  ASSERT_TRUE(run());
  EXPECT_EQ(to_json(state), end);
  state.stop.clear();
  options.rounds = 3;
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "aaa");
}

TEST_F(SearchTest, FasterThanTheFloorIsAMistakeOrACheat) {
  device.shared_noise = 0.01;
  options.floor_ms = 5, options.target = 0.99;
  row("cheat", 3), row("a", 7);
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "a");
  EXPECT_EQ(outcome("cheat"), "impossible");
}

TEST_F(SearchTest, FasterThanWhatWasMeasuredAndPossibleWins) {
  device.shared_noise = 0.01;
  options.floor_ms = 5, options.least_ms = 4;
  row("cheat", 3), row("a", 4.5);
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "a");
  EXPECT_EQ(outcome("cheat"), "impossible");
  EXPECT_THAT(state.stop, HasSubstr("target 95.0 %"));
}

TEST_F(SearchTest, StopsAtTheTarget) {
  device.shared_noise = 0.01;
  options.floor_ms = 5;
  row("a", 5.1), row("aa", 5.05, "a");
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "a");
  EXPECT_THAT(state.stop, HasSubstr("of the least possible time is reached (target 95.0 %)"));
  EXPECT_EQ(state.round, 1);
}

TEST_F(SearchTest, AnInputThatIsAtTheTargetIsLeftAlone) {
  device.shared_noise = 0.01;
  options.floor_ms = 9.9;
  row("a", 9.8);
  ASSERT_TRUE(run());
  EXPECT_EQ(state.round, 0);
  EXPECT_TRUE(proposer.asked.empty());
}

TEST_F(SearchTest, StopsAtTheLimitsOfRoundsAndOfTime) {
  std::string parent = "input";
  for (int i = 0; i < 8; ++i) {
    const std::string next = "p" + std::to_string(i);
    row(next, 9.0 - i, parent);
    parent = next;
  }
  options.rounds = 3;
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "p2");
  EXPECT_EQ(state.stop, "the limit of 3 rounds");
  state.stop.clear();
  options.rounds = 10;
  options.limit = [this] { return best() == "p4" ? "the limit of 2 minutes" : ""; };
  ASSERT_TRUE(run());
  EXPECT_EQ(best(), "p4");
  EXPECT_EQ(state.stop, "the limit of 2 minutes");
}

// Cut after every round, it ends as if it had not been cut. The clock goes on, so the times may differ a little; who wins does not.
TEST_F(SearchTest, GoesOnFromWhatWasKept) {
  row("a", 8), row("b", 9), row("aa", 5, "a"), row("ba", 4, "b"), row("baa", 3, "ba");
  ASSERT_TRUE(run());
  const std::vector<std::string> cuts = kept;
  const std::string winner = best();
  const int rounds = state.round;
  for (const std::string& cut : cuts) {
    Result<State> again = state_from_json(Json::parse(cut));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(to_json(*again).dump(), cut);
    state = std::move(*again);
    ASSERT_TRUE(run());
    EXPECT_EQ(best(), winner);
    EXPECT_EQ(state.round, rounds);
  }
}

TEST_F(SearchTest, AnInputThatIsRefusedIsTheUsersMistake) {
  device.rows["input"].accepted = false;
  const Status done = run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::invalid_input);
  EXPECT_THAT(done.error().message, HasSubstr("result.mismatch"));
}

// Half of many go no further than the brief timing.
TEST_F(SearchTest, ManyCandidatesAreTimedBriefly) {
  options.moves = 40, options.rounds = 1;
  for (int i = 0; i < 40; ++i) row("c" + std::to_string(i), 9.9 - 0.01 * i);
  ASSERT_TRUE(run());
  const int full = 40 * (1 + 22), brief = 5 * 41, last = 40 * 4;
  EXPECT_LE(device.samples, full + brief + last);
  EXPECT_LT(state.best_program().ms / state.input_ms, 0.97);
}

// They are proposed in the first round, and a better program may take the input's place in the second.
TEST_F(SearchTest, KernelsOfTheirOwnAreAllTriedHoweverManyTheyAre) {
  class Whole : public Proposer {
   public:
    Result<std::vector<Move>> propose(const Program& program, const State&, int) override {
      std::vector<Move> out;
      for (int i = 0; program.id == 0 && i < 12; ++i) out.push_back({"c" + std::to_string(i), "input to c" + std::to_string(i), "", {}, {}, {}, i < 11});
      return out;
    }
  } whole;
  for (int i = 0; i < 12; ++i) device.rows["c" + std::to_string(i)] = {9.9 - 0.5 * i};
  options.width = 1, options.moves = 4;
  ASSERT_TRUE(search(state, options, device, whole, [](const State&) { return ok(); }));
  EXPECT_EQ(best(), "c10");
  EXPECT_EQ(outcome("c11"), "") << "a change is left out at the limit";
}

TEST(SearchState, WhatIsNoStateIsRefused) {
  State state;
  state.programs = {{0, -1, 0, "input", "", "", 1}};
  const Json good = to_json(state);
  EXPECT_TRUE(state_from_json(good));
  for (const char* const field : {"round", "programs", "best", "texts", "attempts"}) {
    Json bad = good;
    bad.erase(field);
    EXPECT_FALSE(state_from_json(bad)) << field;
  }
  Json other = good;
  other["best"] = 7;
  EXPECT_FALSE(state_from_json(other));
  other = good;
  other["programs"] = Json::array();
  EXPECT_FALSE(state_from_json(other));
}

}  // namespace
}  // namespace ka::optimise

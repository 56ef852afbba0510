// The whole search over recordings (test/recordings): every stop, resume, noise, a profiler that lies, a candidate that crashes.
#include "optimise/recorded_device.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/statistics.h"

namespace ka::optimise {
namespace {

using testing::HasSubstr;

std::vector<std::string> recordings() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(KA_SOURCE_DIR "/test/recordings")) {
    if (entry.path().extension() == ".jsonl") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Says that every program is held back by something else than the recording says, and the other way round.
class Liar : public Proposer {
 public:
  Liar(Proposer& proposer, bool reverses) : proposer_(proposer), reverses_(reverses) {}
  Result<std::vector<Move>> propose(const Program& program, const State& state, int bottlenecks) override {
    KA_ASSIGN(std::vector<Move> out, proposer_.propose(program, state, bottlenecks));
    for (Move& move : out) move.bottleneck = move.bottleneck == "memory" ? "compute" : "memory";
    if (reverses_) std::reverse(out.begin(), out.end());
    return out;
  }

 private:
  Proposer& proposer_;
  bool reverses_;
};

struct Ended {
  State state;
  std::vector<Json> kept;
};

Ended ended(const Recording& recording, SearchOptions options, const Json* begin = nullptr, Proposer* proposer = nullptr) {
  RecordedDevice device(recording);
  RecordedProposer recorded(recording);
  Ended out;
  options.floor_ms = options.floor_ms > 0 ? options.floor_ms : recording.head.floor_ms;
  options.least_ms = options.least_ms > 0 ? options.least_ms : recording.head.least_ms;
  if (begin != nullptr) out.state = state_from_json(*begin).value();
  else out.state.programs = {{0, -1, 0, recording.texts[0], "", "", 0}};
  const Status done = search(out.state, options, device, proposer == nullptr ? recorded : *proposer, [&](const State& state) {
    out.kept.push_back(to_json(state));
    return ok();
  });
  EXPECT_TRUE(done) << done.error().message;
  return out;
}

class Recorded : public testing::TestWithParam<std::string> {
 protected:
  Recorded() : recording_(read_recording(GetParam()).value()) {}
  Recording recording_;
};
std::string name_of(const testing::TestParamInfo<std::string>& row) {
  const std::filesystem::path path(row.param);
  return path.parent_path().filename().string() + "_" + path.stem().string();
}
INSTANTIATE_TEST_SUITE_P(Files, Recorded, testing::ValuesIn(recordings()), name_of);

TEST_P(Recorded, BothStrategiesEndTheSameEveryTimeAndNeverSlower) {
  for (const int width : {1, 2, 4}) {
    SearchOptions options;
    options.width = width;
    const Ended first = ended(recording_, options), second = ended(recording_, options);
    EXPECT_EQ(to_json(first.state), to_json(second.state)) << width;
    EXPECT_LE(first.state.best_program().ms, first.state.input_ms) << width;
    EXPECT_FALSE(first.state.stop.empty()) << width;
    EXPECT_GT(first.state.attempts.size(), 0u) << width;
  }
}

TEST_P(Recorded, EveryStop) {
  const double input_ms = median(recording_.timings[0].samples[0]), best_ms = ended(recording_, {}).state.best_program().ms;
  ASSERT_LT(best_ms, 0.97 * input_ms) << "a recording in which nothing is gained tests nothing";
  int asked = 0;
  const struct {
    const char* says;
    std::function<void(SearchOptions&)> set;
  } rows[] = {
      {"% of the least possible time is reached", [&](SearchOptions& o) { o.floor_ms = o.least_ms = best_ms, o.target = best_ms / input_ms * 1.01; }},
      {"the limit of 1 round", [](SearchOptions& o) { o.rounds = 1; }},
      {"the limit of 2 minutes", [&](SearchOptions& o) { o.limit = [&asked] { return ++asked < 2 ? "" : "the limit of 2 minutes"; }; }},
      {"no gain beyond noise in 1 round", [](SearchOptions& o) { o.patience = 1, o.rounds = 1000; }},
      {"no move is left to try", [](SearchOptions& o) { o.patience = 1000, o.rounds = 1000; }},
  };
  for (const auto& row : rows) {
    SearchOptions options;
    options.target = 1e9;
    row.set(options);
    EXPECT_THAT(ended(recording_, options).state.stop, HasSubstr(row.says));
  }
}

TEST_P(Recorded, ResumedAfterAnyRoundItEndsTheSame) {
  for (const int width : {1, 2}) {
    SearchOptions options;
    options.width = width;
    const Ended whole = ended(recording_, options);
    ASSERT_GE(whole.kept.size(), 2u);
    for (std::size_t i = 0; i + 1 < whole.kept.size(); ++i) EXPECT_EQ(to_json(ended(recording_, options, &whole.kept[i]).state), to_json(whole.state)) << "after round " << i;
  }
}

std::multiset<std::string> tried(const State& state, int round) {
  std::multiset<std::string> out;
  for (const Attempt& one : state.attempts) {
    if (one.round == round) out.insert(one.move);
  }
  return out;
}

TEST_P(Recorded, AProfilerThatLiesChangesTheOrderAlone) {
  RecordedProposer recorded(recording_);
  SearchOptions options;
  options.moves = 1000;
  const Ended honest = ended(recording_, options);
  Liar names(recorded, false), order(recorded, true);
  const Ended named = ended(recording_, options, nullptr, &names), ordered = ended(recording_, options, nullptr, &order);
  EXPECT_EQ(named.state.best_program().path, honest.state.best_program().path);
  EXPECT_EQ(named.state.best_program().ms, honest.state.best_program().ms);
  EXPECT_EQ(tried(ordered.state, 1), tried(honest.state, 1));
  EXPECT_LT(ordered.state.best_program().ms, 0.97 * ordered.state.input_ms);
}

// The kernels of the way to the winner crash, one after the other.
TEST_P(Recorded, AWinnerThatCrashesLeavesTheRestAlone) {
  std::string text = ended(recording_, {}).state.best_program().text;
  for (int i = 0; i < 3 && text != recording_.texts[0]; ++i) {
    const std::size_t crashing = static_cast<std::size_t>(std::find(recording_.texts.begin(), recording_.texts.end(), text) - recording_.texts.begin());
    for (Recording::Timing& timing : recording_.timings) {
      for (std::size_t j = 0; j < timing.samples.size(); ++j) {
        if (timing.texts[j] == crashing) timing.samples[j].clear();
      }
    }
    // A best that crashes afterwards is another matter: sets that it leads are gone.
    std::erase_if(recording_.timings, [&](const Recording::Timing& timing) { return timing.texts[0] == crashing || (timing.texts.size() > 1 && timing.texts[1] == crashing); });
    const Ended without = ended(recording_, {});
    EXPECT_NE(without.state.best_program().text, text);
    EXPECT_LE(without.state.best_program().ms, without.state.input_ms);
    text = without.state.best_program().text;
  }
}

TEST_P(Recorded, OneThatTakesTheGpuDownIsFoundOut) {
  const std::string text = ended(recording_, {}).state.best_program().text;
  const std::size_t killing = static_cast<std::size_t>(std::find(recording_.texts.begin(), recording_.texts.end(), text) - recording_.texts.begin());
  std::erase_if(recording_.timings, [&](const Recording::Timing& timing) { return std::find(timing.texts.begin(), timing.texts.end(), killing) != timing.texts.end(); });
  recording_.timings.push_back({Effort::brief, {0, killing}, {}, "the GPU is gone"});
  const Ended without = ended(recording_, {});
  EXPECT_NE(without.state.best_program().text, text);
  const auto is_killer = [&](const Attempt& one) { return one.outcome == "crashed"; };
  EXPECT_TRUE(std::any_of(without.state.attempts.begin(), without.state.attempts.end(), is_killer));
}

Recording two(const std::vector<double>& input, const std::vector<double>& candidate) {
  Recording out;
  out.head.device = "cpu";
  out.texts = {"input", "candidate"};
  out.judged = {{0, {true, "", ""}}, {1, {true, "", ""}}};
  out.proposals = {{0, 1, {{1, "another", "memory"}}}};
  out.timings = {{Effort::full, {0}, {input}, {}}, {Effort::full, {0, 0, 1}, {input, input, candidate}, {}}};
  return out;
}

TEST(RecordedNoise, ACandidateWithinNoiseNeverWins) {
  std::vector<double> input, worse, shuffled, better;
  for (int i = 0; i < 60; ++i) {
    input.push_back(10 + 0.3 * ((i * 37) % 11));
    shuffled.push_back(10 + 0.3 * ((i * 53 + 5) % 11));
    worse.push_back(input.back() * (i % 2 == 0 ? 0.98 : 1.04));
    better.push_back(input.back() * (i % 2 == 0 ? 0.9 : 0.91));
  }
  EXPECT_EQ(ended(two(input, shuffled), {}).state.best, 0);
  EXPECT_EQ(ended(two(input, worse), {}).state.best, 0);
  EXPECT_NE(ended(two(input, better), {}).state.best, 0);
}

TEST(RecordedNoise, AWinnerThatTurnsOutSlowerThanTheInputIsNone) {
  const std::vector<double> input(20, 10), fast(20, 8), slow(20, 12);
  Recording recording = two(input, fast);
  recording.texts.push_back("third");
  recording.judged[2] = {true, "", ""};
  recording.proposals.push_back({1, 2, {{2, "one more", "memory"}}});
  recording.timings.push_back({Effort::brief, {1, 2}, {fast, fast}, {}});
  recording.timings.push_back({Effort::full, {0, 1, 2}, {input, slow, slow}, {}});
  const Ended end = ended(recording, {});
  EXPECT_EQ(end.state.best_program().text, "input");
  EXPECT_EQ(end.state.best_program().ms, end.state.input_ms);
}

TEST(RecordedDevice, GivesSetsAsTheyWereAndPutsOthersTogether) {
  Recording recording;
  recording.texts = {"input", "a", "b", "never", "killer"};
  recording.timings = {{Effort::full, {0}, {{10, 10, 10}}, {}},
                       {Effort::brief, {0, 1, 2}, {{20, 10}, {10, 5}, {40, 20}}, {}},
                       {Effort::full, {0, 0, 1}, {{10, 12, 8}, {10, 12, 8}, {6, 6, 4}}, {}},
                       {Effort::brief, {0, 1, 4}, {}, "the GPU is gone"},
                       {Effort::brief, {0, 4}, {}, "the GPU is gone"}};
  RecordedDevice device(recording);
  EXPECT_EQ(device.time({"input", "a", "b"}, Effort::brief).value(), (Samples{{20, 10}, {10, 5}, {40, 20}}));
  EXPECT_EQ(device.time({"input", "b"}, Effort::brief).value(), (Samples{{20, 10}, {40, 20}}));
  EXPECT_EQ(device.time({"a", "b"}, Effort::full).value(), (Samples{{6, 5, 5}, {20, 20, 20}})) << "b has brief samples alone: twice the input's";
  EXPECT_EQ(device.time({"input", "never"}, Effort::full).value(), (Samples{{10, 10, 10}, {}}));
  EXPECT_FALSE(device.time({"input", "unknown"}, Effort::full));
  EXPECT_FALSE(device.time({"input", "b", "killer"}, Effort::full));
  EXPECT_FALSE(device.time({"input", "a", "killer"}, Effort::brief));
  EXPECT_FALSE(device.judge({"unknown"}, {}).value()[0].accepted);
}

TEST(RecordedProposer, AsItWasInTheRoundElseAllThatThereWas) {
  Recording recording;
  recording.texts = {"input", "a", "b"};
  recording.proposals = {{0, 1, {{1, "one", ""}}}, {0, 2, {{2, "two", ""}}}, {1, 2, {}}};
  RecordedProposer proposer(recording);
  const auto proposed = [&](const char* text, int round) {
    State state;
    state.round = round;
    const std::vector<Move> moves = proposer.propose({0, -1, 0, text, "", "", 0}, state, 1).value();
    std::string out;
    for (const Move& move : moves) out += move.text;
    return out;
  };
  EXPECT_EQ(proposed("input", 1), "a");
  EXPECT_EQ(proposed("input", 2), "b");
  EXPECT_EQ(proposed("input", 3), "ab");
  EXPECT_EQ(proposed("a", 2), "");
  EXPECT_EQ(proposed("b", 2), "");
}

}  // namespace
}  // namespace ka::optimise

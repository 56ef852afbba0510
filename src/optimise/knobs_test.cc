#include "optimise/knobs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ka::optimise {
namespace {

using testing::ElementsAre;

constexpr const char* kText = "f[(cdiv(n, 64),)](x, BLOCK=64, num_warps=4)";

Knob block() { return {"f", "BLOCK", "block", 64, 1, {{11, 13}, {27, 29}}}; }
Knob warps() { return {"f", "num_warps", "warps", 4, 1, {{41, 42}}}; }

TEST(Knobs, AreTurnedInAllTheirPlaces) {
  EXPECT_EQ(turned(kText, block(), 128), "f[(cdiv(n, 128),)](x, BLOCK=128, num_warps=4)");
  EXPECT_EQ(turned(kText, block(), 8), "f[(cdiv(n, 8),)](x, BLOCK=8, num_warps=4)");
  EXPECT_EQ(turned(kText, warps(), 16), "f[(cdiv(n, 64),)](x, BLOCK=64, num_warps=16)");
}

TEST(Knobs, OtherValuesStayInRange) {
  const auto values = [](const char* kind, std::int64_t value) { return other_values({"f", "n", kind, value, 1, {}}); };
  EXPECT_THAT(values("block", 64), ElementsAre(128, 32, 256, 16));
  EXPECT_THAT(values("block", 16), ElementsAre(32, 64));
  EXPECT_THAT(values("block", 65'536), ElementsAre(32'768, 16'384));
  EXPECT_THAT(values("warps", 1), ElementsAre(2, 4));
  EXPECT_THAT(values("warps", 32), ElementsAre(16, 8));
  EXPECT_THAT(values("stages", 2), ElementsAre(3, 1, 4));
  EXPECT_THAT(values("colour", 2), ElementsAre());
  EXPECT_THAT(values("warps", 0), ElementsAre());
}

TEST(Knobs, AnAnswerIsHeldAgainstTheText) {
  const auto answer = [](const char* places, int value = 64) {
    return Json::parse(fmt::format(R"({{"ok": true, "knobs": [{{"kernel": "f", "name": "BLOCK", "kind": "block", "value": {}, "line": 1, "places": {}}}]}})", value, places));
  };
  const Result<std::vector<Knob>> good = knobs_from_json(answer("[[11, 13], [27, 29]]"), kText);
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ((*good)[0].places, block().places);
  for (const char* const bad : {"[]", "[[11, 13], [11, 13]]", "[[27, 29], [11, 13]]", "[[11, 14]]", "[[13, 11]]", "[[11, 4000]]", "[[-1, 1]]", "[3]", "{}", "[[\"a\", 2]]"})
    EXPECT_FALSE(knobs_from_json(answer(bad), kText)) << bad;
  EXPECT_FALSE(knobs_from_json(answer("[[11, 13]]", 65), kText));
  EXPECT_FALSE(knobs_from_json(Json::parse(R"({"ok": true})"), kText));
  const Result<std::vector<Knob>> none = knobs_from_json(Json::parse(R"({"ok": true, "refused": "line 1: no"})"), kText);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

std::vector<std::string> proposed(const std::vector<std::string>& held, int bottlenecks) {
  KnobProposer proposer([](const std::string&) { return Result<std::vector<Knob>>({block(), warps()}); }, [&](const Program&) { return held; });
  const Result<std::vector<Move>> moves = proposer.propose({0, -1, 0, kText, "", "", 1}, {}, bottlenecks);
  std::vector<std::string> out;
  for (const Move& move : *moves) out.push_back(move.what + (move.bottleneck.empty() ? "" : " (" + move.bottleneck + ")"));
  return out;
}

TEST(KnobProposer, TheBottleneckSaysWhichKnobComesFirst) {
  EXPECT_EQ(proposed({"memory"}, 1)[0], "f: BLOCK 128 instead of 64 (memory)");
  EXPECT_EQ(proposed({"spills"}, 1)[0], "f: num_warps 8 instead of 4 (spills)");
  EXPECT_EQ(proposed({}, 1)[0], "f: num_warps 8 instead of 4");
  EXPECT_EQ(proposed({"something new"}, 1).size(), 8u);
}

TEST(KnobProposer, NoMoveIsThereTwiceAndTheNearestValuesComeFirst) {
  const std::vector<std::string> moves = proposed({"memory", "spills", "latency"}, 2);
  EXPECT_EQ(moves.size(), 8u);
  EXPECT_THAT(std::vector<std::string>(moves.begin(), moves.begin() + 4),
              ElementsAre("f: BLOCK 128 instead of 64 (memory)", "f: num_warps 8 instead of 4 (memory)", "f: BLOCK 32 instead of 64 (memory)", "f: num_warps 2 instead of 4 (memory)"));
}

}  // namespace
}  // namespace ka::optimise

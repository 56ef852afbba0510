#include "model/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "model/random_values.h"

namespace ka::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Verdict sample() {
  Verdict verdict;
  verdict.rule = "result.mismatch";
  verdict.reason = "Output 0 differs from the reference.";
  verdict.worst = WorstElement{0, {3, 7}, std::nan(""), HUGE_VAL, -HUGE_VAL, {}};
  verdict.problem = {"p.py", "kernelbench", "train", {{"batch_size", 4096}}, {{"batch_size", 64}}, true, {}, {}};
  verdict.kernel = {"k.py", "kernel_function", std::string(64, 'a'), {}};
  verdict.precision = {"fp32", 1e-3, 1e-3, 8, 1.5, 1e-6, 2e-6, {}};
  verdict.checks = {{"draws", 3, "", {}}, {"distributions", 4, "given, normal, wide, small", {}}};
  verdict.sandbox = {"full", {{"landlock", "kernel too old", {}}}, {}};
  verdict.device = "cpu (interpreter)";
  verdict.seed = UINT64_MAX;
  verdict.times = {{"total", 0.25}};
  return verdict;
}

TEST(Verdict, JsonFormIsAsDocumented) {
  const Json json = to_json(sample());
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["accepted"], false);
  EXPECT_EQ(json["worst"], Json::parse(R"({"output":0,"index":[3,7],"got":"nan","want":"inf","error":"-inf"})"));
  EXPECT_EQ(json["problem"]["given_sizes"], Json::parse(R"({"batch_size":4096})"));
  EXPECT_EQ(json["precision"]["multiple_allowed"], 8.0);
  EXPECT_EQ(json["checks"][0], Json::parse(R"({"name":"draws","count":3,"note":""})"));
  EXPECT_EQ(json["sandbox"]["missing"][0]["part"], "landlock");
  EXPECT_EQ(json["seed"], "18446744073709551615");
  EXPECT_EQ(json["buffers"], Json::parse(R"({"updated":[],"reproduced":false})"));
  EXPECT_EQ(json.size(), 19u);
}

TEST(Verdict, AnAcceptedOneHasNoWorstElement) {
  Verdict verdict = sample();
  verdict.worst.reset();
  const Json json = to_json(verdict);
  EXPECT_FALSE(json.contains("worst"));
  Result<Verdict> back = verdict_from_json(json);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->worst.has_value());
  Json with_null = json;
  with_null["worst"] = nullptr;
  ASSERT_TRUE(verdict_from_json(with_null));
}

TEST(Verdict, NanAndInfinitiesRoundTrip) {
  Verdict verdict = sample();
  verdict.precision.multiple_seen = HUGE_VAL;
  verdict.times["odd"] = std::nan("");
  const std::string text = to_json_text(to_json(verdict));
  Result<Verdict> back = verdict_from_json(Json::parse(text));
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::isnan(back->worst->got));
  EXPECT_EQ(back->worst->want, HUGE_VAL);
  EXPECT_EQ(back->worst->error, -HUGE_VAL);
  EXPECT_EQ(back->precision.multiple_seen, HUGE_VAL);
  EXPECT_TRUE(std::isnan(back->times["odd"]));
  EXPECT_EQ(to_json_text(to_json(*back)), text);
}

TEST(Verdict, WholeNumbersReadAsDoubles) {
  Json json = to_json(sample());
  json["precision"]["rtol"] = 1;
  Result<Verdict> back = verdict_from_json(json);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->precision.rtol, 1.0);
}

TEST(Verdict, SeedMustBeDecimalDigits) {
  for (const char* seed : {"", "-1", "18446744073709551616", "0x10", "1.5", " 1", "1 "}) {
    Json json = to_json(sample());
    json["seed"] = seed;
    Result<Verdict> back = verdict_from_json(json);
    ASSERT_FALSE(back) << seed;
    EXPECT_THAT(back.error().message, HasSubstr("field \"seed\": expected a text of decimal digits"));
  }
}

TEST(Verdict, OneMessageNamesEverythingThatIsWrong) {
  Json json = to_json(sample());
  json.erase("accepted");
  json["reason"] = 7;
  json["problem"].erase("path");
  json["checks"][1]["count"] = "three";
  json["problem"]["given_sizes"]["batch_size"] = 1.5;
  Result<Verdict> back = verdict_from_json(json);
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message, HasSubstr("verdict: missing field \"accepted\"; "));
  EXPECT_THAT(back.error().message, HasSubstr("field \"reason\": expected a text, found 7"));
  EXPECT_THAT(back.error().message, HasSubstr("field \"problem\": missing field \"path\""));
  EXPECT_THAT(back.error().message, HasSubstr("entry \"batch_size\": expected a 64-bit integer, found 1.5"));
  EXPECT_THAT(back.error().message, HasSubstr("field \"checks\": entry 1: field \"count\": expected a 64-bit integer"));
}

TEST(Verdict, WithoutTimesIsTheSameForRunsThatDifferInTimeOnly) {
  Verdict first = sample();
  Verdict second = sample();
  second.times = {{"total", 0.5}, {"compile", 3}};
  EXPECT_EQ(without_times(first), without_times(second));
  EXPECT_THAT(without_times(first), Not(HasSubstr("total")));
  second.reason += " ";
  EXPECT_NE(without_times(first), without_times(second));
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    Verdict verdict = random_verdict(random);
    Verdict later = verdict;
    later.times["key_later"] = 1;
    ASSERT_EQ(without_times(verdict), without_times(later));
  }
}

// Child output may be any bytes; a verdict about it must still be writable.
TEST(Verdict, BytesThatAreNotTextDoNotStopIt) {
  Verdict verdict = sample();
  verdict.detail = "\xff\xfe broken \xc3";
  const std::string text = without_times(verdict);
  EXPECT_TRUE(verdict_from_json(Json::parse(text)));
}

TEST(Verdict, AnUnknownFieldNeverReplacesAKnownOne) {
  Verdict verdict = sample();
  verdict.unknown = {{"accepted", "true"}, {"odd", "not json"}, {"fine", "[1]"}};
  const Json json = to_json(verdict);
  EXPECT_EQ(json["accepted"], false);
  EXPECT_FALSE(json.contains("odd"));
  EXPECT_EQ(json["fine"], Json::parse("[1]"));
}

}  // namespace
}  // namespace ka::model

#include <gtest/gtest.h>

#include <functional>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "store/test_winner.h"
#include "store/winner.h"

namespace ka::store {
namespace {

TEST(Winner, SurvivesItsFile) {
  const std::vector<Winner> all = {winner('a', 1), winner('b', 0.25)};
  const Result<std::vector<Winner>> read = parse_export(export_text(all), "w.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, all);
  EXPECT_DOUBLE_EQ(all[0].efficiency(), 0.5);
}

TEST(Winner, ABadFileIsOneSentence) {
  struct Row {
    std::function<void(Json&)> spoil;
    const char* says;
  };
  const Row rows[] = {
      {[](Json& j) { j["schema"] = 9; }, "w.json: its schema is 9"},
      {[](Json& j) { j["winners"] = 3; }, "winners"},
      {[](Json& j) { j["winners"][1].erase("kernel"); }, "w.json: entry 1: winner: missing field \"kernel\""},
      {[](Json& j) { j["winners"][0]["kernel"] = "import os\n"; }, "it is not the hash of the kernel's text"},
      {[](Json& j) { j["winners"][0]["signature"] = "../x"; }, "a SHA-256 in hexadecimal"},
      {[](Json& j) { j["winners"][0]["best_ms"] = 0; }, "times are above 0"},
      {[](Json& j) { j["winners"][0]["best_ms"] = "1"; }, "best_ms"},
      {[](Json& j) { j["winners"][0]["floor_ms"] = -1; }, "floor_ms"},
      {[](Json& j) { j["winners"][0]["device"] = "cpu"; }, "cuda, or cpu with the GPU"},
      {[](Json& j) { j["winners"][0]["versions"].erase("torch"); }, "torch"},
  };
  for (const Row& row : rows) {
    Json json = parse_json(export_text({winner('a', 1), winner('b', 1)}), "w").value();
    row.spoil(json);
    const Result<std::vector<Winner>> read = parse_export(to_json_text(json), "w.json");
    ASSERT_FALSE(read) << row.says;
    EXPECT_EQ(read.error().kind, ErrorKind::invalid_input);
    EXPECT_NE(read.error().message.find(row.says), std::string::npos) << read.error().message;
  }
  EXPECT_FALSE(parse_export("no json", "w.json"));
}

TEST(Winner, VersionsFitByTheirMajorNumber) {
  const WinnerVersions here = {"0.1.3", "2.13.0", "3.7.1"};
  const std::pair<WinnerVersions, bool> rows[] = {
      {{"0.1.0", "2.6.0", "3.2.0"}, true}, {{"0.2.0", "2.13.0", "3.7.1"}, false}, {{"0.1.3", "3.0.0", "3.7.1"}, false}, {{"0.1.3", "2.13.0", "4.0"}, false}, {{"1.1.3", "2.13.0", "3.7.1"}, false}};
  for (const auto& [measured, expected] : rows) EXPECT_EQ(fits(measured, here), expected) << measured.kernelagent << " " << measured.torch << " " << measured.triton;
}

TEST(Winner, TakesWeightsByOtherNames) {
  const Winner one = winner('a', 1);
  EXPECT_EQ(text_for(one, 1, one.weights).value(), one.kernel);
  EXPECT_EQ(text_for(one, 1, {"lin_weight", "lin_bias"}).value(),
            "def winning_function(x, fc_weight):\n    return f(x, fc_weight)  # kernel_function\n\n\n"
            "def kernel_function(input_0, lin_weight):\n    return winning_function(input_0, fc_weight=lin_weight)\n");
  EXPECT_FALSE(text_for(one, 1, {"lin_weight"}));
  Winner of_class = one;
  of_class.entry = "ModelNew";
  EXPECT_FALSE(text_for(of_class, 1, {"lin_weight", "lin_bias"}));
}

}  // namespace
}  // namespace ka::store

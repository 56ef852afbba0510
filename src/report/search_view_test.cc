#include "report/search_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "os/files.h"
#include "report/explain.h"
#include "report/page.h"
#include "report/python_page.h"
#include "report/test_runs.h"

namespace ka::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMarkup = "</style><script>alert(1)</script>\"'><img src=x onerror=alert(1)>";

Json tried(int round, const char* move, const char* outcome, const char* reason, double ms) {
  Json out = {{"round_num", round}, {"parent_id", 0}, {"move", move}, {"bottleneck", "memory"}, {"outcome", outcome}, {"reason", reason}};
  if (ms > 0) out["time_ms"] = ms;
  return out;
}

Json state_of_search() {
  return {{"round", 3}, {"quiet_rounds", 1}, {"input_ms", 4.0}, {"best", 2}, {"stop", "the limit of 3 rounds"}, {"texts", Json::array()}, {"codes", Json::array()},
          {"programs", {{{"program_id", 2}, {"time_ms", 1.0}, {"path", {"wider", "wider still"}}}}},
          {"attempts", {tried(1, "narrower", "refused", "result.mismatch: far off", 0), tried(1, "wider", "kept", "2.000 times as fast as the best (between 1.9 and 2.1)", 2),
                        tried(2, "wider still", "kept", "2.000 times as fast as the best (between 1.8 and 2.2)", 1), tried(2, "too wide", "slower", "1.50 times the time of the best", 3)}}};
}

Json result_of_search() { return {{"floor_ms", 0.5}, {"device", "cuda"}, {"message", ""}, {"models", {{"told", "3 questions to language models, 20 tokens"}}}, {"roofline", {{"bytes", 1e9}, {"flops", 2e9}, {"peak_bytes", 2e12}, {"peak_flops", 6e13}}}}; }

class SearchOf : public ::testing::Test {
 protected:
  RunView view(const Json& of_state, const Json& of_result, const std::string& input = "BLOCK = 16\ndef f():\n    pass\n") {
    return read_run(make_run(dir_.path(), "run_" + std::to_string(++count_), "2026-11-01T00:00:00.000Z",
                             {{"program_database.json", to_json_text(of_state)}, {"optimize.json", to_json_text(of_result)}, {"input/kernel.py", input}, {"output/best_kernel.py", "BLOCK = 64\ndef f():\n    pass\n"},
                              {"summary.json", text(summary("run"))}}))
        .value();
  }
  os::TempDir dir_ = os::TempDir::create("search-").value();
  int count_ = 0;
};

TEST_F(SearchOf, TheLastRaceAndWhatCannotBeAreTold) {
  Json state = state_of_search(), result = result_of_search();
  state["last_race"] = {{{"program_id", 2}, {"speedup", 3.9}, {"low", 3.8}, {"high", 4.1}}};
  result["floor_ms"] = 1.25;
  const RunView won = view(state, result);
  const std::string told = to_text(explain(won), won);
  EXPECT_THAT(told, HasSubstr("last race: 3.900 times as fast as the given kernel (between 3.800 and 4.100)"));
  EXPECT_THAT(told, HasSubstr("more than 100 %"));
  state["last_race"] = Json::array();
  const RunView none = view(state, result_of_search());
  EXPECT_THAT(to_text(explain(none), none), HasSubstr("last race: nothing was certainly faster than the given kernel, which stays"));
  state["last_race"] = {{{"speedup", "<b>"}}, 7};
  EXPECT_THAT(view(state, result_of_search()).search->last_race, HasSubstr("0.000 times"));
}

TEST_F(SearchOf, IsToldRoundByRound) {
  const RunView run = view(state_of_search(), result_of_search());
  ASSERT_TRUE(run.search);
  ASSERT_EQ(run.search->rounds.size(), 3u);
  EXPECT_EQ(run.search->rounds[0].best_ms, 2);
  EXPECT_EQ(run.search->rounds[1].best_ms, 1);
  EXPECT_EQ(run.search->rounds[2].best_ms, 1);
  const std::string told = to_text(explain(run), run);
  for (const char* line : {"search    1.0000 ms, 4.00 times as fast as the given kernel; it began with 4.0000 ms", "50.0 % of the least possible time", "round 1: 2.0000 ms, 2.00 times",
                           "against memory (2 tried)", "won: wider, 2.0000 ms; 2.000 times as fast as the best (between 1.9 and 2.1)", "refused: narrower; result.mismatch: far off",
                           "slower: too wide, 3.0000 ms", "round 3: nothing was left to try", "changed: wider still", "ended: the limit of 3 rounds", "3 questions to language models, 20 tokens"})
    EXPECT_THAT(told, HasSubstr(line));
  EXPECT_EQ(to_json(explain(run), run)["search"]["rounds"][0]["tried"][0]["outcome"], "kept");
}

TEST_F(SearchOf, HasAPage) {
  const std::string page = report_page(view(state_of_search(), result_of_search()));
  for (const char* piece : {"aria-label=\"time per round\"", "aria-label=\"roofline\"", "round 1: wider (won), ", "<span class=\"del\">- BLOCK = <a>16</a></span>", "<span class=\"ins\">+ BLOCK = <a>64</a></span>", "href=\"#search\""})
    EXPECT_THAT(page, HasSubstr(piece));
  Json on_cpu = result_of_search();
  on_cpu["device"] = "cpu";
  on_cpu["roofline"] = nullptr;
  EXPECT_THAT(report_page(view(state_of_search(), on_cpu)), HasSubstr("There is none: the interpreter"));
}

TEST_F(SearchOf, NonsenseIsNoHarm) {
  Json evil = state_of_search();
  evil["stop"] = evil["attempts"][0]["move"] = evil["attempts"][1]["outcome"] = evil["attempts"][2]["reason"] = evil["attempts"][3]["bottleneck"] = kMarkup;
  evil["programs"][0]["path"][0] = kMarkup;
  const std::string page = report_page(view(evil, result_of_search(), kMarkup));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  const Json rows[] = {Json::array(), Json::object(), {{"attempts", 3}}, {{"attempts", {1, "x", {{"round_num", 1e300}}, {{"round_num", -1}}}}}, {{"round", 1e9}, {"input_ms", -1}}, {{"programs", {1}}, {"best", 1}}};
  for (const Json& row : rows) {
    const RunView run = view(row, row);
    EXPECT_FALSE(report_page(run).empty());
    EXPECT_FALSE(to_text(explain(run), run).empty());
  }
}

TEST(PythonLines, ATextOverSeveralLinesIsColouredInEach) {
  const std::vector<Html> lines = python_lines("x = \"\"\"a\nb\"\"\"\n# c\n");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].str(), "x = <u>&quot;&quot;&quot;a</u>");
  EXPECT_EQ(lines[1].str(), "<u>b&quot;&quot;&quot;</u>");
  EXPECT_EQ(lines[2].str(), "<i># c</i>");
}

}  // namespace
}  // namespace ka::report

#include "report/explain.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "os/files.h"
#include "report/page.h"
#include "report/test_runs.h"

namespace ka::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kDay = "2026-11-01T00:00:00.000Z";
constexpr const char* kGraph =
    "%0: float32[4] = input x\n%1: float32[4] = relu(%0)\n%2: float32[4] = neg(%1)\n"
    "kernel 0: row [relu] -> %1\nkernel 1: pointwise [neg] -> %2\nkept: %1 of kernel 0: cheap\n"
    "not fused: neg (models/net.py:5) with kernel 0: the whole row comes first\nnot fused: add "
    "(models/net.py:6) with kernel 0: the whole row comes first\n"
    "not fused: mul (models/net.py:7) with kernel 1: another shape\n";

class ExplainTest : public ::testing::Test {
 protected:
  ExplainTest() : dir_(os::TempDir::create("explain-").value()) {}
  RunView view(const std::map<std::string, std::string>& files) {
    return read_run(make_run(dir_.path(), "run_" + std::to_string(++count_), kDay, files)).value();
  }
  std::string text(const RunView& run) { return to_text(explain(run), run); }
  os::TempDir dir_;
  int count_ = 0;
};

std::string subgraphs() {
  Json list = Json::array();
  for (const char* id : {"sg_1", "sg_2"}) list.push_back(model::to_json(linear_part(id)));
  list[0]["calls"] =
      Json::array({{{"order", 0}, {"weights", Json::array()}, {"inputs", {"x"}}, {"weights", Json::array()}, {"outputs", {"a"}}}});
  list[1]["calls"] =
      Json::array({{{"order", 1}, {"weights", Json::array()}, {"inputs", {"a"}}, {"weights", Json::array()}, {"outputs", {"b"}}}});
  return to_pretty_json_text(list);
}

TEST_F(ExplainTest, TheSentenceIsToldUnlessTheFolderWasUsedAgain) {
  model::SentenceRecord record;
  record.sentence = "relu of a vector\nof length 4";
  record.understood = "relu; float32 x (4,)";
  record.problem_sha256 = sha256_hex("program");
  model::RunSummary ended = summary("run", true, true);
  ended.problem_sha256 = record.problem_sha256;
  const std::string sentence = to_pretty_json_text(model::to_json(record));
  const RunView run = view({{"sentence.json", sentence}, {"summary.json", report::text(ended)}});
  EXPECT_THAT(text(run), HasSubstr("  the sentence: relu of a vector of length 4\n  understood by rule: relu; float32 x (4,)\n"));
  EXPECT_EQ(to_json(explain(run), run)["sentence"]["text"], record.sentence);
  EXPECT_THAT(text(view({{"sentence.json", sentence}})), HasSubstr("the sentence: relu"));
  ended.problem_sha256 = sha256_hex("another");
  EXPECT_THAT(text(view({{"sentence.json", sentence}, {"summary.json", report::text(ended)}})), Not(HasSubstr("the sentence")));
}

TEST_F(ExplainTest, WhatWorkersOfAModelWroteIsTold) {
  const RunView run = view({{"workers/worker_1/round_1.json", R"({"worker": 1, "round": 1, "accepted": false, "rule": "result.mismatch", "reason": "wrong"})"},
                            {"workers/worker_1/round_2.json", R"({"worker": 1, "round": 2, "accepted": true, "rule": "", "reason": "right"})"},
                            {"kernels_out/sg_1/workers/worker_2/round_1.json", R"({"worker": 2, "round": 1, "accepted": false, "rule": "", "reason": "no\ncode"})"},
                            {"workers/worker_3/round_1.json", "nonsense"},
                            {"summary.json", report::text(summary("run", true, true))}});
  EXPECT_THAT(text(run), HasSubstr("language models\n  worker 1, round 1: result.mismatch: wrong\n  worker 1, round 2: accepted\n  sg_1, worker 2, round 1: no code\n"));
  EXPECT_EQ(to_json(explain(run), run)["language_models"].size(), 3U);
}

TEST_F(ExplainTest, WhatAModelSaidAboutTheCutAndTheCompositionIsTold) {
  const RunView run = view({{"compose_out/workers/worker_1/round_1.json", R"({"worker": 1, "round": 1, "accepted": true, "rule": "", "reason": "right"})"},
                            {"orchestrator/cut.json", R"({"decided_by": "rules", "model": "m", "message": "not\nfaster"})"},
                            {"summary.json", report::text(summary("run", true, true))}});
  EXPECT_THAT(text(run), HasSubstr("language models\n  asked for another cut, m: not faster\n  the composition, worker 1, round 1: accepted\n"));
  EXPECT_EQ(to_json(explain(run), run)["cut_advice"], "m: not faster");
  EXPECT_THAT(text(view({{"orchestrator/cut.json", "3"}, {"summary.json", report::text(summary("run", true, true))}})), Not(HasSubstr("another cut")));
}

TEST_F(ExplainTest, TheRowThatDecidedIsNamedFirst) {
  const RunView run = view({{"route.json", report::text(fuse_route())}});
  const WhyRoute why = explain(run).route.value();
  EXPECT_EQ(why.decided, "several_kernels");
  EXPECT_EQ(why.also.size(), 1U);
  EXPECT_EQ(why.not_matched.size(), 1U);
  EXPECT_THAT(text(run), HasSubstr("several_kernels: a graph that becomes several kernels"));
  EXPECT_THAT(text(run), HasSubstr("did not match: one_kernel"));
}

TEST_F(ExplainTest, RefusalsAreGroupedByReason) {
  const RunView run = view({{"graph.txt", kGraph}, {"summary.json", report::text(summary("run"))}});
  const Explanation why = explain(run);
  ASSERT_EQ(why.refusals.size(), 2U);
  EXPECT_EQ(why.refusals[0].reason, "the whole row comes first");
  EXPECT_THAT(why.refusals[0].cases,
              ElementsAre("neg (net.py:5) with kernel 0", "add (net.py:6) with kernel 0"))
      << "the way to the program is said once";
  ASSERT_EQ(why.cuts.size(), 2U);
  EXPECT_EQ(why.cuts[0].kept, "cheap");
  EXPECT_THAT(why.cuts[1].reads, ElementsAre("kernel 0"));
  EXPECT_THAT(text(run), HasSubstr("the whole row comes first (2 times)"));
}

TEST_F(ExplainTest, TheRuleThatFiredAndTheWorstElement) {
  const RunView run = view({{"verdict.json", report::text(refused_verdict())}, {"kernel.py", "x = 1\n"}});
  const Explanation why = explain(run);
  ASSERT_EQ(why.verdicts.size(), 1U);
  EXPECT_EQ(why.verdicts[0].rule, "result.close");
  EXPECT_THAT(text(run), HasSubstr("kernel.py: refused by the rule result.close"));
  EXPECT_THAT(text(run), HasSubstr("worst: output 0 at [3, 240]: got 0, want 1"));
  EXPECT_THAT(text(view({{"kernel.py", "x"}})), HasSubstr("nobody has judged the result"));
}

TEST_F(ExplainTest, AVerdictAboutAnotherTextIsLeftOut) {
  model::Verdict verdict = accepted_verdict();
  verdict.kernel.sha256 = sha256_hex("y = 2\n");
  const RunView run = view({{"verdict.json", report::text(verdict)}, {"kernel.py", "x = 1\n"}});
  EXPECT_FALSE(run.verdict);
  EXPECT_THAT(text(run), HasSubstr("is about another text than that of kernel.py"));
}

TEST_F(ExplainTest, TimesAreSortedAndSharesAreOfTheRun) {
  const RunView run = view(
      {{"summary.json", report::text(summary("run"))}, {"verdict.json", report::text(accepted_verdict())}});
  const Explanation why = explain(run);
  ASSERT_EQ(why.times.size(), 4U);
  EXPECT_EQ(why.times[0].name, "verify");
  EXPECT_NEAR(why.times[0].share, 3.0 / 4.5, 1e-9);
  EXPECT_EQ(why.times[1].name, "everything else");
  EXPECT_EQ(why.judge_times[0].name, "kernel");
  EXPECT_NEAR(why.judge_times[0].share, 2.0 / 3.0, 1e-9);
}

TEST_F(ExplainTest, PartsOfAPipeline) {
  const std::string results =
      R"([{"id":"sg_1","success":true,"kernel_path":"","kernel_sha256":"","producer":"builtin","rounds":1,"message":""},)"
      R"({"id":"sg_2","success":false,"kernel_path":"","kernel_sha256":"","producer":"builtin","rounds":1,"message":"no family takes it"}])";
  const RunView run = view(
      {{"subgraphs.json", subgraphs()},
       {"kernels_out/summary.json", results},
       {"kernels_out/sg_1/kernel.py", "k = 1"},
       {"kernels_out/sg_1/verdict.json", report::text(accepted_verdict())},
       {"compose_out/composed_kernel.py", "c = 1"},
       {"compose_out/verdict.json", report::text(accepted_verdict())},
       {"compose_out/summary.json",
        R"({"success":true,"path":"compose_out/composed_kernel.py","sha256":"","verified":true,"torch_parts":["sg_2"],"message":"m"})"}});
  ASSERT_EQ(run.parts.size(), 2U);
  EXPECT_EQ(run.parts[0].kernel, "k = 1");
  EXPECT_EQ(run.kernel, "c = 1");
  EXPECT_THAT(run.composition->torch_parts, ElementsAre("sg_2"));
  EXPECT_THAT(run.complaints, IsEmpty());
  const Explanation why = explain(run);
  EXPECT_EQ(why.parts_accepted, 1U);
  EXPECT_THAT(why.cuts[1].reads, ElementsAre("sg_1"));
  EXPECT_EQ(why.verdicts[1].reason, "no family takes it");
  EXPECT_THAT(text(run), HasSubstr("sg_1 (x2), linear_relu: linear, relu"));
  EXPECT_EQ(to_json(why, run)["cuts"]["pieces"].size(), 2U);
}

TEST_F(ExplainTest, HostileFoldersAreShownAsFarAsTheyGo) {
  Json list = Json::array({model::to_json(linear_part("../../../etc")), model::to_json(linear_part("a/b")),
                           model::to_json(linear_part("sg_1")), 5, nullptr, "x"});
  list[2]["calls"] = Json::array({1, {{"order", "x"}, {"inputs", 3}}, {{"inputs", {1, "x"}}}});
  const RunView run = view({{"subgraphs.json", to_json_text(list)},
                            {"route.json", "[]"},
                            {"graph.txt", std::string("\xff\x1b[2J\0x", 7)},
                            {"compose_out/summary.json", "3"},
                            {"kernels_out/summary.json", "{}"}});
  EXPECT_EQ(run.parts.size(), 2U);
  EXPECT_THAT(run.complaints, testing::Contains(HasSubstr("is no id of a subgraph")));
  EXPECT_THAT(run.complaints, testing::Contains(HasSubstr("route.json")));
  EXPECT_THAT(text(run), HasSubstr("not shown: "));
  EXPECT_THAT(text(run), Not(HasSubstr("\x1b")));

  const std::string empty = dir_.path() + "/.fuse/run_empty";
  std::filesystem::create_directories(empty);
  EXPECT_THAT(read_run(empty).error().message, HasSubstr("holds no files"));
  put(empty + "/run.json", "{");
  EXPECT_THAT(read_run(empty).error().message, HasSubstr("nothing of it can be shown: run.json"));
}

TEST_F(ExplainTest, EveryTruncationOfAFileIsSurvived) {
  const std::map<std::string, std::string> files = {{"subgraphs.json", subgraphs()},
                                                    {"summary.json", report::text(summary("run"))},
                                                    {"verdict.json", report::text(refused_verdict())},
                                                    {"route.json", report::text(fuse_route())},
                                                    {"graph.txt", kGraph}};
  const std::string path = make_run(dir_.path(), "run_cut", kDay, files);
  for (const auto& [name, whole] : files) {
    for (std::size_t length = 0; length < whole.size(); length += 17) {
      put(path + "/" + name, whole.substr(0, length));
      const RunView run = read_run(path).value();
      EXPECT_FALSE(text(run).empty());
      EXPECT_EQ(run.complaints.empty(), name == "graph.txt") << name << " " << length;
    }
    put(path + "/" + name, whole);
  }
}

// Bytes changed, repeated, left out: whatever the files say, there is a text, a page and no end of the
// program.
TEST_F(ExplainTest, RandomDamageIsSurvived) {
  const std::map<std::string, std::string> files = {
      {"subgraphs.json", subgraphs()},
      {"summary.json", report::text(summary("run"))},
      {"verdict.json", report::text(refused_verdict())},
      {"route.json", report::text(fuse_route())},
      {"graph.txt", kGraph},
      {"kernels_out/sg_1/kernel.py", "@triton.jit\ndef k(x): return 'a' # b\n"}};
  const std::string path = make_run(dir_.path(), "run_random", kDay, files);
  std::uint32_t state = 7;
  const auto random = [&](std::size_t below) {
    return (state = state * 1664525 + 1013904223, (state >> 8) % below);
  };
  for (int i = 0; i < 400; ++i) {
    for (const auto& [name, whole] : files) {
      std::string bytes = whole;
      for (std::size_t k = random(4); k > 0; --k) {
        const std::size_t at = random(bytes.size());
        const std::size_t length = std::min(random(20), bytes.size() - at);
        if (random(2) == 0)
          bytes[at] = "{}[],:\"\\%0-e\n\xff"[random(15)];
        else if (random(2) == 0)
          bytes.insert(random(bytes.size()), bytes.substr(at, length));
        else if (length + 1 < bytes.size())
          bytes.erase(at, length);
      }
      put(path + "/" + name, bytes);
    }
    const RunView run = read_run(path).value();
    ASSERT_FALSE(text(run).empty());
    ASSERT_FALSE(to_json_text(to_json(explain(run), run)).empty());
    ASSERT_THAT(report_page(run), HasSubstr("</html>"));
  }
}

TEST_F(ExplainTest, LinesKeepToAHundredColumns) {
  model::Route route = fuse_route();
  for (int i = 0; i < 20; ++i) route.rules.push_back({"rule_" + std::to_string(i), false, "r", {}});
  const std::string out = text(view({{"route.json", report::text(route)}, {"graph.txt", kGraph}}));
  for (const std::string& line : split(out, '\n')) EXPECT_LE(line.size(), 100U) << line;
}

TEST(OpsText, EachNameOnceAndCut) {
  EXPECT_EQ(ops_text({"a", "b"}, 60), "a, b");
  EXPECT_EQ(ops_text({"a", "b", "a"}, 60), "a, b (3 operations)");
  EXPECT_EQ(ops_text({"aaaaaaaa", "bbbbbbbb", "cccc"}, 12), "aaaaaaaa, ... (3 operations)");
  EXPECT_EQ(ops_text({}, 10), "");
}

}  // namespace
}  // namespace ka::report

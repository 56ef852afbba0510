#include "bench/suite_table.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ka::bench {
namespace {

using model::kBestBaseline;
using model::SuiteTask;
using model::TaskEnd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

SuiteTask timed(const std::string& name, double kernel_ms, std::map<std::string, double> baselines) {
  SuiteTask task;
  task.name = name;
  task.status = "verified";
  task.end = TaskEnd::timed;
  task.family = "pointwise";
  task.kernel_ms = kernel_ms;
  for (const auto& [baseline, ms] : baselines) {
    const double ratio = ms / kernel_ms;
    task.baselines[baseline] = {ms, ratio, ratio * 0.9, ratio * 1.1, false};
  }
  return task;
}

SuiteTask without_kernel(const std::string& name, const std::string& status) {
  SuiteTask task;
  task.name = name;
  task.status = status;
  task.reason = "why";
  task.end = TaskEnd::failed;
  return task;
}

SuiteTask left(const std::string& name) {
  SuiteTask task;
  task.name = name;
  task.status = "verified";
  return task;
}

const std::vector<std::string> kBaselines = {"eager", "compile"};

TEST(SuiteTable, FailuresAreCountedAndWhatIsLeftIsNot) {
  const auto all = summary_of({timed("a", 1, {{"eager", 4}}), timed("b", 1, {{"eager", 1}}), without_kernel("c", "refused"), left("d")}, {"eager"});
  EXPECT_EQ(std::tuple(all.tasks, all.verified, all.timed, all.failed, all.left), std::tuple(4, 3, 2, 1, 1));
  const model::SuiteSpeed& speed = all.cuts[0].speeds[0];
  EXPECT_EQ(std::tuple(speed.tasks, speed.timed, speed.failed), std::tuple(3, 2, 1));
  EXPECT_NEAR(*speed.geomean, std::cbrt(4 * 1 * model::kFailedRatio), 1e-12);
  EXPECT_NEAR(*speed.geomean_timed, 2.0, 1e-12);
  EXPECT_EQ(std::tuple(speed.faster, speed.certainly_faster, speed.certainly_slower), std::tuple(1, 1, 0)) << "1 is not faster, and not certainly slower";
}

TEST(SuiteTable, AVerifiedKernelWithoutATimeFails) {
  SuiteTask hung = without_kernel("hung", "verified");
  const auto all = summary_of({timed("a", 1, {{"eager", 1}}), hung}, {"eager"});
  EXPECT_NEAR(*all.cuts[0].speeds[0].geomean, std::sqrt(model::kFailedRatio), 1e-12);
  EXPECT_DOUBLE_EQ(all.cuts[0].speeds[0].fast_p[0], 1.0) << "p = 0: verified";
  EXPECT_DOUBLE_EQ(all.cuts[0].speeds[0].fast_p[1], 0.5);
}

TEST(SuiteTable, FastP) {
  const auto all = summary_of({timed("a", 1, {{"eager", 0.8}}), timed("b", 1, {{"eager", 1}}), timed("c", 1, {{"eager", 7}}), without_kernel("d", "unsupported")}, {"eager"});
  EXPECT_THAT(all.cuts[0].speeds[0].fast_p, ElementsAre(0.75, 0.75, 0.75, 0.5, 0.25, 0.25, 0.25, 0.25, 0)) << "p = 0, 0.5, 0.8, 1, 1.5, 2, 3, 5, 10";
}

TEST(SuiteTable, TheBestBaselineIsThatOfEachTask) {
  const auto all = summary_of({timed("a", 1, {{"eager", 2}, {"compile", 4}}), timed("b", 1, {{"eager", 16}, {"compile", 8}}), timed("c", 1, {{"eager", 32}})}, kBaselines);
  ASSERT_EQ(all.cuts[0].speeds.size(), 3U);
  EXPECT_EQ(all.cuts[0].speeds[2].baseline, kBestBaseline);
  EXPECT_NEAR(*all.cuts[0].speeds[2].geomean, std::cbrt(2.0 * 8 * 32), 1e-9);
  EXPECT_EQ(all.cuts[0].speeds[1].tasks, 2) << "c has no time of the compiler";
}

TEST(SuiteTable, WithAndWithoutDegenerateAndAlgebraicTasks) {
  SuiteTask constant = timed("constant", 1, {{"eager", 100}}), algebraic = timed("algebraic", 1, {{"eager", 10}});
  constant.degenerate = "every element of a result has the same value";
  algebraic.algebraic = true;
  const auto all = summary_of({timed("plain", 1, {{"eager", 1}}), constant, algebraic}, {"eager"});
  const auto geomean = [&](std::size_t cut) { return *all.cuts[cut].speeds[0].geomean; };
  EXPECT_EQ(std::tuple(all.degenerate, all.algebraic), std::tuple(1, 1));
  EXPECT_NEAR(geomean(0), 10, 1e-9);
  EXPECT_NEAR(geomean(1), std::sqrt(10.0), 1e-9);
  EXPECT_NEAR(geomean(2), 10, 1e-9);
  EXPECT_NEAR(geomean(3), 1, 1e-9);
}

TEST(SuiteTable, EfficiencyOfMemoryBoundTasks) {
  std::vector<SuiteTask> tasks;
  for (const double share : {0.2, 0.4, 0.6, 0.8, 1.2}) {
    tasks.push_back(timed(std::to_string(share), 1, {{"eager", 1}}));
    tasks.back().memory_floor_ms = tasks.back().floor_ms = share;
    tasks.back().compute_floor_ms = 0.1;
  }
  tasks.push_back(timed("by arithmetic", 1, {{"eager", 1}}));
  tasks.back().memory_floor_ms = 0.01;
  tasks.back().compute_floor_ms = tasks.back().floor_ms = 0.02;
  const model::SuiteEfficiency found = summary_of(tasks, {"eager"}).cuts[0].memory_bound;
  EXPECT_EQ(found.tasks, 5);
  EXPECT_DOUBLE_EQ(found.q1, 0.4);
  EXPECT_DOUBLE_EQ(found.median, 0.6);
  EXPECT_DOUBLE_EQ(found.q3, 0.8);
  EXPECT_EQ(found.above, 1);
}

TEST(SuiteTable, ByFamily) {
  SuiteTask product = timed("product", 1, {{"eager", 0.5}});
  product.family = "matmul";
  const auto all = summary_of({timed("a", 1, {{"eager", 2}}), timed("b", 1, {{"eager", 8}}), product, without_kernel("c", "unsupported")}, {"eager"});
  ASSERT_EQ(all.families.size(), 3U);
  EXPECT_EQ(all.families[0].family, "none");
  EXPECT_EQ(std::tuple(all.families[1].family, all.families[1].tasks), std::tuple("matmul", 1));
  EXPECT_NEAR(*all.families[2].best.geomean, 4, 1e-9);
}

TEST(SuiteTable, WorstFirst) {
  const std::vector<SuiteTask> tasks = {timed("fast", 1, {{"eager", 3}}), timed("slow", 1, {{"eager", 0.05}}), timed("alone", 1, {}),
                                        without_kernel("wrong", "refused"), left("left")};
  const auto all = summary_of(tasks, {"eager"});
  EXPECT_THAT(all.worst_first, ElementsAre("wrong", "slow", "fast", "alone"));
}

TEST(SuiteTable, NothingAtAll) {
  const auto all = summary_of({}, kBaselines);
  EXPECT_FALSE(all.cuts[0].speeds[0].geomean);
  EXPECT_TRUE(model::to_json(all)["cuts"][0]["speeds"][0]["geomean"].is_null());
  EXPECT_THAT(suite_text({}, all), HasSubstr("all tasks (0)"));
}

TEST(SuiteText, WorstTasksAndTheMeans) {
  SuiteTask cached = timed("cached", 2, {{"eager", 1}});
  cached.baselines["eager"].cached = true;
  const std::vector<SuiteTask> tasks = {timed("fast", 1, {{"eager", 3}}), cached, without_kernel("wrong", "refused")};
  const std::string text = suite_text(tasks, summary_of(tasks, {"eager"}), 2);
  EXPECT_THAT(text, HasSubstr("refused  wrong:"));
  EXPECT_THAT(text, HasSubstr("0.500  cached [cached]:"));
  EXPECT_THAT(text, HasSubstr("and 1 more in results.csv"));
  EXPECT_THAT(text, Not(HasSubstr("without degenerate"))) << "there is none";
}

TEST(SuiteCsv, CellsAreQuotedWhereTheyMustBe) {
  SuiteTask task = without_kernel("a,b.py", "refused");
  task.reason = "he said \"no\"\nand went";
  const std::string csv = suite_csv({task}, {"eager"});
  EXPECT_THAT(csv, HasSubstr("\r\n\"a,b.py\",refused,failed,"));
  EXPECT_THAT(csv, HasSubstr("\"he said \"\"no\"\"\nand went\"\r\n"));
  EXPECT_THAT(csv, HasSubstr("eager_ms,ratio_eager,ratio_eager_low,ratio_eager_high,eager_cached,eager_failed"));
}

SuiteTask searched(SuiteTask task, double kernel_ms) {
  task.optimized.emplace();
  task.optimized->faster = true;
  task.optimized->ratio = 1.5;
  task.optimized->rounds = 2;
  task.optimized->stop = "the limit of 2 rounds";
  task.optimized->moves = {"BLOCK 64 instead of 16", "num_warps 8"};
  task.optimized->kernel_ms = kernel_ms;
  const double gain = *task.kernel_ms / kernel_ms;
  task.optimized->gain = {*task.kernel_ms, gain, gain * 0.9, gain * 1.1, false};
  for (const auto& [name, one] : task.baselines) {
    const double ratio = one.ms / kernel_ms;
    task.optimized->baselines[name] = {one.ms, ratio, ratio, ratio, one.cached};
  }
  return task;
}

SuiteTask search_failed(SuiteTask task) {
  task.optimized.emplace();
  task.optimized->error = "the search was killed";
  return task;
}

SuiteTask nothing_faster(SuiteTask task) {
  task.optimized.emplace();
  task.optimized->stop = "no move is left to try";
  return task;
}

TEST(SuiteAfter, TheKernelOfTheSearchWhereThereIsOneElseTheDefault) {
  const std::vector<SuiteTask> tasks = {searched(timed("a", 4, {{"eager", 8}}), 1), nothing_faster(timed("b", 1, {{"eager", 2}})),
                                        search_failed(timed("c", 1, {{"eager", 1}})), without_kernel("d", "refused"), left("e"), timed("f", 1, {{"eager", 1}})};
  EXPECT_NEAR(*summary_of(tasks, {"eager"}).cuts[0].speeds[0].geomean_timed, std::pow(2.0 * 2, 0.25), 1e-12) << "the default table stays what it is";
  const auto after = after_of(tasks, {"eager"});
  ASSERT_TRUE(after);
  EXPECT_EQ(std::tuple(after->searched, after->faster, after->failed), std::tuple(3, 1, 1));
  EXPECT_NEAR(*after->gain, 2, 1e-12) << "4 and 1; a search that failed has none";
  const model::SuiteSpeed& speed = after->summary.cuts[0].speeds[0];
  EXPECT_NEAR(*speed.geomean_timed, 2, 1e-12) << "8, 2, 1 and 1";
  EXPECT_EQ(std::tuple(speed.timed, speed.failed, after->summary.left), std::tuple(4, 1, 1));
  EXPECT_FALSE(after_of({timed("a", 1, {{"eager", 1}})}, {"eager"})) << "nothing was searched";
  const Json json = model::to_json(*after);
  EXPECT_EQ(json["summary"]["cuts"][0]["speeds"][0]["baseline"], "eager");
  const std::string text = after_text(*after);
  EXPECT_THAT(text, HasSubstr("after optimisation: 3 tasks searched: 1 with a faster kernel, 1 failed; 2.000 times the default kernels' speed"));
  EXPECT_THAT(text, HasSubstr("all tasks (5)"));
}

TEST(SuiteAfter, WithoutATimingTheSearchsOwnRatioIsTheGain) {
  SuiteTask task = left("a");
  task.optimized.emplace();
  task.optimized->faster = true;
  task.optimized->ratio = 3;
  EXPECT_NEAR(*after_of({task}, {})->gain, 3, 1e-12);
}

TEST(SuiteCsv, ColumnsOfTheSearchWhereATaskWasSearched) {
  const std::vector<SuiteTask> tasks = {searched(timed("a", 4, {{"eager", 8}}), 1), search_failed(timed("b", 1, {{"eager", 2}})), without_kernel("c", "refused")};
  const std::string csv = suite_csv(tasks, {"eager"});
  EXPECT_THAT(csv, HasSubstr(",reason,search,search_gain,search_rounds,search_stop,search_moves,optimized_ms,"
                             "optimized_gain,optimized_gain_low,optimized_gain_high,optimized_efficiency,"
                             "ratio_best_after,ratio_eager_after\r\n"));
  EXPECT_THAT(csv, HasSubstr(",faster,1.5,2,the limit of 2 rounds,BLOCK 64 instead of 16; num_warps 8,1,4,3.6,4.4,,8,8\r\n"));
  EXPECT_THAT(csv, HasSubstr(",failed,,0,the search was killed,,,,,,,2,2\r\n"));
  EXPECT_THAT(csv, HasSubstr(",why,,,,,,,,,,,,\r\n"));
  EXPECT_THAT(suite_csv({timed("a", 1, {{"eager", 1}})}, {"eager"}), Not(HasSubstr("search")));
}

TEST(SuiteTaskFromJson, RowsWithASearch) {
  const Json ratio = {{"baseline", "eager"}, {"median_ms", 2.0}, {"ratio", 4.0}, {"low", 3.9}, {"high", 4.1}};
  const Json kernel = {{"path", "a.py.optimized.py"}, {"sha256", "x"}, {"entry", "kernel_function"}};
  const Json ended = {{"of", "y"},     {"on", "cuda"}, {"folder", "f"},   {"state", "ended"}, {"faster", true},
                      {"ratio", 2.0}, {"rounds", 3},  {"stop", "why"}, {"moves", {"m"}},   {"kernel", kernel}};
  const Json rival = {{"sha256", "x"}, {"kernel_ms", 0.25}, {"ratios", {ratio}}, {"gain", ratio}};
  const auto row = [&](Json search, Json timing) {
    const Json bench = {{"kernel_ms", 0.5}, {"ratios", Json::array()}, {"optimized", std::move(timing)}};
    return Json{{"name", "a"}, {"status", "verified"}, {"optimized", std::move(search)}, {"bench", bench}};
  };
  const SuiteTask task = model::suite_task_from_json(row(ended, rival)).value();
  ASSERT_TRUE(task.optimized);
  EXPECT_EQ(std::tuple(task.optimized->faster, task.optimized->rounds, *task.optimized->kernel_ms, task.optimized->gain.ratio), std::tuple(true, 3, 0.25, 4.0));
  EXPECT_DOUBLE_EQ(*task.after().kernel_ms, 0.25);
  EXPECT_EQ(task.after().best()->first, "eager");
  EXPECT_DOUBLE_EQ(*model::suite_task_from_json(row(ended, {{"sha256", "x"}, {"error", "hung"}})).value().after().kernel_ms, 0.5);
  const Json begun = {{"of", "y"}, {"on", "cuda"}, {"folder", "f"}, {"state", "begun"}};
  EXPECT_FALSE(model::suite_task_from_json({{"name", "a"}, {"status", "verified"}, {"optimized", begun}}).value().optimized);
  const auto broken = [&](const char* field, Json value) {
    Json search = ended;
    search[field] = std::move(value);
    return row(search, rival);
  };
  for (const Json& bad : {broken("state", 3), broken("ratio", 0), broken("moves", "m"), broken("kernel", 3), row(ended, {{"sha256", "x"}}),
                          row(ended, {{"sha256", "x"}, {"kernel_ms", -1}, {"ratios", Json::array()}}), row("x", rival)})
    EXPECT_FALSE(model::suite_task_from_json(bad)) << bad.dump();
}

TEST(SuiteTaskFromJson, RowsOfEval) {
  const Json ratio = {{"baseline", "eager"}, {"median_ms", 2.0}, {"ratio", 4.0}, {"low", 3.9}, {"high", 4.1}, {"cached", true}};
  const Json row = {{"name", "a.py"}, {"status", "verified"}, {"tier", "fp32"}, {"families", {{"row", 2}}}, {"kernels", 2}, {"algebraic", true}, {"degenerate", "empty"},
                    {"floor", {{"memory_ms", 0.25}, {"compute_ms", 0.1}}}, {"bench", {{"kernel_ms", 0.5}, {"ratios", {ratio}}, {"failed", {{"compile", "hung"}}}}}};
  const SuiteTask task = model::suite_task_from_json(row).value();
  EXPECT_EQ(task.end, TaskEnd::timed);
  EXPECT_DOUBLE_EQ(*task.efficiency(), 0.5);
  EXPECT_TRUE(task.is_memory_bound() && task.algebraic && task.baselines.at("eager").cached && task.baselines.at("eager").is_certain());
  EXPECT_EQ(task.failed.at("compile"), "hung");
  EXPECT_EQ(model::suite_task_from_json({{"name", "b"}, {"status", "refused"}}).value().end, TaskEnd::failed);
  EXPECT_EQ(model::suite_task_from_json({{"name", "b"}, {"status", "left"}}).value().end, TaskEnd::left);
  EXPECT_EQ(model::suite_task_from_json({{"name", "b"}, {"status", "verified"}, {"bench", {{"error", "hung"}}}}).value().end, TaskEnd::failed);
}

TEST(SuiteTaskFromJson, AnythingElseIsAnError) {
  const Json verified = {{"name", "a"}, {"status", "verified"}};
  const auto with = [&](const char* field, Json value) {
    Json row = verified;
    row[field] = std::move(value);
    return row;
  };
  const Json of_bench[] = {Json::object(), {{"error", "hung"}, {"on", 3}}, {{"error", "hung"}, {"asked", "kernel"}}, {{"kernel_ms", 0}, {"ratios", Json::array()}},
                           {{"kernel_ms", 1}, {"ratios", {{{"baseline", "eager"}}}}}};
  for (const Json& bench : of_bench) EXPECT_FALSE(model::suite_task_from_json(with("bench", bench))) << bench.dump();
  for (const Json& row : {Json(), Json::array(), Json({{"name", "a"}}), with("name", 3), with("families", "x"), with("floor", Json::object()), with("kernel", {{"path", "a.py"}}),
                          with("work", {{"bytes", "x"}}), with("problem_sha256", 3)})
    EXPECT_FALSE(model::suite_task_from_json(row)) << row.dump();
}

}  // namespace
}  // namespace ka::bench

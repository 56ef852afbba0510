#include "report/suite_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/suite_plots.h"

namespace ka::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

model::SuiteTask task(const std::string& name, double ratio) {
  model::SuiteTask out;
  out.name = name;
  out.status = "verified";
  out.end = model::TaskEnd::timed;
  out.kernel_ms = 2;
  out.baselines["eager"] = {2 * ratio, ratio, ratio, ratio, false};
  out.memory_floor_ms = out.floor_ms = 1;
  out.compute_floor_ms = 0.5;
  out.families = {{"row", 1}};
  return out;
}

model::SuiteTask failure(const std::string& name) {
  model::SuiteTask out;
  out.name = name;
  out.status = "refused";
  out.reason = "result.mismatch";
  out.end = model::TaskEnd::failed;
  return out;
}

model::SuiteSummary summary_of_these(const std::vector<model::SuiteTask>& tasks) {
  model::SuiteSummary out;
  out.tasks = static_cast<int>(tasks.size());
  out.baselines = {"eager"};
  model::SuiteSpeed speed;
  speed.baseline = "eager";
  out.cuts.push_back({"all tasks", false, false, out.tasks, {speed}, {}});
  for (const model::SuiteTask& one : tasks) out.worst_first.push_back(one.name);
  return out;
}

TEST(RatioBars, FasterSlowerAndFailed) {
  Html html;
  add_ratio_bars(html, {task("slow", 0.5), failure("wrong"), task("fast", 3), task("unclear", 1)}, "eager");
  EXPECT_EQ(count_of(html.str(), "<rect class=\"faster\""), 1U);
  EXPECT_EQ(count_of(html.str(), "<rect class=\"slower\""), 2U);
  EXPECT_EQ(count_of(html.str(), "<rect class=\"failed\""), 1U);
  EXPECT_LT(html.str().find("wrong: refused"), html.str().find("slow: 0.500"));
  EXPECT_LT(html.str().find("slow: 0.500"), html.str().find("fast: 3.000"));
}

TEST(RatioBars, ATaskWithoutThisBaselineHasNone) {
  Html html;
  add_ratio_bars(html, {task("a", 2)}, "compile");
  EXPECT_THAT(html.str(), HasSubstr("No task has a time to compare"));
}

TEST(RatioBars, NumbersOutOfAllProportionStayOnThePicture) {
  Html html;
  add_ratio_bars(html, {task("a", 1e9), task("b", 1e-9)}, "eager");
  EXPECT_THAT(html.str(), HasSubstr(">64<"));
  EXPECT_THAT(html.str(), HasSubstr(">1/64<"));
  EXPECT_THAT(html.str(), Not(HasSubstr("height=\"-")));
}

TEST(Roofline, WhatIsAboveTheRoofIsMarked) {
  model::SuiteTask cheat = task("cheat", 1), product = task("product", 1);
  cheat.floor_ms = cheat.memory_floor_ms = 3;
  product.compute_floor_ms = product.floor_ms = 1.5;
  Html html;
  add_roofline(html, {task("a", 1), cheat, product, failure("wrong")});
  for (const char* kind : {"above", "memory", "compute"}) EXPECT_EQ(count_of(html.str(), fmt::format("<circle class=\"{}\"", kind)), 1U) << kind;
}

TEST(FastP, ALinePerBaseline) {
  Html html;
  add_fast_p(html, std::vector<model::SuiteSpeed>(3));
  EXPECT_EQ(count_of(html.str(), "<polyline"), 3U);
}

TEST(SuitePage, TextsAreEscaped) {
  model::SuiteTask evil = failure("<script>x</script>");
  evil.reason = "<img src=x onerror=y>";
  evil.degenerate = "<b>";
  const std::string page = suite_page({evil, task("good", 2)}, summary_of_these({evil, task("good", 2)}), {"<i>suite</i>", "kernelagent eval '<u>'", "<s>", "now", "<q>"});
  for (const char* markup : {"<script", "<img", "<i>", "<u>", "<s>", "<q>", "<b>"}) EXPECT_THAT(page, Not(HasSubstr(markup)));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;x&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy"));
}

TEST(SuitePage, AfterOptimisation) {
  model::SuiteTask searched = task("searched", 2), failed = task("failed", 2);
  searched.optimized.emplace();
  searched.optimized->faster = true;
  searched.optimized->moves = {"BLOCK <64>"};
  searched.optimized->kernel_ms = 1;
  searched.optimized->gain = {2, 2, 1.9, 2.1, false};
  failed.optimized.emplace();
  failed.optimized->error = "it was killed";
  const std::vector<model::SuiteTask> tasks = {searched, failed};
  model::SuiteAfter after{2, 1, 1, 2, summary_of_these(tasks)};
  after.summary.cuts[0].speeds[0].geomean = 2.828;
  const std::string page = suite_page(tasks, summary_of_these(tasks), {}, after);
  EXPECT_THAT(page, HasSubstr("2 tasks searched: 1 with a faster kernel, 1 failed; 2.000 times the default"));
  EXPECT_EQ(count_of(page, "2.828"), 1U) << "of the second table alone";
  EXPECT_THAT(page, HasSubstr("optimised 1.0000 ms, 2.000 times the default (1.900 to 2.100): BLOCK &lt;64&gt;"));
  EXPECT_THAT(page, HasSubstr("search failed: it was killed"));
  EXPECT_THAT(suite_page(tasks, summary_of_these(tasks), {}), Not(HasSubstr("after optimisation")));
}

TEST(SuitePage, OfNothing) { EXPECT_THAT(suite_page({}, summary_of_these({}), {}), HasSubstr("0 of 0 tasks verified")); }

}  // namespace
}  // namespace ka::report

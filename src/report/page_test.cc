#include "report/page.h"

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "os/files.h"
#include "report/drawing.h"
#include "report/layout.h"
#include "report/python_page.h"
#include "report/test_runs.h"

namespace ka::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlText, EverythingThatIsMarkupIsEscaped) {
  Html html;
  html.tag("<p title=\"", "\"'<&>", "\">").number(std::nan("")).number(std::size_t{3});
  EXPECT_EQ(html.str(), "<p title=\"&quot;&#39;&lt;&amp;&gt;\">0.003");
}

TEST(PythonTokens, NamesAtTheMarginHaveAnchors) {
  Html html;
  add_python(html, "def f():\n    def g(): pass\nasync def h(): pass\ndef f(): pass\n", true);
  EXPECT_THAT(html.str(), HasSubstr("<dfn id=\"def-f\">f</dfn>"));
  EXPECT_THAT(html.str(), HasSubstr("<dfn>g</dfn>"));
  EXPECT_THAT(html.str(), HasSubstr("<dfn id=\"def-h\">h</dfn>"));
  EXPECT_THAT(html.str(), HasSubstr("<b>def</b> <dfn>f</dfn>")) << "an anchor is there once";
}

TEST(LayOut, ArrowsPointDownwards) {
  const Layout layout = lay_out(5, {{0, 1}, {1, 2}, {0, 2}, {3, 2}, {2, 4}});
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 2}, {0, 2}, {3, 2}, {2, 4}})
    EXPECT_LT(layout.places[static_cast<std::size_t>(from)].y, layout.places[static_cast<std::size_t>(to)].y);
  EXPECT_EQ(layout.places[3].row, 1U) << "right above its reader";
  EXPECT_NE(layout.places[3].x, layout.places[1].x);
}

TEST(LayOut, WideLayersTakeSeveralRowsAndNothingOverlaps) {
  const Layout layout = lay_out(20, {}, 8);
  EXPECT_EQ(layout.right.size(), 3U);
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_TRUE(std::abs(layout.places[i].x - layout.places[j].x) >= kBoxWidth ||
                  std::abs(layout.places[i].y - layout.places[j].y) >= kBoxHeight)
          << i << " " << j;
  }
}

TEST(LayOut, CirclesAndNonsenseEnd) {
  EXPECT_EQ(lay_out(3, {{0, 1}, {1, 2}, {2, 0}}).places.size(), 3U);
  EXPECT_EQ(lay_out(2, {{0, 0}, {7, 1}, {1, 9}}).places.size(), 2U);
  EXPECT_EQ(lay_out(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}}).places.size(), 4U);
  EXPECT_EQ(lay_out(0, {}).height, 0);
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t j = 0; j < 200; ++j) all.emplace_back(i, j);
  }
  EXPECT_EQ(lay_out(200, all).places.size(), 200U);
}

class PageTest : public ::testing::Test {
 protected:
  PageTest() : dir_(os::TempDir::create("page-").value()) {}
  std::string page(const std::map<std::string, std::string>& files) {
    return report_page(
        read_run(make_run(dir_.path(), "run_" + std::to_string(++count_), "2026-11-01T00:00:00.000Z", files))
            .value());
  }
  os::TempDir dir_;
  int count_ = 0;
};

constexpr const char* kEvil = "</style></script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>";

TEST_F(PageTest, NothingFromAFileBecomesMarkup) {
  model::RunSummary run = summary("run");
  run.problem_path = std::string("a/") + kEvil + ".py";
  run.message = run.route = run.device = kEvil;
  run.versions = {{kEvil, kEvil}};
  run.times = {{kEvil, 1.0}};
  run.speed = {{kEvil, 1, 1, {}}};
  model::Verdict verdict = refused_verdict();
  verdict.rule = verdict.reason = verdict.detail = verdict.device = verdict.reproduce =
      verdict.sandbox.level = verdict.precision.tier = kEvil;
  verdict.checks = {{kEvil, 1, kEvil, {}}};
  verdict.sandbox.missing = {{kEvil, kEvil, {}}};
  model::Route route = fuse_route();
  route.strategy = route.rationale = route.decided_by = route.rules[1].name = route.rules[0].reason = kEvil;
  model::Subgraph part = linear_part("sg_1");
  part.type = part.where = part.layout = part.source.code = part.ops[0].op = part.ops[0].name =
      part.inputs[0].name = kEvil;
  part.ops[0].parameters = {{kEvil, {Json(kEvil).dump()}}};
  Json list = Json::array({model::to_json(part), model::to_json(linear_part(kEvil))});
  list[0]["calls"] = Json::array({{{"order", 0}, {"weights", Json::array()}, {"inputs", {"x"}}, {"outputs", {kEvil}}},
                                  {{"order", 1}, {"weights", Json::array()}, {"inputs", {kEvil}}, {"outputs", {"z"}}}});
  const std::string evil = kEvil;
  const std::string graph = "%0: " + evil + " = f(%1)\nkernel 0: " + evil + " [" + evil +
                            "] -> %0\nnot fused: " + evil + " with kernel 0: " + evil + "\ndecided: " + evil +
                            "\ntotal: " + evil + "\ncost on " + evil + ":\n";
  const std::string text = page(
      {{"summary.json", report::text(run)},
       {"compose_out/verdict.json", report::text(verdict)},
       {"route.json", report::text(route)},
       {"subgraphs.json", to_json_text(list)},
       {"graph.txt", graph},
       {"compose_out/composed_kernel.py", "def " + evil + "\n# " + evil + "\nx = '" + evil + "'\n@" + evil},
       {"kernels_out/sg_1/kernel.py", evil},
       {"kernels_out/sg_1/verdict.json", report::text(verdict)},
       {"kernels_out/summary.json", "[" + evil + "]"}});
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;alert"));
  // Alone, without parts: the cards of kernels.
  const std::string path = make_run(dir_.path(), "run_alone", "2026-11-01T00:00:00.000Z",
                                    {{"graph.txt", graph}, {"kernel.py", evil}});
  put(path + "/events.jsonl",
      to_json_text(Json{{"stage", "synth"}, {"message", "1 kernel written: " + evil}, {"time", "x"}}) + "\n");
  const std::string alone = report_page(read_run(path).value());
  EXPECT_THAT(alone, HasSubstr("source of &lt;/style&gt;"));
  EXPECT_THAT(alone, Not(HasSubstr("<script")));
  EXPECT_THAT(alone, Not(HasSubstr("<img")));
}

TEST_F(PageTest, LoadsNothing) {
  const std::string text = page({{"summary.json", report::text(summary("run"))},
                                 {"kernel.py", "import torch\n"},
                                 {"verdict.json", report::text(accepted_verdict())}});
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  for (const char* word : {"<script", "<link", "@import", "url(http", "src=", "onload", "javascript:"})
    EXPECT_THAT(text, Not(HasSubstr(word)));
  EXPECT_THAT(text, HasSubstr("<title>net.py: verified</title>"));
  EXPECT_THAT(text, HasSubstr("the kernel computes what the program computes"));
  EXPECT_THAT(text, HasSubstr("<b>import</b> torch"));
}

TEST_F(PageTest, TheGraphHasItsCuts) {
  const std::string graph =
      "%0: float32[4] = input x\n%1: float32[4] = relu(%0)\n%2: float32[4] = neg(%1)\nkernel 0: row [relu] "
      "-> %1\nkernel 1: pointwise [neg] -> %2\nkept: %1 of kernel 0: cheap\n";
  const std::string text = page({{"graph.txt", graph}, {"kernel.py", "x = 1"}});
  EXPECT_THAT(text, HasSubstr("<title>cut: %1 float32[4]. Kept: cheap</title>"));
  EXPECT_THAT(text, HasSubstr("href=\"#card-1\""));
  EXPECT_THAT(text, HasSubstr("id=\"card-1\""));
}

TEST_F(PageTest, ManyLargeKernelsStayOnePage) {
  Json list = Json::array();
  std::map<std::string, std::string> files;
  std::string kernel = "@triton.jit\ndef kernel(x, BLOCK: tl.constexpr):\n";
  for (int i = 0; i < 200; ++i)
    kernel += fmt::format("    v{} = tl.load(x + {}, mask=v{} < {}, other=0.0)  # step {}\n", i, i, i, i, i);
  for (int i = 0; i < 300; ++i) {
    list.push_back(model::to_json(linear_part(fmt::format("sg_{}", i))));
    files[fmt::format("kernels_out/sg_{}/kernel.py", i)] = fmt::format("# {}\n{}", i, kernel);
  }
  files["subgraphs.json"] = to_json_text(list);
  files["compose_out/composed_kernel.py"] = kernel + "# whole\n" + kernel;
  const std::string path = make_run(dir_.path(), "run_many", "2026-11-01T00:00:00.000Z");
  for (const auto& [name, content] : files) put(path + "/" + name, content);
  const std::string text = report_page(read_run(path).value());
  EXPECT_LT(text.size(), std::size_t{5} << 20);
  EXPECT_THAT(text, HasSubstr("not shown: the page is large enough"));
  EXPECT_THAT(text, HasSubstr("sg_299"));
}

TEST(Drawing, PartsAreJoinedByTheNamesOfTheirValues) {
  RunView view;
  Part a, b;
  a.subgraph = linear_part("a");
  a.calls = {{0, {"x"}, {}, {"v"}}, {2, {"w"}, {}, {"u"}}};
  b.subgraph = linear_part("b");
  b.calls = {{1, {"v"}, {}, {"w"}}};
  b.result = model::SubgraphResult{"b", false, "", "", "", 0, {}, {}, "no", {}};
  view.parts = {a, b};
  const Drawing drawing = drawing_of(view);
  ASSERT_EQ(drawing.boxes.size(), 3U);
  EXPECT_EQ(drawing.boxes[1].mark, Mark::bad);
  EXPECT_EQ(drawing.boxes[2].card, 0U);
  ASSERT_EQ(drawing.arrows.size(), 2U);
  EXPECT_EQ(drawing.arrows[0].tooltip, "cut: v float32[4, 8]");
  view.composition = model::Composition{true, "", "", false, {"b"}, "", {}};
  EXPECT_EQ(drawing_of(view).boxes[1].mark, Mark::torch);
}

}  // namespace
}  // namespace ka::report

// What is taken out of the loop over the keys: masks, factors, and what does not vary.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "ir/builder.h"
#include "synth/codegen/score.h"

namespace ka::codegen::score_test {
namespace {

using ir::Builder;
using ir::DType;
using ir::Sym;
using ir::ValueId;

const Sym B = Sym::size("B"), M = Sym::size("M"), N = Sym::size("N"), D = Sym::size("D");

struct Scores {
  Builder& b;
  ValueId product, table, slopes, number;  // [B, M, N]; in memory: [M, N], [M, 1], []
  ValueId scaled() const { return b.elementwise("mul", {product, b.elementwise("rsqrt", {b.cast(b.index({}, D), DType::float32)})}); }
  ValueId causal(ValueId x, const Sym& more = 0) const {
    const ValueId shown = b.elementwise("le", {b.index({M, N}, Sym::index("i1", N) - Sym::index("i0", M)), b.cast(b.index({}, more), DType::int64)});
    return b.elementwise("where", {shown, x, b.constant(-INFINITY, DType::float32)});
  }
};

struct Case {
  const char* name;
  ValueId (*scores)(const Scores&);
  const char* wanted;
};

std::string planned(const Case& one) {
  ir::Graph graph;
  Builder b(graph);
  const auto input = [&](const char* name, ir::Shape shape) { return b.argument(ir::ArgumentKind::input, name, name, {DType::float32, std::move(shape)}); };
  const ValueId q = input("q", {B, M, D}), k = input("k", {B, D, N}), table = input("table", {M, N}), slopes = input("slopes", {M, 1}), number = input("number", {});
  const ValueId product = b.matmul(q, k), scores = one.scores({b, product, table, slopes, number});
  std::map<ValueId, Buffer> buffers;
  for (const ValueId value : {q, k, table, slopes, number}) buffers[value] = {"x", "x", DType::float32, graph.shape(value)};
  KernelContext context;
  context.graph = &graph;
  context.buffers = &buffers;
  const Sym row = Sym::index("m", M), column = Sym::index("n", N);
  const ScorePlan plan = plan_scores(context, product, {scores, {Sym::index("b", B), row, column}}, row, column);
  std::string out = plan.inner.first == product ? "product" : "more";
  for (const Factor& factor : plan.factors) out += factor.divides ? " divided" : " scaled";
  if (plan.mask) out += fmt::format(" {} to {}", plan.mask_is_last ? "shown" : "shown below", plan.mask->span.text());
  for (std::size_t i = 0; i < plan.hidden.size(); ++i) out += " hidden";
  for (const ValueAt& fixed : plan.fixed) out += graph.maker(fixed.first) == nullptr ? " load" : " " + graph.maker(fixed.first)->op;
  return out + (plan.operations > 0 ? ", busy" : "");
}

TEST(Score, MasksFactorsAndWhatDoesNotVaryLeaveTheLoop) {
  const Case rows[] = {
      {"plain", [](const Scores& s) { return s.product; }, "product"},
      {"scaled", [](const Scores& s) { return s.scaled(); }, "product scaled"},
      {"divided by a number", [](const Scores& s) { return s.b.elementwise("div", {s.product, s.b.constant(8, DType::float32)}); }, "product divided"},
      {"scaled, causal", [](const Scores& s) { return s.causal(s.scaled()); }, "product scaled shown to 0"},
      {"causal, fewer queries", [](const Scores& s) { return s.causal(s.product, N - M); }, "product shown to -M + N"},
      {"of either sign", [](const Scores& s) { return s.b.elementwise("mul", {s.product, s.b.constant(-0.5, DType::float32)}); }, "more, busy"},
      {"of unknown sign", [](const Scores& s) { return s.b.elementwise("mul", {s.product, s.number}); }, "more load, busy"},
      {"biased", [](const Scores& s) { return s.b.elementwise("add", {s.scaled(), s.table}); }, "more rsqrt, busy"},
      {"biased by row", [](const Scores& s) { return s.b.elementwise("add", {s.scaled(), s.b.elementwise("exp", {s.slopes})}); }, "more rsqrt exp, busy"},
      {"biased below a mask", [](const Scores& s) { return s.causal(s.b.elementwise("add", {s.product, s.table})); }, "more shown to 0, busy"},
      {"one mask above another", [](const Scores& s) { return s.b.elementwise("where", {s.b.elementwise("lt", {s.table, s.b.constant(0, DType::float32)}), s.causal(s.product), s.b.constant(-INFINITY, DType::float32)}); },
       "product shown to 0 hidden, busy"},
      {"hidden where", [](const Scores& s) { return s.b.elementwise("where", {s.b.elementwise("lt", {s.table, s.table}), s.b.constant(-INFINITY, DType::float32), s.scaled()}); }, "product scaled hidden, busy"},
  };
  for (const Case& row : rows) EXPECT_EQ(planned(row), row.wanted) << row.name;
}

}  // namespace
}  // namespace ka::codegen::score_test

// Every row of the table, proved: the graph before and after is computed in float64 at the sizes of the program.
#include "partition/rewrites.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "ir/legality.h"

namespace ka::partition::rewrites_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Sym;
using ir::ValueId;

struct Array {
  std::vector<std::int64_t> extents;
  std::vector<double> data;
};

const std::map<std::string, std::int64_t> kSizes = {{"m", 5}, {"k", 7}, {"n", 3}};

std::vector<std::int64_t> extents_of(const Shape& shape) {
  std::vector<std::int64_t> out;
  for (const Sym& extent : shape) out.push_back(*ir::evaluate(extent, kSizes));
  return out;
}

std::size_t count(const std::vector<std::int64_t>& extents) {
  std::size_t n = 1;
  for (const std::int64_t extent : extents) n *= static_cast<std::size_t>(extent);
  return n;
}

using Index = std::vector<std::int64_t>;

void each(const std::vector<std::int64_t>& extents, const std::function<void(const Index&)>& visit) {
  Index at(extents.size(), 0);
  for (std::size_t i = 0; i < count(extents); ++i) {
    visit(at);
    for (std::size_t d = extents.size(); d-- > 0 && ++at[d] == extents[d];) at[d] = 0;
  }
}

// An element, its index taken from the right and broadcast.
double at(const Array& x, const Index& index) {
  std::size_t place = 0;
  for (std::size_t d = 0; d < x.extents.size(); ++d) {
    const std::int64_t i = index[index.size() - x.extents.size() + d];
    place = place * static_cast<std::size_t>(x.extents[d]) + static_cast<std::size_t>(x.extents[d] == 1 ? 0 : i);
  }
  return x.data[place];
}

double folded(const std::string& kind, double a, double b) {
  if (kind == "sum") return a + b;
  if (kind == "prod") return a * b;
  return kind == "max" ? std::max(a, b) : std::min(a, b);
}

const std::map<std::string, std::function<double(double, double)>> kElementwise = {
    {"add", [](double a, double b) { return a + b; }}, {"sub", [](double a, double b) { return a - b; }},
    {"mul", [](double a, double b) { return a * b; }}, {"div", [](double a, double b) { return a / b; }},
    {"abs", [](double a, double) { return std::fabs(a); }}, {"floor", [](double a, double) { return std::floor(a); }},
    {"ceil", [](double a, double) { return std::ceil(a); }}, {"trunc", [](double a, double) { return std::trunc(a); }},
    {"round", [](double a, double) { return std::nearbyint(a); }}, {"neg", [](double a, double) { return -a; }},
    {"cast", [](double a, double) { return a; }}};

Array reduced(const Array& x, const ir::Node& node, std::vector<std::int64_t> extents) {
  Array out{std::move(extents), {}};
  std::vector<bool> started(count(out.extents), false);
  out.data.resize(started.size());
  each(x.extents, [&](const Index& index) {
    std::size_t place = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
      place = place * static_cast<std::size_t>(out.extents[d]) + static_cast<std::size_t>(out.extents[d] == 1 ? 0 : index[d]);
    out.data[place] = started[place] ? folded(ir::text_attribute(node, "kind"), out.data[place], at(x, index)) : at(x, index);
    started[place] = true;
  });
  return out;
}

Array computed(const ir::Graph& graph, const ir::Node& node, const std::vector<Array>& values) {
  const auto input = [&](std::size_t i) -> const Array& { return values[static_cast<std::size_t>(node.inputs[i])]; };
  Array out{extents_of(graph.shape(node.outputs[0])), {}};
  if (node.op == "constant") return {{}, {ir::float_attribute(node, "value")}};
  if (node.op == "index") return {{}, {static_cast<double>(*ir::evaluate(ir::int_attribute(node, "expression"), kSizes))}};  // of one element here
  if (node.op == "reshape") return {out.extents, input(0).data};
  if (node.op == "reduce") return reduced(input(0), node, out.extents);
  if (node.op == "matmul") {
    each(out.extents, [&](const Index& index) {
      double sum = 0;
      for (std::int64_t k = 0; k < input(0).extents[2]; ++k) sum += at(input(0), {index[0], index[1], k}) * at(input(1), {index[0], k, index[2]});
      out.data.push_back(sum);
    });
    return out;
  }
  const auto& function = kElementwise.at(node.op);
  each(out.extents, [&](const Index& index) { out.data.push_back(function(at(input(0), index), node.inputs.size() > 1 ? at(input(1), index) : 0)); });
  return out;
}

std::vector<double> result_of(const ir::Graph& graph, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Array> values(graph.values.size());
  for (const ir::Argument& argument : graph.arguments) {
    Array& value = values[static_cast<std::size_t>(argument.value)];
    value.extents = extents_of(graph.shape(argument.value));
    for (std::size_t i = 0; i < count(value.extents); ++i) value.data.push_back(std::uniform_real_distribution(-3.0, 3.0)(random));
  }
  for (const ir::Node& node : graph.nodes) values[static_cast<std::size_t>(node.outputs[0])] = computed(graph, node, values);
  return values[static_cast<std::size_t>(graph.outputs[0])].data;
}

struct Program {
  ir::Graph graph;
  ir::Builder b{graph};
  Program() {
    x = b.argument(ir::ArgumentKind::input, "x", "x", {DType::float32, {1, Sym::size("m"), Sym::size("k")}});
    w = b.argument(ir::ArgumentKind::input, "w", "w", {DType::float32, {1, Sym::size("k"), Sym::size("n")}});
    bias = b.argument(ir::ArgumentKind::input, "bias", "bias", {DType::float32, {Sym::size("n")}});
    graph.sizes = {{"m", x, 1, 5, 0, {}}, {"k", x, 2, 7, 0, {}}, {"n", w, 2, 3, 0, {}}};
  }
  // x @ w + bias, without the batch
  ValueId linear() { return b.elementwise("add", {b.reshape(b.matmul(x, w), {Sym::size("m"), Sym::size("n")}), bias}); }
  ValueId x, w, bias;
};

struct Case {
  const char* rewrite;
  std::function<ValueId(Program&)> build;
};

const Case kCases[] = {
    {"reduction_of_one", [](Program& p) { return p.b.reduce("max", p.b.reduce("sum", p.x, {2}), {2}); }},
    {"reduction_of_one", [](Program& p) { return p.b.reduce("prod", p.x, {0}); }},
    {"reduction_of_reduction", [](Program& p) { return p.b.reduce("sum", p.b.reduce("sum", p.x, {2}), {1}); }},
    {"reduction_of_reduction", [](Program& p) { return p.b.reduce("min", p.b.reduce("min", p.x, {1}), {2}); }},
    {"twice_is_once", [](Program& p) { return p.b.elementwise("abs", {p.b.elementwise("abs", {p.x})}); }},
    {"twice_is_once", [](Program& p) { return p.b.elementwise("round", {p.b.elementwise("round", {p.x})}); }},
    {"negated_twice", [](Program& p) { return p.b.elementwise("neg", {p.b.elementwise("neg", {p.x})}); }},
    {"sum_through_product", [](Program& p) { return p.b.reduce("sum", p.b.matmul(p.x, p.w), {2}); }},
    {"sum_through_product", [](Program& p) { return p.b.reduce("sum", p.b.matmul(p.x, p.w), {1, 2}); }},
    {"sum_through_product", [](Program& p) { return p.b.reduce("sum", p.linear(), {1}); }},
    {"sum_through_product", [](Program& p) { return p.b.reduce("sum", p.linear(), {0}); }},
    {"sum_through_product", [](Program& p) { return p.b.reduce("sum", p.b.elementwise("div", {p.linear(), p.b.constant(4, DType::float32)}), {0, 1}); }},
};

TEST(Rewrites, EachRowIsProvedInFloat64) {
  std::set<std::string> seen;
  for (const Case& tried : kCases) {
    SCOPED_TRACE(tried.rewrite);
    Program program;
    program.graph.outputs = {tried.build(program)};
    const Simplified after = simplified(program.graph, true);
    ASSERT_FALSE(after.applied.empty());
    EXPECT_EQ(after.applied.back().name, tried.rewrite);
    ASSERT_TRUE(ir::check_graph(after.graph));
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
      const std::vector<double> wanted = result_of(program.graph, seed), got = result_of(after.graph, seed);
      ASSERT_EQ(wanted.size(), got.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12 * (1 + std::fabs(wanted[i])));
    }
    seen.insert(tried.rewrite);
  }
  for (const Rewrite& rewrite : all_rewrites()) EXPECT_TRUE(seen.contains(std::string(rewrite.name))) << rewrite.name;
}

TEST(Rewrites, AlgebraicOnesAreLeftOutOnRequest) {
  Program program;
  program.graph.outputs = {program.b.reduce("sum", program.linear(), {1})};
  EXPECT_TRUE(simplified(program.graph, false).applied.empty());
}

TEST(Rewrites, ProductThatIsReadElsewhereStays) {
  Program program;
  const ValueId product = program.b.matmul(program.x, program.w);
  program.graph.outputs = {product, program.b.reduce("sum", product, {2})};
  EXPECT_TRUE(simplified(program.graph, true).applied.empty());
}

}  // namespace
}  // namespace ka::partition::rewrites_test

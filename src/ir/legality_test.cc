// Each rule has a graph, or a plan, that breaks it and nothing else.
#include "ir/legality.h"

#include <functional>

#include <gtest/gtest.h>

#include "ir/builder.h"

namespace ka::ir::legality_test {
namespace {

const Sym n = Sym::size("n"), c = Sym::size("c");

// x: float32[n, c], i: int64[n], and what a row makes of them; n is 6 and c is 4.
struct Program {
  Graph graph;
  Builder b{graph};
  ValueId x, i;
  Program() {
    x = b.argument(ArgumentKind::input, "x", "x", {DType::float32, {n, c}});
    i = b.argument(ArgumentKind::input, "i", "i", {DType::int64, {n}});
    graph.sizes = {{"n", x, 0, 6, 0, {}}, {"c", x, 1, 4, 0, {}}};
  }
  ValueId node(const char* op, std::vector<ValueId> inputs, Attributes attributes, Type type) {
    return b.node(op, std::move(inputs), std::move(attributes), {std::move(type)})[0];
  }
};

struct Row {
  const char* wrong;  // the end of the message
  std::function<void(Program&)> make;
};

std::string message_of(const Status& status) { return status ? "" : status.error().message; }

void expect_caught(const Row& row) {
  Program p;
  row.make(p);
  const std::string message = message_of(check_graph(p.graph));
  EXPECT_TRUE(message.ends_with(row.wrong)) << "wanted: " << row.wrong << "\nfound:  " << message;
}

const DType f32 = DType::float32;

TEST(Legality, WhatIsWrongWithOperandsAndValues) {
  const Row rows[] = {
      {"it is no primitive", [](Program& p) { p.b.elementwise("exp", {p.x}); p.graph.nodes[0].op = "expo"; }},
      {"it has 2 operands, not 1", [](Program& p) { p.b.elementwise("exp", {p.x}); p.graph.nodes[0].inputs = {p.x, p.x}; }},
      {"it reads %9, which does not exist", [](Program& p) { p.b.elementwise("exp", {p.x}); p.graph.nodes[0].inputs = {9}; }},
      {"it reads %3, which is made later", [](Program& p) { p.b.elementwise("exp", {p.b.elementwise("neg", {p.x})}); p.graph.nodes[0].inputs = {3}; }},
      {"it has 0 results", [](Program& p) { p.b.elementwise("exp", {p.x}); p.graph.nodes[0].outputs.clear(); p.graph.values.pop_back(); }},
      {"it does not own its result", [](Program& p) { p.b.elementwise("exp", {p.x}); p.graph.nodes[0].outputs[0] = p.x; p.graph.values.pop_back(); }},
      {"its node makes something else", [](Program& p) { p.b.elementwise("exp", {p.x}); p.graph.nodes[0].outputs[0] = p.x; }},
      {"neither a node nor an argument", [](Program& p) { p.graph.arguments.pop_back(); }},
      {"the program returns %7, which does not exist", [](Program& p) { p.graph.outputs = {7}; }},
      {"h in its shape is no declared size", [](Program& p) { p.b.argument(ArgumentKind::input, "y", "y", {f32, {Sym::size("h")}}); }},
      {"3 numbers for 4 elements", [](Program& p) { p.b.argument(ArgumentKind::constant, "t", "t", {f32, {4}}); p.graph.arguments.back().data = {1, 2, 3}; }},
      {"%0 is changed to %1, which has another shape", [](Program& p) { p.graph.updates = {{p.x, p.i}}; }},
      {"%2 is changed, which is no argument", [](Program& p) { const ValueId y = p.b.elementwise("exp", {p.x}); p.graph.updates = {{y, y}}; }},
      {"size n: it is declared twice", [](Program& p) { p.graph.sizes.push_back(p.graph.sizes[0]); }},
      {"its argument has no such dimension", [](Program& p) { p.graph.sizes[1].dim = 2; }},
      {"size h: k does not follow from earlier sizes", [](Program& p) { p.graph.sizes.push_back({"h", -1, 0, 3, 0, Sym::size("k")}); }},
      {"size h: 2*n is 12, not 3", [](Program& p) { p.graph.sizes.push_back({"h", -1, 0, 3, 0, n * 2}); }},
  };
  for (const Row& row : rows) expect_caught(row);
}

TEST(Legality, WhatIsWrongWithAttributes) {
  const Row rows[] = {
      {"it has no attribute kind", [](Program& p) { p.node("reduce", {p.x}, {{"dims", std::vector<Sym>{1}}}, {f32, {n, 1}}); }},
      {"its attribute dims is of another type", [](Program& p) { p.node("reduce", {p.x}, {{"dims", Sym(1)}, {"kind", std::string("sum")}}, {f32, {n, 1}}); }},
      {"nobody knows its attribute speed", [](Program& p) { p.node("exp", {p.x}, {{"speed", true}}, {f32, {n, c}}); }},
      {"i2 of its attribute index stands for nothing", [](Program& p) { p.b.remap(p.x, {n, c}, {Sym::index("i2", n), 0}); }},
      {"h of its attribute expression stands for nothing", [](Program& p) { p.b.index({n}, Sym::size("h")); }},
      {"t1 of its attribute index stands for nothing", [](Program& p) { p.b.gather(p.x, {p.i}, {n}, {Sym::index("t1", n), 0}); }},
  };
  for (const Row& row : rows) expect_caught(row);
}

TEST(Legality, WhatIsWrongWithTypes) {
  const auto shape = [](std::vector<Sym> list) { return Attributes{{"shape", std::move(list)}}; };
  const auto kind = [](const char* name, int dim) { return Attributes{{"kind", std::string(name)}, {"dims", std::vector<Sym>{dim}}}; };
  const Row rows[] = {
      {"a constant has no dimensions", [](Program& p) { p.node("constant", {}, {{"value", 1.0}}, {f32, {n}}); }},
      {"an index is int64", [](Program& p) { p.node("index", {}, {{"expression", Sym(1)}}, {f32, {n}}); }},
      {"operands are float32 and int64", [](Program& p) { p.node("add", {p.x, p.b.constant(1, DType::int64)}, {}, {f32, {n, c}}); }},
      {"extents c and n do not go together", [](Program& p) { p.node("add", {p.x, p.b.cast(p.i, f32)}, {}, {f32, {n, c}}); }},
      {"its operands are int64, not floating", [](Program& p) { p.node("exp", {p.i}, {}, {DType::int64, {n}}); }},
      {"its result is float32[n, c], not bool[n, c]", [](Program& p) { p.node("lt", {p.x, p.x}, {}, {f32, {n, c}}); }},
      {"its condition is not bool", [](Program& p) { p.node("where", {p.x, p.x, p.x}, {}, {f32, {n, c}}); }},
      {"c*n elements become 2*n", [&](Program& p) { p.node("reshape", {p.x}, shape({n, 2}), {f32, {n, 2}}); }},
      {"its shape is not what its attribute says", [&](Program& p) { p.node("reshape", {p.x}, shape({n * c}), {f32, {c, n}}); }},
      {"its dims are no permutation", [](Program& p) { p.node("permute", {p.x}, {{"dims", std::vector<Sym>{1, 1}}}, {f32, {c, c}}); }},
      {"its result is float32[n, c], not float32[c, n]", [](Program& p) { p.node("permute", {p.x}, {{"dims", std::vector<Sym>{1, 0}}}, {f32, {n, c}}); }},
      {"1 indices for 2 dimensions", [](Program& p) { p.node("remap", {p.x}, {{"shape", std::vector<Sym>{n}}, {"index", std::vector<Sym>{0}}}, {f32, {n}}); }},
      {"element 6 of dimension 0 is read, which has 6 (i0 + 1)", [](Program& p) { p.b.remap(p.x, {n}, {Sym::index("i0", n) + 1, 0}); }},
      {"element -1 of dimension 0 is read, which has 6 (i0 - 1)", [](Program& p) { p.b.remap(p.x, {n}, {Sym::index("i0", n) - 1, 0}); }},
      {"index operand 1 is float32[n]", [](Program& p) { p.b.gather(p.x, {p.b.cast(p.i, f32)}, {n}, {Sym::index("t0", n), 0}); }},
      {"its result is float32[n, c], not float32[n, 2*c]", [](Program& p) { p.node("cat", {p.x, p.x}, {{"dim", Sym(1)}}, {f32, {n, c}}); }},
      {"there is no reduction mean", [&](Program& p) { p.node("reduce", {p.x}, kind("mean", 1), {f32, {n, 1}}); }},
      {"dimension 2 of 2 is reduced", [&](Program& p) { p.node("reduce", {p.x}, kind("sum", 2), {f32, {n, c}}); }},
      {"its result is float32[n], not float32[n, 1]", [&](Program& p) { p.node("reduce", {p.x}, kind("sum", 1), {f32, {n}}); }},
      {"its result is float32[n, 1], not int64[n, 1]", [&](Program& p) { p.node("reduce", {p.x}, kind("argmax", 1), {f32, {n, 1}}); }},
      {"its operand is not bool", [&](Program& p) { p.node("reduce", {p.x}, kind("any", 1), {DType::bool_, {n, 1}}); }},
      {"it has no such dimension", [](Program& p) { p.node("scan", {p.x}, {{"kind", "sum"}, {"dim", Sym(2)}, {"reverse", false}}, {f32, {n, c}}); }},
      {"operand 0 has 2 dimensions, not 3", [](Program& p) { p.node("matmul", {p.x, p.x}, {}, {f32, {n, c}}); }},
      {"more places are asked for than there are", [](Program& p) { p.node("order", {p.x}, {{"descending", true}}, {DType::int64, {n, 5}}); }},
      {"it has 2 operands and 1 results", [](Program& p) { p.node("recurrence", {p.x, p.x}, {{"kind", std::string("gru")}, {"reverse", false}}, {f32, {n, c}}); }},
  };
  for (const Row& row : rows) expect_caught(row);
}

TEST(Legality, AMatrixProductNeedsOperandsThatGoTogether) {
  Program p;
  const ValueId left = p.b.reshape(p.x, {1, n, c}), right = p.b.permute(left, {0, 2, 1});
  p.graph.outputs = {p.b.matmul(left, right)};
  EXPECT_EQ(message_of(check_graph(p.graph)), "");
  p.node("matmul", {left, left}, {}, {f32, {1, n, c}});
  EXPECT_TRUE(message_of(check_graph(p.graph)).ends_with("[1, n, c] cannot be multiplied with [1, n, c]"));
}

TEST(Legality, AMessageNamesTheNodeAndWhereItIs) {
  Program p;
  p.b.set_origin("aten.exp.default", "p.py:9");
  p.node("exp", {p.x}, {}, {f32, {n}});
  EXPECT_EQ(message_of(check_graph(p.graph)), "node 0 (exp, aten.exp.default, p.py:9): its result is float32[n], not float32[n, c]");
}

TEST(Legality, ViewsMayLeaveTheirOperandWhereAConditionHidesIt) {
  Program p;
  const Sym i = Sym::index("i0", n);
  p.graph.outputs = {p.b.remap(p.x, {n}, {i - 1, 0}, {i - 1}, 0), p.b.elementwise("add", {p.x, p.b.constant(1, f32)}), p.b.gather(p.x, {p.i}, {n}, {Sym::index("t0", n), 0})};
  EXPECT_EQ(message_of(check_graph(p.graph)), "");
}

// exp(x) by kernel 0, its row sums by kernel 1.
struct Planned {
  Program p;
  Plan plan;
  Planned() {
    const ValueId e = p.b.elementwise("exp", {p.x}), sum = p.b.reduce("sum", e, {1});
    p.graph.outputs = {sum};
    PlannedKernel first, second;
    first.nodes = {0};
    first.outputs = {e};
    first.domain = {n, c};
    first.index[e] = points(first.domain);
    second.kind = KernelKind::row;
    second.nodes = {1};
    second.outputs = {sum};
    second.domain = {n, c};
    second.reduced = {1};
    second.index[sum] = {points(second.domain)[0], 0};
    second.needs = {0};
    plan.kernels = {first, second};
  }
};

TEST(Legality, WhatIsWrongWithAPlan) {
  struct PlanRow {
    const char* wrong;
    std::function<void(Planned&)> spoil;
  };
  const PlanRow rows[] = {
      {"", [](Planned&) {}},
      {"kernel 0 (row): it needs kernel 0, which is launched later", [](Planned& x) { std::swap(x.plan.kernels[0], x.plan.kernels[1]); }},
      {"kernel 0: it reads %2, which kernel 1 writes later", [](Planned& x) { std::swap(x.plan.kernels[0], x.plan.kernels[1]); x.plan.kernels[0].needs.clear(); }},
      {"kernel 1: it reads %2 of kernel 0 and does not say so", [](Planned& x) { x.plan.kernels[1].needs.clear(); }},
      {"kernel 1: it keeps %2, as kernel 0 does", [](Planned& x) { x.plan.kernels[1] = x.plan.kernels[0]; }},
      {"kernel 1: node 0 belongs to kernel 0", [](Planned& x) { x.plan.kernels[1].nodes = {0, 1}; }},
      {"kernel 0 (pointwise): it keeps %3, which it does not compute", [](Planned& x) { x.plan.kernels[0].outputs = {3}; }},
      {"kernel 0 (pointwise): it computes nothing, or keeps nothing", [](Planned& x) { x.plan.kernels[0].outputs.clear(); }},
      {"kernel 0 (pointwise): node 5 does not exist", [](Planned& x) { x.plan.kernels[0].nodes = {5}; }},
      {"kernel 1 (row): dimension 2 of 2 is reduced", [](Planned& x) { x.plan.kernels[1].reduced = {2}; }},
      {"kernel 0 (pointwise): the index of %2 is not one of its own", [](Planned& x) { x.plan.kernels[0].index[2].pop_back(); }},
      {"kernel 0 (attention): nothing is its key", [](Planned& x) { x.plan.kernels[0].kind = KernelKind::attention; x.plan.kernels[0].roles = {{"query", 0}}; }},
      {"kernel 1 (row): its query does not exist", [](Planned& x) { x.plan.kernels[1].roles = {{"query", 17}}; }},
      {"nobody keeps %3, which the program returns", [](Planned& x) { x.plan.kernels.pop_back(); }},
      {"kernel 0: it reads %3 (reduce), which no kernel keeps",
       [](Planned& x) {
         x.p.graph.outputs = {x.p.b.elementwise("neg", {3})};
         x.plan.kernels.resize(1);
         x.plan.kernels[0].nodes = {2};
         x.plan.kernels[0].outputs = {4};
         x.plan.kernels[0].index = {{4, {0, 0}}};
       }},
      {"kernel 0: it reads %4, which nobody draws",
       [](Planned& x) {
         const ValueId drawn = x.p.node("random", {}, {{"kind", std::string("rand")}, {"p", 0.0}, {"q", 0.0}}, {f32, {n}});
         x.p.graph.outputs = {x.p.b.elementwise("neg", {drawn})};
         x.plan.kernels.resize(1);
         x.plan.kernels[0].nodes = {3};
         x.plan.kernels[0].outputs = {5};
         x.plan.kernels[0].index = {{5, {0}}};
       }},
  };
  for (const PlanRow& row : rows) {
    Planned x;
    row.spoil(x);
    EXPECT_EQ(message_of(check_plan(x.p.graph, x.plan)), row.wrong);
  }
}

// Debug builds stop at the pass that did it; the others go on.
TEST(Legality, APassThatBreaksTheGraphIsNamedInDebugBuilds) {
  Program p;
  p.node("exp", {p.x}, {}, {f32, {n}});
  if (kChecksPasses) {
    EXPECT_DEATH(after_pass("halving", p.graph), "illegal after halving: node 0 \\(exp\\): its result is");
    EXPECT_DEATH(after_rewrite("halving", p.graph, 0), "illegal after halving");
  } else {
    after_pass("halving", p.graph);
  }
  after_rewrite("halving", p.graph, 1);  // nothing was added
}

}  // namespace
}  // namespace ka::ir::legality_test

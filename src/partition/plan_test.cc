#include "partition/plan.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/legality.h"
#include "partition/launch_order.h"
#include "partition/refactored.h"

namespace ka::partition::plan_test {
namespace {

using ir::KernelKind;
using ir::Sym;
using ir::ValueId;

struct Program {
  ir::Graph graph;
  ir::Builder b{graph};
  Program() { graph.sizes = {{"n", -1, 0, 64, 0, 64}, {"c", -1, 0, 128, 0, 128}}; }
  ValueId input(const char* name, ir::Shape shape) {
    return b.argument(ir::ArgumentKind::input, name, name, {ir::DType::float32, std::move(shape)});
  }
  ir::Plan plan(std::vector<ValueId> outputs) {
    graph.outputs = std::move(outputs);
    Result<ir::Plan> made = partition(graph);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    for (const Status& legal : {ir::check_graph(graph), made ? ir::check_plan(graph, *made) : ok()}) EXPECT_TRUE(legal) << (legal ? "" : legal.error().message);
    return made ? *made : ir::Plan{};
  }
};

const Sym n = Sym::size("n"), c = Sym::size("c");

TEST(Partition, SoftmaxIsOneKernel) {
  Program p;
  const ValueId x = p.input("x", {n, c});
  const ValueId e = p.b.elementwise("exp", {p.b.elementwise("sub", {x, p.b.reduce("max", x, {1})})});
  const ir::Plan plan = p.plan({p.b.elementwise("div", {e, p.b.reduce("sum", e, {1})})});
  ASSERT_EQ(plan.kernels.size(), 1u);
  EXPECT_EQ(plan.kernels[0].kind, KernelKind::row);
}

TEST(Partition, WhatReadsTheSameTensorAtTheSamePointsIsOneKernel) {
  Program p;
  p.graph.sizes = {{"n", -1, 0, 4096, 0, 4096}, {"c", -1, 0, 4096, 0, 4096}};
  const ValueId x = p.input("x", {n, c}), y = p.input("y", {n, c}), z = p.input("z", {c, n});
  const ValueId sine = p.b.elementwise("sin", {x}), cosine = p.b.elementwise("cos", {x}), product = p.b.elementwise("mul", {x, y});
  const ValueId apart = p.b.elementwise("exp", {z}), turned = p.b.elementwise("neg", {p.b.permute(x, {1, 0})});
  const ir::Plan plan = p.plan({sine, apart, cosine, product, turned});
  ASSERT_EQ(plan.kernels.size(), 3u);
  EXPECT_EQ(plan.kernels[0].outputs, (std::vector<ValueId>{sine, cosine, product}));
  EXPECT_EQ(plan.kernels[1].outputs, std::vector<ValueId>{apart});  // other rows
  EXPECT_EQ(plan.kernels[2].outputs, std::vector<ValueId>{turned});
}

TEST(Partition, WhatWaitsForTheOtherOrChangesABufferStaysApart) {
  Program p;
  const ValueId x = p.input("x", {n, c}), buffer = p.input("buffer", {n, c});
  const ValueId sum = p.b.reduce("sum", p.b.elementwise("exp", {x}), {0, 1});
  const ValueId before = p.b.elementwise("sin", {x}), after = p.b.elementwise("div", {x, p.b.reduce("max", p.b.matmul(p.b.reshape(before, {1, n, c}), p.b.permute(p.b.reshape(x, {1, n, c}), {0, 2, 1})), {0, 1, 2})});
  p.graph.updates = {{buffer, p.b.elementwise("cos", {x})}};
  const ir::Plan plan = p.plan({before, after, sum});
  for (const ir::PlannedKernel& kernel : plan.kernels) {
    EXPECT_TRUE(kernel.kind != KernelKind::pointwise || kernel.outputs.size() == 1);
  }
}

TEST(Partition, OneKernelHasAtMostEightOutputs) {
  Program p;
  const ValueId x = p.input("x", {n, c});
  std::vector<ValueId> outputs;
  for (int k = 0; k < 10; ++k) outputs.push_back(p.b.elementwise("mul", {x, p.b.constant(k + 2, ir::DType::float32)}));
  const ir::Plan plan = p.plan(outputs);
  ASSERT_EQ(plan.kernels.size(), 2u);
  EXPECT_EQ(plan.kernels[0].outputs.size(), 8u);
  ASSERT_EQ(plan.refusals.size(), 2u);  // one for each that stayed outside
  EXPECT_EQ(plan.refusals[0].reason, "both read the same tensor, but one kernel has at most 8 outputs");
}

TEST(Partition, EpiloguesGoThroughReshapes) {
  Program p;
  const ValueId x = p.input("x", {1, n, 8}), w = p.input("w", {1, 8, c}), bias = p.input("bias", {c});
  const ValueId y = p.b.reshape(p.b.matmul(x, w), {n, c});
  const ir::Plan plan = p.plan({p.b.elementwise("tanh", {p.b.elementwise("add", {y, bias})})});
  ASSERT_EQ(plan.kernels.size(), 1u);
  EXPECT_EQ(plan.kernels[0].kind, KernelKind::matmul);
}

TEST(Partition, AReductionAfterAProductIsAKernelOfItsOwnAndSaysWhy) {
  Program p;
  const ValueId x = p.input("x", {1, n, 8}), w = p.input("w", {1, 8, c});
  const ir::Plan plan = p.plan({p.b.reduce("sum", p.b.matmul(x, w), {2})});
  EXPECT_EQ(plan.kernels.size(), 2u);
  ASSERT_EQ(plan.refusals.size(), 1u);
  EXPECT_EQ(plan.refusals[0].reason, "a matmul kernel has no place for a reduction");
}

TEST(Partition, AValueIsNotFusedIntoWhatItIsComputedFrom) {
  Program p;
  const ValueId x = p.input("x", {1, n, n}), w = p.input("w", {1, n, n});
  const ValueId y = p.b.elementwise("exp", {p.b.matmul(x, w)});        // kernel 1
  const ValueId z = p.b.matmul(p.b.permute(y, {0, 2, 1}), w);         // kernel 2 needs all of kernel 1
  const ir::Plan plan = p.plan({p.b.elementwise("add", {y, z})});     // belongs to kernel 2, reads y
  ASSERT_EQ(plan.kernels.size(), 2u);
  EXPECT_EQ(plan.kernels[1].needs, std::set<int>{0});
}

TEST(Partition, SumsOfTheSameRowsShareAKernel) {
  Program p;
  const ValueId x = p.input("x", {n, c});
  const ir::Plan plan = p.plan({p.b.reduce("sum", x, {1}), p.b.reduce("max", p.b.elementwise("mul", {x, x}), {1})});
  EXPECT_EQ(plan.kernels.size(), 1u);
}

TEST(Partition, OtherRowsDoNot) {
  Program p;
  const ValueId x = p.input("x", {n, c});
  EXPECT_EQ(p.plan({p.b.reduce("sum", x, {1}), p.b.reduce("sum", x, {0})}).kernels.size(), 2u);
}

TEST(Partition, AValueThatIsKeptTooIsNotReadElsewhereByItsOwnKernel) {
  Program p;
  const ValueId x = p.input("x", {1, n, 8}), w = p.input("w", {1, 8, n});
  const ValueId y = p.b.matmul(x, w), e = p.b.elementwise("exp", {y});
  const std::vector<Sym> i = ir::index_symbols({1, n, n});
  const ValueId flipped = p.b.remap(y, {1, n, n}, {i[0], n - 1 - i[1], i[2]});
  EXPECT_EQ(p.plan({p.b.elementwise("add", {e, flipped})}).kernels.size(), 2u);
}

TEST(Partition, AReaderWaitsForWhatWasKeptAfterIt) {
  Program p;
  const ValueId x = p.input("x", {1, n, 8}), w = p.input("w", {1, 8, n}), c0 = p.input("c0", {1, n, n});
  const ValueId cell = p.b.elementwise("exp", {c0});                              // inlined into the product's operand
  const ValueId y = p.b.matmul(p.b.elementwise("tanh", {cell}), p.b.matmul(p.b.permute(w, {0, 2, 1}), p.b.permute(x, {0, 2, 1})));
  const ir::Plan plan = p.plan({y, cell});                                        // and kept at the end
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    for (const int need : plan.kernels[k].needs) EXPECT_LT(need, static_cast<int>(k));
  }
  ASSERT_EQ(plan.kernels.size(), 4u);
  const auto position = [&](const char* op) {
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
      if (p.graph.nodes[static_cast<std::size_t>(plan.kernels[k].nodes[0])].op == op) return static_cast<int>(k);
    }
    return -1;
  };
  EXPECT_LT(position("exp"), position("tanh"));
}

// Kernels 0 and 2 keep something; 2 needs both others.
TEST(Partition, KernelsThatKeepNothingLeaveNoGaps) {
  ir::Plan plan;
  plan.kernels.resize(4);
  plan.kernels[0].outputs = {7};
  plan.kernels[2].outputs = {8};
  plan.kernels[2].needs = {0, 1};
  plan.kernels[3].outputs = {9};
  plan.kernels[3].needs = {2};
  plan.refusals = {{0, 1, "of what is gone"}, {0, 3, "of what stays"}};
  ASSERT_TRUE(order_launches(plan));
  ASSERT_EQ(plan.kernels.size(), 3u);
  EXPECT_EQ(plan.kernels[1].needs, std::set<int>{0});
  EXPECT_EQ(plan.kernels[2].needs, std::set<int>{1});
  ASSERT_EQ(plan.refusals.size(), 1u);
  EXPECT_EQ(plan.refusals[0].kernel, 2);
}

TEST(Refactored, OneFunctionPerKernelAndForwardCallsThem) {
  Program p;
  const ValueId x = p.input("x", {1, n, 8}), w = p.input("w", {1, 8, c});
  const ValueId y = p.b.matmul(x, w);
  const ir::Plan plan = p.plan({p.b.elementwise("sub", {y, p.b.reduce("max", y, {2})})});
  for (ir::Node& node : p.graph.nodes) node.origin = "aten." + node.op + ".default";
  p.graph.sizes = {{"n", x, 1, 4}, {"c", w, 2, 6}};
  const Result<Refactored> made = refactored(p.graph, plan);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(plan.kernels.size(), 2u);
  EXPECT_EQ(made->text,
            "import torch\nimport torch.nn as nn\n\n\n"
            "def matmul_part(x, w):\n    \"\"\"matmul (matmul)\"\"\"\n    matmul = torch.matmul(x, w)\n    return matmul\n\n\n"
            "def reduce_sub_part(matmul):\n    \"\"\"reduce, sub (row)\"\"\"\n"
            "    v3 = torch.amax(matmul, (2,), keepdim=True)\n    sub = matmul - v3\n    return sub\n\n\n"
            "def forward(x, w):\n    n = x.shape[1]\n    c = w.shape[2]\n    matmul = matmul_part(x, w)\n    sub = reduce_sub_part(matmul)\n    return sub\n");
}

TEST(Refactored, WhatHasNoTextIsNamed) {
  Program p;
  const ValueId x = p.input("x", {n, c});
  const ir::Plan plan = p.plan(p.b.node("order", {x}, {{"descending", true}}, {{ir::DType::int64, {n, 2}}}));
  for (ir::Node& node : p.graph.nodes) node.origin = "aten.topk.default";
  const Result<Refactored> made = refactored(p.graph, plan);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::unsupported);
  EXPECT_NE(made.error().message.find("order"), std::string::npos);
}

// Each step reads the one before at three places: written into one kernel, twelve steps would be half a million lines.
TEST(Partition, KeepsWhatWouldBeRecomputedTooOften) {
  Program p;
  ValueId x = p.input("x", {n});
  const std::vector<Sym> i = ir::index_symbols({n});
  for (int step = 0; step < 12; ++step) {
    const ValueId left = p.b.remap(x, {n}, {i[0] - 1}, {i[0] - 1}, 0), right = p.b.remap(x, {n}, {i[0] + 1}, {n - 2 - i[0]}, 0);
    x = p.b.elementwise("add", {p.b.elementwise("mul", {left, right}), x});
  }
  const std::size_t kernels = p.plan({x}).kernels.size();
  EXPECT_GE(kernels, 2u);
  EXPECT_LE(kernels, 16u);
}

}  // namespace
}  // namespace ka::partition::plan_test

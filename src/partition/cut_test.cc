#include "partition/cut.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "partition/plan.h"
#include "partition/prepare.h"

namespace ka::partition {
namespace {

using ir::DType;
using ir::ProgramRef;
using ir::Shape;
using ir::Sym;
using ir::ValueId;

// A program written by hand: each operator is one value of the graph, and knows what it reads.
struct Written {
  ir::Graph graph;
  ir::Builder b{graph};
  ir::Program program;
  std::vector<ValueId> values;
  const Sym n = Sym::size("n"), c = Sym::size("c");

  Written() {
    b.argument(ir::ArgumentKind::input, "x", "x", {DType::float32, {n, c}});
    graph.sizes = {{"n", 0, 0, 4096, {}}, {"c", 0, 1, 512, {}}};
  }
  ValueId x() const { return 0; }
  int op(ValueId value, std::vector<ProgramRef> reads, bool draws = false) {
    program.ops.push_back({std::move(reads), draws});
    const int number = static_cast<int>(program.ops.size()) - 1;
    graph.program.push_back({number, 0, value});
    values.push_back(value);
    return number;
  }
  std::vector<ir::Part> parts(std::vector<int> outputs, std::vector<std::vector<std::size_t>> launches = {}) {
    for (const int output : outputs) {
      graph.outputs.push_back(values[static_cast<std::size_t>(output)]);
      program.outputs.push_back({output, 0});
    }
    graph = prepared(graph);
    Result<ir::Plan> plan = partition(graph);
    EXPECT_TRUE(plan);
    return plan ? cut(graph, *plan, launches, program) : std::vector<ir::Part>{};
  }
};

constexpr ProgramRef kInput{-1, 0};

std::vector<std::vector<int>> ops_of(const std::vector<ir::Part>& parts) {
  std::vector<std::vector<int>> out;
  for (const ir::Part& part : parts) out.push_back(part.ops);
  return out;
}

TEST(Cut, FollowsTheValuesThatThePlanKeeps) {
  Written w;
  const ValueId scan = w.b.scan("sum", w.x(), 1);
  const int first = w.op(scan, {kInput});
  const ValueId relu = w.b.elementwise("abs", {scan});
  const int second = w.op(relu, {{first, 0}});
  const int third = w.op(w.b.scan("sum", relu, 1), {{second, 0}});
  const std::vector<ir::Part> parts = w.parts({third});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.front().inputs, std::vector<ProgramRef>{kInput});
  EXPECT_EQ(parts.front().outputs, parts.back().inputs);
  EXPECT_EQ(parts.back().outputs, (std::vector<ProgramRef>{{third, 0}}));
}

TEST(Cut, OfOneKernelIsOnePart) {
  Written w;
  const int relu = w.op(w.b.elementwise("abs", {w.x()}), {kInput});
  EXPECT_EQ(ops_of(w.parts({relu})), (std::vector<std::vector<int>>{{0}}));
}

// What no operator of the program gave is a part's own business: the halves of a split sum.
TEST(Cut, DoesNotShowWhatTheProgramDoesNotKnow) {
  Written w;
  w.graph.sizes = {{"n", 0, 0, 4, {}}, {"c", 0, 1, 1 << 20, {}}};
  const int sum = w.op(w.b.reduce("sum", w.x(), {1}), {kInput});
  const std::vector<ir::Part> parts = w.parts({sum});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].kernels.size(), 2u);
}

// Operators without a kernel of their own are computed where they are read, also twice.
TEST(Cut, MayComputeACheapOperatorInSeveralParts) {
  Written w;
  const ValueId negative = w.b.elementwise("neg", {w.x()});
  const int neg = w.op(negative, {kInput});
  const int rows = w.op(w.b.scan("sum", negative, 1), {{neg, 0}});
  const int columns = w.op(w.b.scan("sum", negative, 0), {{neg, 0}});
  EXPECT_EQ(ops_of(w.parts({rows, columns})), (std::vector<std::vector<int>>{{0, 1}, {0, 2}}));
}

// A random number is drawn once, and in the program's order.
TEST(Cut, KeepsWhatReadsADrawTogether) {
  Written w;
  const ValueId negative = w.b.elementwise("neg", {w.x()});
  const int drawn = w.op(negative, {kInput}, true);
  const int rows = w.op(w.b.scan("sum", negative, 1), {{drawn, 0}});
  const int columns = w.op(w.b.scan("sum", negative, 0), {{drawn, 0}});
  EXPECT_EQ(ops_of(w.parts({rows, columns})), (std::vector<std::vector<int>>{{0, 1, 2}}));
}

TEST(Cut, LeavesADrawThatNobodyReadsInTheProgram) {
  Written w;
  w.op(w.b.elementwise("neg", {w.x()}), {kInput}, true);
  const int first = w.op(w.b.scan("sum", w.x(), 1), {kInput});
  const int second = w.op(w.b.scan("sum", w.values[1], 1), {{first, 0}});
  EXPECT_EQ(ops_of(w.parts({second})), (std::vector<std::vector<int>>{{0, 1, 2}}));
}

TEST(Cut, KeepsKernelsOfOneLaunchTogether) {
  Written w;
  const int rows = w.op(w.b.scan("sum", w.x(), 1), {kInput});
  const int columns = w.op(w.b.scan("sum", w.x(), 0), {kInput});
  EXPECT_EQ(w.parts({rows, columns}, {{0, 1}}).size(), 1u);
}

}  // namespace
}  // namespace ka::partition

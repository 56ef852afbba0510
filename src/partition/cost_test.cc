// Numbers worked out by hand, for a GPU of round numbers.
#include "partition/cost.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "partition/plan.h"
#include "partition/prepare.h"

namespace ka::partition::cost_test {
namespace {

using ir::DType;
using ir::Sym;
using ir::ValueId;

const Sym n = Sym::size("n"), c = Sym::size("c");

// 1 TB/s, 10 Tflop/s of float32, 100 of float16, 30 as three products; 5 us for a launch.
ir::Gpu round_numbers() {
  ir::Gpu gpu = ir::default_gpu();
  gpu.bytes = 1e12;
  gpu.peak_float32 = gpu.float_products = 10e12;
  gpu.half_products = 100e12;
  gpu.three_products = 30e12;
  gpu.gathered_products = 20e12;
  gpu.launch_seconds = 5e-6;
  gpu.python_launch_seconds = 20e-6;
  return gpu;
}

struct Program {
  ir::Graph graph;
  ir::Builder b{graph};
  ir::Gpu gpu = round_numbers();
  Program(std::int64_t rows, std::int64_t columns) { graph.sizes = {{"n", -1, 0, rows, 0, rows}, {"c", -1, 0, columns, 0, columns}}; }
  ValueId input(const char* name, ir::Shape shape, DType dtype = DType::float32) { return b.argument(ir::ArgumentKind::input, name, name, {dtype, std::move(shape)}); }
  PlanCost cost(std::vector<ValueId> outputs) {
    graph.outputs = std::move(outputs);
    const Result<ir::Plan> plan = partition(graph);
    EXPECT_TRUE(plan);
    return plan ? cost_of(graph, *plan, "default", gpu) : PlanCost{};
  }
};

TEST(Cost, AnElementwiseKernelReadsAndWritesOnce) {
  Program p(1000, 2000);
  const ValueId x = p.input("x", {n, c}), bias = p.input("bias", {c});
  const PlanCost cost = p.cost({p.b.elementwise("exp", {p.b.elementwise("add", {x, bias})})});
  ASSERT_EQ(cost.kernels.size(), 1u);
  const KernelCost& kernel = cost.kernels[0];
  EXPECT_DOUBLE_EQ(kernel.bytes_read, 8e6 + 8000);
  EXPECT_DOUBLE_EQ(kernel.bytes_written, 8e6);
  EXPECT_DOUBLE_EQ(kernel.flops(), 2e6 * (1 + 4)) << "an addition is one operation, an exponential four";
  EXPECT_NEAR(kernel.memory_seconds, 16.008e-6, 1e-12);
  EXPECT_NEAR(kernel.seconds(), 21.008e-6, 1e-12);
  EXPECT_STREQ(kernel.bound(), "memory");
  EXPECT_DOUBLE_EQ(cost.floor_bytes, 16.008e6);
}

TEST(Cost, WhatIsReadTwiceByOneKernelCountsOnce) {
  Program p(1000, 2000);
  const ValueId x = p.input("x", {n, c});
  const ValueId e = p.b.elementwise("exp", {p.b.elementwise("sub", {x, p.b.reduce("max", x, {1})})});
  const PlanCost cost = p.cost({p.b.elementwise("div", {e, p.b.reduce("sum", e, {1})})});
  ASSERT_EQ(cost.kernels.size(), 1u);
  EXPECT_DOUBLE_EQ(cost.kernels[0].bytes_read, 8e6);
  EXPECT_DOUBLE_EQ(cost.kernels[0].bytes_written, 8e6);
  EXPECT_DOUBLE_EQ(cost.kernels[0].flops(), 2e6 * (1 + 1 + 4 + 1 + 1)) << "max, sub, exp, sum, div";
}

TEST(Cost, AViewReadsWhatItShows) {
  Program p(1000, 2000);
  const ValueId x = p.input("x", {n, c});
  const ir::Shape half{n, 1000};
  const PlanCost cost = p.cost({p.b.elementwise("neg", {p.b.remap(x, half, ir::index_symbols(half))})});
  EXPECT_DOUBLE_EQ(cost.kernels[0].bytes_read, 4e6);
  EXPECT_DOUBLE_EQ(cost.floor_bytes, 12e6) << "the argument is there in full";
}

TEST(Cost, ASmallKernelIsBoundByItsLaunch) {
  Program p(10, 20);
  const PlanCost cost = p.cost({p.b.elementwise("neg", {p.input("x", {n, c})})});
  EXPECT_STREQ(cost.kernels[0].bound(), "launch");
  EXPECT_DOUBLE_EQ(cost.host_seconds, 20e-6);
}

TEST(Cost, AProductHasTheRateOfItsGrade) {
  struct Case {
    DType dtype;
    double seconds;
    const char* grade;
  };
  for (const Case& row : {Case{DType::float32, 200e-6, "float32"}, Case{DType::float16, 20e-6, "float16"}}) {
    Program p(1000, 1000);
    const ValueId x = p.input("x", {1, n, c}, row.dtype), w = p.input("w", {1, c, n}, row.dtype);
    const PlanCost cost = p.cost({p.b.matmul(x, w)});
    ASSERT_EQ(cost.kernels.size(), 1u);
    EXPECT_DOUBLE_EQ(cost.kernels[0].product_flops, 2e9);
    EXPECT_NEAR(cost.kernels[0].arithmetic_seconds, row.seconds, 1e-12);
    EXPECT_EQ(cost.kernels[0].grade, row.grade);
    EXPECT_STREQ(cost.kernels[0].bound(), "arithmetic");
  }
}

TEST(Cost, TotalsAndTextsSayTheSame) {
  Program p(1000, 1000);
  const ValueId x = p.input("x", {1, n, c}), w = p.input("w", {1, c, n});
  p.graph.outputs = {p.b.reduce("sum", p.b.matmul(x, w), {2})};
  const Result<ir::Plan> plan = partition(p.graph);
  ASSERT_TRUE(plan);
  const PlanCost cost = cost_of(p.graph, *plan, "default", p.gpu);
  EXPECT_EQ(to_text(cost, p.gpu),
            "cost on NVIDIA H200 SXM (measured):\n"
            "kernel 0: 8.00 MB read, 4.00 MB written, 2.00 Gflop (float32), 1 launch: 205 us, bound by arithmetic\n"
            "kernel 1: 4.00 MB read, 4.00 kB written, 1.00 Mflop, 1 launch: 9.0 us, bound by launch\n"
            "total: 16.0 MB moved, 2.00 Gflop, 2 launches: 214 us; launching from Python takes 40 us\n"
            "floor: arguments read once and results written once are 8.00 MB: 8.0 us\n");
  EXPECT_EQ(reasons_to_keep(p.graph, *plan, cost, p.gpu),
            std::vector<std::string>{"kept: %2 of kernel 0: 8.0 us to write it and to read it once, where its readers would compute it once for 200 us"});
}

TEST(Cost, KernelsSideBySideHaveOneLaunch) {
  Program p(10, 20);
  const ValueId x = p.input("x", {n, c});
  PlanCost cost = p.cost({p.b.elementwise("neg", {x}), p.b.reduce("sum", x, {0}), p.b.reduce("max", x, {1})});
  ASSERT_EQ(cost.kernels.size(), 3u);
  const double before = cost.seconds;
  launch_together(cost, {{0, 2}, {1}}, p.gpu);
  EXPECT_DOUBLE_EQ(cost.launches, 2);
  EXPECT_DOUBLE_EQ(cost.host_seconds, 40e-6);
  EXPECT_NEAR(cost.seconds, before - 5e-6, 1e-15);
  EXPECT_DOUBLE_EQ(cost.kernels[2].launches, 0);
  EXPECT_NE(to_text(cost, p.gpu).find("kernel 2: 800 B read, 800 B written, 200 flop, launched with another: 0.0 us, bound by memory\n"), std::string::npos);
}

TEST(Cost, DecisionsAreExplainedInTime) {
  Program p(4000, 4000);
  const ValueId x = p.input("x", {1, n, c}), w = p.input("w", {1, c, n});
  p.graph.outputs = {p.b.matmul(x, w)};
  std::vector<std::string> decisions;
  prepared(p.graph, "fp32", p.gpu, &decisions);
  // 128 Gflop at 10 and at 30 Tflop/s; 12 bytes for each of 32 M elements of the operands, and three launches
  ASSERT_FALSE(decisions.empty());
  EXPECT_EQ(decisions[0], "product of [1, 4000, 4000] and [1, 4000, 4000]: as three float16 products, 4267 us and 399 us for 3 passes over the operands instead of 12.8 ms");

  Program q(4, 1 << 20);
  q.graph.outputs = {q.b.reduce("sum", q.input("x", {n, c}), {1})};
  decisions.clear();
  prepared(q.graph, "default", q.gpu, &decisions);
  // 16.8 MB at 1 TB/s; four programs of 528 reach a 132nd of that
  EXPECT_EQ(decisions, std::vector<std::string>{"sum of 4 rows of 1048576: in 512 parts, 22 us instead of 2215 us (4 programs for 132 multiprocessors)"});
}

}  // namespace
}  // namespace ka::partition::cost_test

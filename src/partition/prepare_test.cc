#include "partition/prepare.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/legality.h"
#include "ir/window.h"
#include "partition/cost.h"
#include "partition/joins.h"
#include "partition/plan.h"

namespace ka::partition::prepare_test {
namespace {

using ir::DType;
using ir::KernelKind;
using ir::Shape;
using ir::Sym;
using ir::ValueId;
using testing::Contains;
using testing::HasSubstr;

// A program over the sizes n and c with these values, and the kernels that it becomes.
struct Program {
  ir::Graph graph;
  ir::Builder b{graph};
  Program(std::int64_t given_n, std::int64_t given_c) {
    input("sizes", {n, c});
    graph.sizes = {{"n", 0, 0, given_n, {}}, {"c", 0, 1, given_c, {}}};
  }
  ValueId input(const char* name, Shape shape, DType dtype = DType::float32) {
    return b.argument(ir::ArgumentKind::input, name, name, {dtype, std::move(shape)});
  }
  std::string kinds(std::vector<ValueId> outputs) {
    graph.outputs = std::move(outputs);
    graph = prepared(graph, "default", gpu, decisions);
    const Status legal = ir::check_graph(graph);
    EXPECT_TRUE(legal) << (legal ? "" : legal.error().message);
    Result<ir::Plan> plan = partition(graph);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
    EXPECT_TRUE(!plan || ir::check_plan(graph, *plan));
    std::string out;
    if (plan)
      for (const ir::PlannedKernel& kernel : plan->kernels) out += (out.empty() ? "" : " ") + std::string(to_string(kernel.kind));
    return out;
  }
  const Sym n = Sym::size("n"), c = Sym::size("c");
  ir::Gpu gpu = ir::default_gpu();
  std::vector<std::string>* decisions = nullptr;
};

struct ReductionCase {
  const char* name;
  std::int64_t n, c;
  const char* kind;
  std::vector<int> dims;
  const char* kernels;
};

TEST(LongReductions, AreSplitWhereOneProgramPerRowWouldBeTooFew) {
  const ReductionCase cases[] = {
      {"few long rows", 4, 1 << 20, "sum", {1}, "row row"},
      {"everything", 4096, 4096, "sum", {0, 1}, "row row"},
      {"many long rows", 4096, 1 << 17, "sum", {1}, "row"},
      {"many rows, a chain of too many additions", 4096, 1 << 22, "max", {1}, "row row"},
      {"short rows", 4, 1000, "sum", {1}, "row"},
      {"columns of a tall matrix", 1 << 16, 64, "prod", {0}, "row row"},
      {"columns of a wide matrix", 64, 1 << 16, "sum", {0}, "row"},
      {"a place", 4, 1 << 20, "argmax", {1}, "row row pointwise"},
  };
  for (const ReductionCase& one : cases) {
    Program p(one.n, one.c);
    const ValueId x = p.input("x", {p.n, p.c});
    EXPECT_EQ(p.kinds({p.b.reduce(one.kind, x, one.dims)}), one.kernels) << one.name;
  }
}

TEST(LongReductions, OfTheSameRowsShareTheirKernels) {
  Program p(1, 1 << 20);
  const ValueId x = p.input("x", {p.n, p.c});
  EXPECT_EQ(p.kinds({p.b.reduce("sum", x, {1}), p.b.reduce("sum", p.b.elementwise("mul", {x, x}), {1})}), "row row");
}

TEST(LongReductions, MeasuredFromAnotherOfTheSameRowAreInItsPass) {
  Program p(128, 1 << 18);
  const ValueId x = p.input("x", {p.n, p.c});
  const ValueId e = p.b.elementwise("exp", {p.b.elementwise("sub", {x, p.b.reduce("max", x, {1})})});
  EXPECT_EQ(p.kinds({p.b.elementwise("div", {e, p.b.reduce("sum", e, {1})})}), "row row pointwise") << "exponentials from a maximum";
  Program q(128, 1 << 18);
  const ValueId y = q.input("y", {q.n, q.c});
  const ValueId mean = q.b.elementwise("div", {q.b.reduce("sum", y, {1}), q.b.cast(q.b.index({}, q.c), DType::float32)});
  const ValueId d = q.b.elementwise("sub", {y, mean});
  EXPECT_EQ(q.kinds({q.b.reduce("sum", q.b.elementwise("mul", {d, d}), {1})}), "row row") << "squares from a mean";
  Program r(128, 1 << 18);
  const ValueId z = r.input("z", {r.n, r.c}), other = r.input("other", {r.n, 1});
  EXPECT_EQ(r.kinds({r.b.reduce("sum", r.b.elementwise("exp", {r.b.elementwise("sub", {z, other})}), {1})}), "row row") << "from something else";
}

TEST(LongReductions, OfRowsThatProgramsShareStay) {
  const auto kinds = [](const char* kind, bool again, DType dtype) {
    Program p(128, 1 << 18);
    p.gpu.forms = {ir::Form::shared_rows};
    const ValueId x = p.input("x", {p.n, p.c}, dtype);
    const ValueId of_row = p.b.reduce(kind, x, {1});
    return p.kinds({again ? p.b.elementwise("div", {x, of_row}) : of_row});
  };
  EXPECT_EQ(kinds("sum", true, DType::float32), "row");
  EXPECT_EQ(kinds("max", true, DType::bfloat16), "row");
  EXPECT_EQ(kinds("sum", false, DType::float32), "row row") << "nobody looks at the row again";
  EXPECT_EQ(kinds("prod", true, DType::float32), "row row pointwise") << "a product is not put together";
  EXPECT_EQ(kinds("sum", true, DType::float64), "row row pointwise");
}

TEST(LongReductions, OfAnIntegerMinimumWithoutANeutralElementStay) {
  Program p(1, 1 << 20);
  EXPECT_EQ(p.kinds({p.b.reduce("min", p.input("x", {p.n, p.c}, DType::int64), {1})}), "row");
}

TEST(LongReductions, OfDimensionsApartAreDoneOneAfterTheOther) {
  Program p(64, 1 << 16);
  const ValueId x = p.input("x", {p.n, 32, p.c});
  EXPECT_EQ(p.kinds({p.b.reduce("sum", x, {0, 2})}), "row row");
  for (const ir::Node& node : p.graph.nodes) EXPECT_NE(node.op, "remap") << "no padding is needed";
}

const ir::Node& product_of(const ir::Graph& graph) {
  return *std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) { return node.op == "matmul"; });
}

struct ProductCase {
  const char* name;
  Shape left, right;
  const char* kernels;
};

TEST(Products, AreArrangedBySize) {
  const ProductCase cases[] = {
      {"square", {1, 4096, 4096}, {1, 4096, 4096}, "row row row pointwise matmul"},
      {"small", {1, 256, 256}, {1, 256, 256}, "matmul"},
      {"few tiles, a long sum", {1, 256, 1 << 16}, {1, 1 << 16, 256}, "row row pointwise row row pointwise matmul row"},
      {"few results, long sums", {1, 64, 1 << 19}, {1, 1 << 19, 64}, "matmul row"},
      {"few results, short sums", {1, 64, 512}, {1, 512, 64}, "matmul"},
      {"matrix times vector", {1, 4096, 4096}, {1, 4096, 1}, "row"},
      {"vector times matrix", {1, 1, 4096}, {1, 4096, 1 << 16}, "row"},
      {"one long dot product", {1, 1, 1 << 20}, {1, 1 << 20, 1}, "row row"},
  };
  for (const ProductCase& one : cases) {
    Program p(1, 1);
    EXPECT_EQ(p.kinds({p.b.matmul(p.input("x", one.left), p.input("y", one.right))}), one.kernels) << one.name;
  }
}

TEST(Products, OfWidenedHalvesAreProductsOfHalves) {
  Program p(1, 1);
  const auto wide = [&](const char* name) { return p.b.permute(p.b.cast(p.input(name, {4, 64, 64}, DType::float16), DType::float32), {0, 2, 1}); };
  EXPECT_EQ(p.kinds({p.b.matmul(wide("x"), wide("y"))}), "matmul");
  EXPECT_EQ(p.graph.type(product_of(p.graph).inputs[0]).dtype, DType::float16);
}

TEST(Products, OfManyWidenedHalvesAreNotTakenApart) {
  Program p(4096, 4096);
  const auto wide = [&](const char* name) { return p.b.cast(p.input(name, {1, p.n, p.n}, DType::bfloat16), DType::float32); };
  EXPECT_EQ(p.kinds({p.b.matmul(wide("x"), wide("y"))}), "matmul");
}

TEST(Products, ComputeTheirOperandsBeforeARowOfSums) {
  Program p(1, 1);
  const ValueId v = p.b.elementwise("tanh", {p.input("v", {1, 512, 1})});
  EXPECT_EQ(p.kinds({p.b.matmul(p.input("x", {1, 4096, 512}), v)}), "pointwise row");
}

TEST(HalfProducts, OfTransposedOperandsAreTakenApartAsTheyLie) {
  Program p(2048, 2048);
  const ValueId w = p.input("w", {1, p.c, p.c});
  EXPECT_EQ(p.kinds({p.b.matmul(p.input("x", {1, p.n, p.c}), p.b.permute(w, {0, 2, 1}))}), "row row matmul");
  const ir::Node& product = product_of(p.graph);
  ASSERT_EQ(product.inputs.size(), 4u);
  for (const ValueId input : product.inputs) EXPECT_EQ(p.graph.type(input).dtype, DType::float16);
  EXPECT_EQ(p.graph.maker(product.inputs[1])->op, "permute");
}

// A convolution of 3 x 3 taps and no padding, as it is lowered.
struct Convolution : Program {
  Convolution(std::int64_t images, std::int64_t features) : Program(images, features) { b.set_origin("aten.conv2d.default", ""); }
  ValueId out(std::int64_t channels) {
    const Shape to{1, n * 54 * 54, 9 * channels};
    const std::vector<Sym> i = ir::index_symbols(to), row = ir::delinearize(i[1], {n, 54, 54}), tap = ir::delinearize(i[2], {channels, 3, 3});
    const ValueId x = b.remap(input("x", {n, channels, 56, 56}), to, {row[0], tap[0], row[1] + tap[1], row[2] + tap[2]}, {}, 0,
                              {{"window", std::vector<Sym>{3, 3, 1, 1, 1, 1, 0, 0, 54, 54}}});
    return b.matmul(x, b.permute(input("w", {1, c, 9 * channels}), {0, 2, 1}));
  }
};

// Sixteen tiles: the depth is cut after the operands are taken apart, so that the parts of a row have one factor.
TEST(HalfProducts, OfFewTilesAndALongDepthAreMadeInParts) {
  Program p(256, 1 << 19);
  const ValueId x = p.input("x", {1, p.n, p.c}), y = p.input("y", {1, p.c, p.n});
  EXPECT_THAT(p.kinds({p.b.matmul(x, y)}), testing::EndsWith("matmul row"));
  const ir::Node& product = product_of(p.graph);
  EXPECT_EQ(product.inputs.size(), 4U);
  EXPECT_THAT(p.graph.shape(product.inputs[0])[0].text(), testing::StartsWith("parts"));
}

TEST(HalfProducts, OfFewTilesAndAShortDepthStayAsTheyAre) {
  Program p(256, 1024);
  const ValueId x = p.input("x", {1, p.n, p.c}), y = p.input("y", {1, p.c, p.n});
  EXPECT_EQ(p.kinds({p.b.matmul(x, y)}), "matmul");
}

TEST(HalfProducts, OfAConvolutionReadRunsOfAnImageWithChannelsLast) {
  Convolution p(32, 128);
  EXPECT_EQ(p.kinds({p.out(62)}), "row row pointwise row matmul");
  const ir::Node& product = product_of(p.graph);
  ASSERT_EQ(product.inputs.size(), 2u);
  EXPECT_EQ(ir::int_attribute(product, "run"), Sym(3 * 64)) << "channels are filled up to a multiple of four";
  EXPECT_EQ(p.graph.type(product.inputs[0]).dtype, DType::float16);
}

// A transposed convolution of 3 x 3 taps, stride 2 and padding 1, as it is lowered: a product for each of its four phases.
struct Transposed : Program {
  Transposed(std::int64_t images, std::int64_t features) : Program(images, features) { b.set_origin("aten.conv_transpose2d.input", ""); }
  ValueId out(std::int64_t channels, std::int64_t groups = 1) {
    const ir::Phases phases({2, 2}, {3, 3}, {1, 1}, {1, 1});
    const ir::Window window = phases.window({56, 56});
    const Shape to{4 * groups, n * 56 * 56, 4 * channels}, right{4 * groups, 4 * channels, c};
    const std::vector<Sym> i = ir::index_symbols(to), row = ir::delinearize(i[1], {n, 56, 56}), tap = ir::delinearize(i[2], {channels, 2, 2}),
                           phase = ir::delinearize(i[0], {groups, 2, 2}), at = ir::index_symbols(right);
    std::vector<Sym> index{row[0], phase[0] * channels + tap[0]}, inside;
    for (std::size_t d = 0; d < 2; ++d) {
      index.push_back(row[d + 1] + phases.later(d, phase[d + 1]) + tap[d + 1] - window.padding[d]);
      inside.push_back(index.back());
      inside.push_back(55 - index.back());
      for (const Sym& known : phases.known(d, phase[d + 1], tap[d + 1])) inside.push_back(known);
    }
    const ValueId x = b.remap(input("x", {n, groups * channels, 56, 56}), to, index, inside, 0, {{"window", window.all()}, {"phases", phases.all()}});
    return b.matmul(x, b.remap(input("w", {4 * groups, c, 4 * channels}), right, {at[0], at[2], at[1]}));
  }
};

TEST(HalfProducts, OfATransposedConvolutionReadOneImageInAllPhases) {
  Transposed p(32, 128);
  EXPECT_EQ(p.kinds({p.out(62)}), "row row pointwise row matmul");
  const ir::Node& product = product_of(p.graph);
  EXPECT_EQ(p.graph.type(product.inputs[0]).dtype, DType::float16);
  EXPECT_EQ(p.graph.shape(product.inputs[0]), (Shape{4, p.n * 56 * 56, 4 * 64}));
  EXPECT_EQ(ir::int_attribute(product, "run"), Sym(2 * 64));
  const ir::Node& windows = *p.graph.maker(product.inputs[0]);
  EXPECT_EQ(ir::ints_attribute(windows, "valid").size(), 2u) << "taps that there are, and no place outside of the image";
}

TEST(HalfProducts, OfATransposedConvolutionOfGroupsAreLeftWithAReason) {
  Transposed p(32, 128);
  std::vector<std::string> decisions;
  p.decisions = &decisions;
  EXPECT_EQ(p.kinds({p.out(64, 2)}), "matmul");
  EXPECT_THAT(decisions, Contains(HasSubstr("left as it is, it is made of groups")));
}

// The same where convolutions are read by descriptors.
std::string tiled(Convolution& p, std::int64_t channels, std::vector<std::string>* decisions = nullptr) {
  p.gpu.forms = {ir::Form::conv_tiles};
  p.decisions = decisions;
  return p.kinds({p.out(channels)});
}

TEST(ConvTiles, CountPlacesThroughAnImageWithZerosBetweenItsLines) {
  Convolution p(32, 128);
  std::vector<std::string> decisions;
  EXPECT_EQ(tiled(p, 62, &decisions), "row row pointwise row matmul");
  const ir::Node& product = product_of(p.graph);
  EXPECT_FALSE(product.attributes.contains("run"));
  EXPECT_EQ(ir::ints_attribute(product, "window"), (std::vector<Sym>{3, 3, 1, 1, 1, 1, 0, 0, 54, 54}));
  EXPECT_EQ(p.graph.shape(p.graph.maker(product.inputs[0])->inputs[0]), (Shape{1, 1, p.n, 56, 56, 64})) << "the lines are as long as the image, whose channels fill a step";
  EXPECT_THAT(decisions, Contains(HasSubstr("read by descriptors, 64 channels at a time, 1.08 places for each of the result")));
}

TEST(ConvTiles, OfATransposedConvolutionHaveOneImageForAllPhases) {
  Transposed p(32, 128);
  p.gpu.forms = {ir::Form::conv_tiles};
  std::vector<std::string> decisions;
  p.decisions = &decisions;
  EXPECT_EQ(p.kinds({p.out(64)}), "row row pointwise row matmul");
  const ir::Node& product = product_of(p.graph);
  EXPECT_FALSE(product.attributes.contains("run"));
  EXPECT_EQ(ir::View(product).products(), Sym(4));
  EXPECT_EQ(p.graph.shape(p.graph.maker(product.inputs[0])->inputs[0]), (Shape{1, 1, p.n, 57, 58, 64})) << "a place further on for the second phase, and pairs of places";
  EXPECT_EQ(p.graph.shape(p.graph.maker(product.inputs[1])->inputs[0]), (Shape{p.c, 4, 4 * 64})) << "one scale for all phases of a feature";
}

TEST(ConvTiles, OfATransposedConvolutionMultiplyOnlyByTapsThatThereAre) {
  Transposed pointers(32, 128), blocks(32, 128);
  blocks.gpu.forms = {ir::Form::conv_tiles};
  const auto flops = [](Transposed& p) {
    p.kinds({p.out(64)});
    const PlanCost cost = cost_of(p.graph, *partition(p.graph), "default", p.gpu);
    return cost.kernels.back().product_flops;
  };
  EXPECT_DOUBLE_EQ(flops(blocks) * 16, flops(pointers) * 9);
}

TEST(ConvTiles, AreRefusedWithAReason) {
  struct Case {
    std::int64_t features, channels;
    int arch;
    const char* reason;
  };
  const Case cases[] = {{128, 12, 90, "12 channels are too few for a step"}, {32, 64, 90, "32 features are too few for a tile"}, {128, 64, 80, "the GPU has no engine that copies blocks"}};
  for (const Case& one : cases) {
    Convolution p(64, one.features);
    std::vector<std::string> decisions;
    p.gpu.cuda->arch = one.arch;
    EXPECT_EQ(tiled(p, one.channels, &decisions), "row row pointwise row matmul") << one.reason;
    EXPECT_TRUE(product_of(p.graph).attributes.contains("run")) << one.reason;
    EXPECT_THAT(decisions, Contains(HasSubstr(one.reason)));
  }
}

TEST(HalfProducts, OfASmallConvolutionAreNotWorthTheirPasses) {
  Convolution p(1, 16);
  EXPECT_EQ(p.kinds({p.out(8)}), "matmul");
}

TEST(LongReductions, OfSquaredDistancesMeasureEachPartFromItsOwnMean) {
  Program p(32, 64);
  const std::vector<int> all{0, 2, 3};
  const ValueId x = p.input("x", {p.n, p.c, 64, 64});
  const ValueId count = p.b.cast(p.b.index({}, p.n * 64 * 64), DType::float32);
  const ValueId mean = p.b.elementwise("div", {p.b.reduce("sum", x, all), count});
  const ValueId distance = p.b.elementwise("sub", {x, mean});
  const ValueId variance = p.b.reduce("sum", p.b.elementwise("mul", {distance, distance}), all);
  EXPECT_EQ(p.kinds({p.b.elementwise("mul", {distance, p.b.elementwise("rsqrt", {variance})})}), "row row pointwise");
}

TEST(Steps, GetExactQuotientsAndFunctions) {
  Program p(8, 8);
  const ValueId x = p.input("x", {p.n, p.c}), y = p.input("y", {p.n, p.c});
  const ValueId quotient = p.b.elementwise("div", {p.b.elementwise("log", {x}), y});
  const ValueId free = p.b.elementwise("div", {p.b.elementwise("log", {y}), x});
  p.kinds({p.b.cast(p.b.permute(quotient, {1, 0}), DType::int64), free});
  const auto text = [&](ValueId value) {
    const ir::Node& node = *p.graph.maker(value);
    return node.op + " of " + p.graph.maker(node.inputs[0])->op;
  };
  EXPECT_EQ(text(p.graph.maker(p.graph.maker(p.graph.outputs[0])->inputs[0])->inputs[0]), "div_rn of cast");
  EXPECT_EQ(text(p.graph.outputs[1]), "div of log");
}

// A list that grows: the maximum of all that was joined so far, once per tensor.
struct GrowingList : Program {
  explicit GrowingList(int length) : Program(64, 64) {
    std::vector<ValueId> parts, outputs;
    for (int k = 0; k < length; ++k) {
      parts.push_back(input(fmt::format("x{}", k).c_str(), {n, c}));
      if (k > 0) outputs.push_back(b.reduce("max", b.cat(parts, 1), {1}));
    }
    graph.outputs = outputs;
  }
  // The most pieces of which a join of the prepared graph is made.
  std::size_t most_pieces() const {
    std::size_t most = 0;
    for (const ir::Node& node : graph.nodes) {
      if (node.op == "cat") most = std::max(most, node.inputs.size());
    }
    return most;
  }
};

TEST(Joins, OfAListThatGrowsGoOnFromAnEarlierOne) {
  GrowingList list(12);
  const std::string kinds = list.kinds(list.graph.outputs);
  EXPECT_LE(list.most_pieces(), kMostPieces);
  // 11 reductions; of 11 joins every third one is written to memory, but for the last that nobody goes on from
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), 'p'), 3) << kinds;
  EXPECT_EQ(kinds.size(), std::string("row").size() * 11 + std::string("pointwise").size() * 3 + 13) << kinds;
}

TEST(Joins, OfManyTensorsAtOnceStayOne) {
  Program p(64, 64);
  std::vector<ValueId> parts;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) parts.push_back(p.input(name, {p.n, p.c}));
  EXPECT_EQ(p.kinds({p.b.cat(parts, 1)}), "pointwise");
}

TEST(Outputs, AreWrittenByAKernel) {
  Program p(8, 8);
  EXPECT_EQ(p.kinds({p.b.reshape(p.input("x", {p.n, p.c}), {p.n * p.c})}), "pointwise");
}

// softmax(scale * q k^T) v with heads of a width.
struct Heads : Program {
  Heads(std::int64_t length, std::int64_t width) : Program(length, width) {}
  const ValueId q = input("q", {8, n, c}), k = input("k", {8, n, c}), v = input("v", {8, n, c});
  const ValueId scores = b.elementwise("mul", {b.matmul(q, b.permute(k, {0, 2, 1})), b.constant(0.5, DType::float32)});
  const ValueId e = b.elementwise("exp", {b.elementwise("sub", {scores, b.reduce("max", scores, {2})})});
  const ValueId weights = b.elementwise("div", {e, b.reduce("sum", e, {2})});
  const ValueId out = b.matmul(weights, v);
};

TEST(Attention, IsOneKernelWithItsEpilogue) {
  Heads p(200, 64);
  EXPECT_EQ(p.kinds({p.b.elementwise("tanh", {p.out})}), "attention");
}

// The matrix products of the program, with their operands' types: what is taken apart is multiplied in float16.
std::string products(const ir::Graph& graph) {
  std::string out;
  for (const ir::Node& node : graph.nodes) {
    if (node.op != "matmul") continue;
    out += fmt::format("{}{} of {}", out.empty() ? "" : ", ", node.attributes.contains("one_sum") ? "one sum" : "product", node.inputs.size());
    for (const ValueId input : node.inputs) EXPECT_EQ(graph.type(input).dtype, node.inputs.size() == 4 ? DType::float16 : DType::float32);
  }
  return out;
}

TEST(Attention, OfManyFloatsIsMadeOfThreeProductsEach) {
  std::vector<std::string> decisions;
  Heads p(2000, 64);
  p.decisions = &decisions;
  // queries and keys are taken apart row by row, values column by column
  EXPECT_EQ(p.kinds({p.out}), "row row row row pointwise attention");
  EXPECT_EQ(products(p.graph), "product of 4, one sum of 4");
  EXPECT_THAT(decisions, Contains(HasSubstr("attention of [8, 2000, 64] over 2000 keys: as three float16 products")));
}

TEST(Attention, OfFloatsStaysAsItIsWithAReason) {
  struct Case {
    const char* name;
    std::int64_t length, width;
    const char* reason;
  };
  for (const Case& one : {Case{"short", 200, 64, "not as three float16 products"}, Case{"wide", 2000, 200, "parts of heads wider than 128 do not fit the registers"},
                          Case{"few", 50, 64, "there are few of them"}}) {
    SCOPED_TRACE(one.name);
    std::vector<std::string> decisions;
    Heads p(one.length, one.width);
    p.decisions = &decisions;
    EXPECT_EQ(p.kinds({p.out}), "attention");
    EXPECT_EQ(products(p.graph), "product of 2, product of 2");
    EXPECT_THAT(decisions, Contains(HasSubstr(one.reason)));
  }
}

TEST(Attention, OfWeightsThatMayBeLargeStaysAsItIs) {
  std::vector<std::string> decisions;
  Heads p(2000, 64);
  p.decisions = &decisions;
  const ValueId louder = p.b.elementwise("mul", {p.weights, p.b.constant(1000.0, DType::float32)});
  EXPECT_EQ(p.kinds({p.b.matmul(louder, p.v)}), "attention");
  EXPECT_THAT(decisions, Contains(HasSubstr("weights beyond a softmax may be too large for float16 numbers")));
}

TEST(Attention, OfLongRowsIsNotSplit) {
  Heads p(1 << 20, 200);
  EXPECT_EQ(p.kinds({p.out}), "attention");
}

TEST(Attention, OfWideHeadsIsThreeKernels) {
  Heads p(100, 300);
  EXPECT_EQ(p.kinds({p.out}), "matmul row matmul");
}

TEST(Attention, WhoseWeightsAreWantedIsThreeKernels) {
  Heads p(100, 64);
  EXPECT_EQ(p.kinds({p.out, p.weights}), "matmul row matmul");
}

}  // namespace
}  // namespace ka::partition::prepare_test

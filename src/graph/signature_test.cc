#include <gtest/gtest.h>

#include <functional>

#include "graph/signature.h"

namespace ka::graph::signature_test {
namespace {

constexpr std::int64_t kRows = 8, kColumns = 4;

// linear(x, w), relu: every name with `prefix` before it.
Exported program(const std::string& prefix) {
  ExportedGraph sample;
  ExportedArgument w, x;
  w.node = prefix + "p_w";
  w.kind = "parameter";
  w.name = prefix + "fc.weight";
  w.keyword = prefix + "fc_weight";
  w.tensor = TensorFacts{ir::DType::float32, {kRows, kColumns}, {kColumns, 1}};
  x.node = x.name = x.keyword = prefix + "x";
  x.kind = "input";
  x.tensor = TensorFacts{ir::DType::float32, {2, kColumns}, {kColumns, 1}};
  sample.arguments = {w, x};
  ExportedNode linear{prefix + "linear", "aten.linear.default", prefix + "p.py:3", {}, {}};
  linear.operands = {{"input", Operand{TensorRef{prefix + "x", 0}}}, {"weight", Operand{TensorRef{prefix + "p_w", 0}}}};
  linear.outputs.push_back(TensorFacts{ir::DType::float32, {2, kRows}, {kRows, 1}});
  ExportedNode scaled{prefix + "mul", "aten.mul.Tensor", prefix + "p.py:4", {}, {}};
  scaled.operands = {{"self", Operand{TensorRef{prefix + "linear", 0}}}, {"other", Operand{2.0}}};
  scaled.outputs = linear.outputs;
  sample.nodes = {linear, scaled};
  sample.outputs = {{prefix + "mul", 0}};
  sample.structure = "tensor";
  Exported out;
  out.way = prefix;
  out.samples = {sample};
  return out;
}

TEST(Signature, NamesAndOtherSizesDoNotCount) {
  const std::string signature = signature_of(program(""), "train", "default");
  EXPECT_EQ(signature.size(), 64u);
  Exported other = program("other_");
  EXPECT_EQ(signature_of(other, "train", "default"), signature);
  other.samples.push_back(other.samples[0]);
  other.samples[1].arguments[1].tensor->shape[0] = 3;
  EXPECT_EQ(signature_of(other, "train", "default"), signature);
  EXPECT_EQ(weight_keywords(other), std::vector<std::string>{"other_fc_weight"});
  EXPECT_EQ(input_count(other), 1u);
  Exported turned = program("");  // the input first, and a buffer that nobody reads
  std::swap(turned.samples[0].arguments[0], turned.samples[0].arguments[1]);
  turned.samples[0].arguments.push_back(turned.samples[0].arguments[1]);
  turned.samples[0].arguments[2].node = "p_other";
  EXPECT_EQ(signature_of(turned, "train", "default"), signature);
}

TEST(Signature, EverythingElseCounts) {
  const std::string signature = signature_of(program(""), "train", "default");
  EXPECT_NE(signature_of(program(""), "eval", "default"), signature);
  EXPECT_NE(signature_of(program(""), "train", "tf32"), signature);
  const std::function<void(ExportedGraph&)> changes[] = {
      [](ExportedGraph& g) { g.arguments[1].tensor->shape[0] = 3; },
      [](ExportedGraph& g) { g.arguments[1].tensor->strides = {1, 2}; },
      [](ExportedGraph& g) { g.arguments[0].tensor->dtype = ir::DType::float16; },
      [](ExportedGraph& g) { g.arguments[0].kind = "buffer"; },
      [](ExportedGraph& g) { g.nodes[1].op = "aten.add.Tensor"; },
      [](ExportedGraph& g) { g.nodes[1].operands["other"] = Operand{3.0}; },
      [](ExportedGraph& g) { g.nodes[1].operands["other"] = Operand{std::int64_t{2}}; },
      [](ExportedGraph& g) { g.nodes[1].operands["self"] = Operand{TensorRef{"x", 0}}; },
      [](ExportedGraph& g) { g.outputs = {{"linear", 0}}; },
      [](ExportedGraph& g) { g.updates = {{"p_w", {"mul", 0}}}; },
      [](ExportedGraph& g) { g.structure = "tuple"; },
      [](ExportedGraph& g) {
        g.arguments[0].has_data = true;
        g.arguments[0].data = {1, 2};
      },
  };
  std::size_t row = 0;
  for (const auto& change : changes) {
    Exported changed = program("");
    change(changed.samples[0]);
    EXPECT_NE(signature_of(changed, "train", "default"), signature) << "row " << row;
    ++row;
  }
}

}  // namespace
}  // namespace ka::graph::signature_test

#include "partition/recurrences.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/legality.h"
#include "ir/recurrence.h"

namespace ka::partition {
namespace {

using ir::DType;
using ir::Shape;
using ir::Sym;
using ir::ValueId;

ir::Gpu resident() {
  ir::Gpu gpu = ir::default_gpu();
  gpu.forms = {ir::Form::persistent};
  return gpu;
}

// LSTM layers of 256 units over 10 rows, written as the import writes them.
struct Stack {
  ir::Graph graph;
  ir::Builder b{graph};
  const Sym t = Sym::size("t"), n = Sym::size("n"), h = Sym::size("h");
  ValueId states = -1;
  int weights = 0;

  Stack() {
    states = input("x", {t, n, h});
    graph.sizes = {{"t", 0, 0, 512, {}}, {"n", 0, 1, 10, {}}, {"h", 0, 2, 256, {}}};
  }
  ValueId input(const std::string& name, Shape shape) { return b.argument(ir::ArgumentKind::input, name, name, {DType::float32, std::move(shape)}); }
  ValueId weight(Shape shape) { return input("w" + std::to_string(weights++), std::move(shape)); }
  ValueId gates(ValueId x) {
    const ValueId right = b.reshape(b.permute(weight({4 * h, h}), {1, 0}), {1, h, 4 * h});
    const ValueId product = b.reshape(b.matmul(b.reshape(x, {1, t * n, h}), right), {t, n, 4 * h});
    return b.elementwise("add", {b.elementwise("add", {product, weight({4 * h})}), weight({4 * h})});
  }
  std::vector<ValueId> layer(ValueId x, bool reverse = false) {
    const ir::Type state{DType::float32, {t, n, h}};
    const std::vector<ValueId> operands{gates(x), weight({4 * h, h}), weight({n, h}), weight({n, h})};
    return b.node("recurrence", operands, {{"kind", std::string("lstm")}, {"reverse", reverse}}, {state, state});
  }
  // How many layers each recurrence of the result has that its outputs need.
  std::vector<std::int64_t> joined(std::vector<ValueId> outputs, const ir::Gpu& gpu = resident()) {
    graph.outputs = std::move(outputs);
    const ir::Graph out = layers_together(graph, gpu, nullptr);
    const Status legal = ir::check_graph(out);
    EXPECT_TRUE(legal) << (legal ? "" : legal.error().message);
    std::vector<std::int64_t> layers;
    for (const ir::Node& node : out.nodes) {
      if (node.op == "recurrence") layers.push_back(ir::layers_of(node));
    }
    return layers;
  }
};

using Layers = std::vector<std::int64_t>;

TEST(LayersTogether, AreOneNodeWhereEachReadsTheOneBelow) {
  Stack s;
  std::vector<ValueId> outputs;
  for (int l = 0; l < 6; ++l) {
    const std::vector<ValueId> made = s.layer(s.states);
    s.states = made[0];
    outputs.push_back(s.b.remap(made[1], {s.n, s.h}, {s.t - 1, Sym::index("i0", s.n), Sym::index("i1", s.h)}));  // the last cells are read as well
  }
  outputs.push_back(s.states);
  EXPECT_EQ(s.joined(outputs), Layers{6});
}

TEST(LayersTogether, AsManyAsFitOntoTheGpu) {
  Stack s;
  for (int l = 0; l < 10; ++l) s.states = s.layer(s.states)[0];
  EXPECT_EQ(s.joined({s.states}), (Layers{8, 2}));  // 16 programs each, 132 multiprocessors
}

TEST(LayersTogether, StayApartWhereOneReadsSomethingElse) {
  Stack s;
  s.states = s.b.elementwise("abs", {s.layer(s.states)[0]});
  EXPECT_EQ(s.joined({s.layer(s.states)[0]}), (Layers{1, 1}));
  Stack reversed;
  reversed.states = reversed.layer(reversed.states)[0];
  EXPECT_EQ(reversed.joined({reversed.layer(reversed.states, true)[0]}), (Layers{1, 1}));
}

TEST(LayersTogether, OnlyWhereTheFormIsAskedFor) {
  Stack s;
  s.states = s.layer(s.states)[0];
  EXPECT_EQ(s.joined({s.layer(s.states)[0]}, ir::default_gpu()), (Layers{1, 1}));
}

}  // namespace
}  // namespace ka::partition

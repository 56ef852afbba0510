// Recurrent layers. What does not depend on the step before, the product of the inputs with their weights, is one matrix
// product over all steps; what does is the primitive `recurrence`.
#include "graph/term_functions.h"
#include "ir/misfit.h"

namespace ka::graph {
namespace {

using ir::Shape;
using ir::Sym;
using ir::ValueId;

// The weights of one layer and direction.
struct Weights {
  ValueId input = -1, hidden = -1, input_bias = -1, hidden_bias = -1, projection = -1;
};

// x [.., i] times weight [o, i] transposed, plus bias.
ValueId product_with(ir::Builder& b, ValueId x, ValueId weight, ValueId bias) {
  const Shape shape = b.shape(x), of_weight = b.shape(weight);
  ir::require(!shape.empty() && of_weight.size() == 2, "an operand has another number of dimensions than is needed");
  const Sym rows = ir::product(Shape(shape.begin(), shape.end() - 1));
  const ValueId right = b.reshape(b.permute(weight, {1, 0}), {1, of_weight[1], of_weight[0]});
  Shape to = shape;
  to.back() = of_weight[0];
  const ValueId out = b.reshape(b.matmul(b.reshape(x, {1, rows, shape.back()}), right), to);
  return bias < 0 ? out : b.elementwise("add", {out, bias});
}

Arg affine(Operands& in) {
  return tensor_arg(product_with(in.builder(), in.tensor("x"), in.tensor("weight"), in.has("bias") ? in.tensor("bias") : -1));
}

// Slot k of the first dimension, without it.
ValueId slot(ir::Builder& b, ValueId x, const Sym& k) {
  ir::require(b.rank(x) > 0, "a state needs dimensions");
  const Shape to(b.shape(x).begin() + 1, b.shape(x).end());
  std::vector<Sym> index = ir::index_symbols(to);
  index.insert(index.begin(), k);
  return b.remap(x, to, index);
}

class Recurrent {
 public:
  explicit Recurrent(Operands& in) : in_(in), b_(in.builder()) {}

  Arg run() {
    kind_ = in_.text("kind", "lstm");
    params_ = in_.tensors("params");
    initial_ = in_.tensors("hx");
    biases_ = in_.flag("has_biases", true);
    directions_ = in_.flag("bidirectional", false) ? 2 : 1;
    const std::int64_t layers = in_.fixed("num_layers", 1);
    const bool batch_first = in_.flag("batch_first", false);
    ValueId x = in_.tensor("x");
    in_.need(layers > 0 && layers <= static_cast<std::int64_t>(params_.size()), "a layer has another number of weights than expected");
    const std::int64_t sides = layers * directions_, plain = biases_ ? 4 : 2, given = static_cast<std::int64_t>(params_.size());
    projected_ = given == sides * (plain + 1);
    in_.need(given == sides * plain || projected_, "a layer has another number of weights than expected");
    in_.need(initial_.size() == (kind_ == "lstm" ? 2 : 1) && b_.rank(x) == 3, "a layer has another number of states or dimensions than expected");
    if (batch_first) x = b_.permute(x, {1, 0, 2});
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      x = layer_of(x, layer);
      if (layer + 1 < layers) x = dropped(x);
    }
    if (batch_first) x = b_.permute(x, {1, 0, 2});
    ArgList out{tensor_arg(x), tensor_arg(b_.cat(last_hidden_, 0))};
    if (kind_ == "lstm") out.push_back(tensor_arg(b_.cat(last_cell_, 0)));
    return Arg{out};
  }

 private:
  ValueId layer_of(ValueId x, std::int64_t layer) {
    std::vector<ValueId> sides;
    for (std::int64_t direction = 0; direction < directions_; ++direction)
      sides.push_back(one_direction(x, layer * directions_ + direction, direction == 1));
    return b_.cat(sides, 2);
  }

  Weights weights_of(std::int64_t number) const {
    const std::size_t each = (biases_ ? 4 : 2) + (projected_ ? 1 : 0), first = static_cast<std::size_t>(number) * each;
    return {params_[first], params_[first + 1], biases_ ? params_[first + 2] : -1, biases_ ? params_[first + 3] : -1, projected_ ? params_[first + each - 1] : -1};
  }

  ValueId one_direction(ValueId x, std::int64_t number, bool reverse) {
    const Weights w = weights_of(number);
    ValueId gates = product_with(b_, x, w.input, w.input_bias);
    // the reset gate of a GRU is applied to the hidden part with its bias; the other cells only add the two biases
    if (w.hidden_bias >= 0 && kind_ != "gru") gates = b_.elementwise("add", {gates, w.hidden_bias});
    const Shape of_gates = b_.shape(gates);
    const Sym begin = reverse ? of_gates[0] - 1 : Sym(0), last = reverse ? Sym(0) : of_gates[0] - 1;
    std::vector<ValueId> starts;
    for (const ValueId start : initial_) starts.push_back(slot(b_, start, number));
    ValueId hidden = w.hidden;
    if (projected_) {
      // What a step sees of the one before is hidden * projection * state: one matrix for the state before its projection. The first
      // step sees a state that is already projected: its share is added to the gates, and the state itself starts at zero.
      const std::vector<Sym> i = ir::index_symbols(of_gates);
      const ValueId first = b_.remap(product_with(b_, starts[0], w.hidden, -1), of_gates, {i[1], i[2]}, {begin - i[0], i[0] - begin}, 0);
      gates = b_.elementwise("add", {gates, first});
      hidden = product_with(b_, w.hidden, b_.permute(w.projection, {1, 0}), -1);
      starts[0] = b_.expand(b_.constant(0, b_.type(gates).dtype), {of_gates[1], b_.shape(hidden).at(1)});
    }
    std::vector<ValueId> inputs{gates, hidden};
    inputs.insert(inputs.end(), starts.begin(), starts.end());
    if (w.hidden_bias >= 0 && kind_ == "gru") inputs.push_back(w.hidden_bias);
    const ir::Type state{b_.type(gates).dtype, {of_gates[0], of_gates[1], b_.shape(hidden).at(1)}};
    std::vector<ir::Type> types{state};
    if (kind_ == "lstm") types.push_back(state);
    const std::vector<ValueId> made = b_.node("recurrence", inputs, {{"kind", kind_}, {"reverse", reverse}}, types);
    const ValueId states = projected_ ? product_with(b_, made[0], w.projection, -1) : made[0];
    last_hidden_.push_back(final_state(states, last));
    if (kind_ == "lstm") last_cell_.push_back(final_state(made[1], last));
    return states;
  }

  ValueId final_state(ValueId states, const Sym& step) {
    const Shape shape = b_.shape(states);
    return b_.reshape(slot(b_, states, step), {1, shape.at(1), shape.at(2)});
  }

  ValueId dropped(ValueId x) {
    return Operands::tensor_of(call_function("dropped", {tensor_arg(x), in_.arg("dropout"), in_.arg("train")}, {}, b_));
  }

  Operands& in_;
  ir::Builder& b_;
  std::string kind_;
  std::vector<ValueId> params_, initial_, last_hidden_, last_cell_;
  bool biases_ = true, projected_ = false;
  std::int64_t directions_ = 1;
};

Arg recurrent(Operands& in) { return Recurrent(in).run(); }

constexpr Function kFunctions[] = {
    {"affine", "x, weight, bias", affine},
    {"recurrent", "kind, x, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first", recurrent},
};

}  // namespace

std::span<const Function> recurrent_functions() {
  return kFunctions;
}

}  // namespace ka::graph

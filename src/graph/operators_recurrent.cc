// Recurrent networks and their cells.
#include "graph/operators.h"

namespace ka::graph {
namespace {

constexpr Operator kOperators[] = {
    {"aten.gru.input",
     "recurrent('gru', input, [hx], params, has_biases, num_layers, dropout, train, bidirectional, batch_first)"},
    {"aten.gru_cell.default",
     "let x = chunk(affine(input, w_ih, b_ih), 3, -1); let h = chunk(affine(hx, w_hh, b_hh), 3, -1);"
     "let r = sigmoid(item(x, 0) + item(h, 0)); let z = sigmoid(item(x, 1) + item(h, 1));"
     "let n = tanh(item(x, 2) + r * item(h, 2)); (1 - z) * n + z * hx"},
    {"aten.lstm.input",
     "recurrent('lstm', input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)"},
    {"aten.lstm_cell.default",
     "let p = chunk(affine(input, w_ih, b_ih) + affine(item(hx, 0), w_hh, b_hh), 4, -1);"
     "let c = sigmoid(item(p, 1)) * item(hx, 1) + sigmoid(item(p, 0)) * tanh(item(p, 2));"
     "[sigmoid(item(p, 3)) * tanh(c), c]"},
    {"aten.rnn_relu.input",
     "recurrent('relu', input, [hx], params, has_biases, num_layers, dropout, train, bidirectional, batch_first)"},
    {"aten.rnn_relu_cell.default", "maximum(affine(input, w_ih, b_ih) + affine(hx, w_hh, b_hh), 0)"},
    {"aten.rnn_tanh.input",
     "recurrent('tanh', input, [hx], params, has_biases, num_layers, dropout, train, bidirectional, batch_first)"},
    {"aten.rnn_tanh_cell.default", "tanh(affine(input, w_ih, b_ih) + affine(hx, w_hh, b_hh))"},
};

}  // namespace

std::span<const Operator> recurrent_operators() {
  return kOperators;
}

}  // namespace ka::graph

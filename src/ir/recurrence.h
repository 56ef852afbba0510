// How the work of recurrent layers that one launch runs is cut into programs, all of which are on the GPU at once with their weights.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/gpu.h"
#include "ir/graph.h"

namespace ka::ir {

struct RecurrenceTiles {
  std::int64_t rows, units;  // of a program: of the batch, and of the layer
  std::int64_t columns;      // of its product: a place for each gate of its units, where there are several 4 for each
};

// Nothing where the weights do not fit: those of the state before and, with several layers, those of the layer below.
std::optional<RecurrenceTiles> recurrence_tiles(const Gpu& gpu, bool gated, std::int64_t batch, std::int64_t units, std::int64_t layers);

// How many layers a `recurrence` computes, and which of its operands belong to one of them.
struct RecurrentLayer {
  ValueId weight = -1, state = -1, cell = -1, hidden_bias = -1;  // -1: it has none
  ValueId input_weight = -1;                                     // of all but the first, whose share of the gates is an operand
  std::vector<ValueId> biases = {};
};
std::int64_t layers_of(const Node& recurrence);
RecurrentLayer layer_of(const Node& recurrence, std::int64_t layer);

}  // namespace ka::ir

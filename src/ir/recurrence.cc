#include "ir/recurrence.h"

namespace ka::ir {
namespace {

constexpr std::int64_t kOtherSharedBytes = 16384;  // of a program, besides weights and states: what passes between its threads

std::int64_t parts(std::int64_t extent, std::int64_t block) { return (extent + block - 1) / block; }

}  // namespace

// The smallest tile of rows that needs no program to do several; the fewest columns only where more do not fit.
std::optional<RecurrenceTiles> recurrence_tiles(const Gpu& gpu, bool gated, std::int64_t batch, std::int64_t units, std::int64_t layers) {
  std::int64_t depth = 16;
  while (depth < units) depth *= 2;
  const std::int64_t operands = layers > 1 ? 2 : 1;
  std::optional<RecurrenceTiles> found;
  for (const std::int64_t block : {gated ? 16 : 32, gated ? 8 : 16}) {
    if (parts(units, block) * layers > gpu.multiprocessors) continue;
    for (const std::int64_t rows : {16, 32, 64}) {
      const RecurrenceTiles tiles{rows, block, gated ? 4 * block : block};
      const std::int64_t shared = 4 * depth * (operands * tiles.columns + rows) + kOtherSharedBytes;  // two float16 numbers for each element
      if (shared > gpu.shared_bytes) continue;
      found = tiles;
      if (parts(batch, rows) * parts(units, block) * layers <= gpu.multiprocessors) return found;
    }
    if (found) return found;
  }
  return found;
}

std::int64_t layers_of(const Node& recurrence) {
  return recurrence.attributes.contains("layers") ? int_attribute(recurrence, "layers").constant().value_or(1) : 1;
}

RecurrentLayer layer_of(const Node& recurrence, std::int64_t layer) {
  const std::string& kind = text_attribute(recurrence, "kind");
  const std::size_t count = recurrence.inputs.size() - 1, layers = static_cast<std::size_t>(layers_of(recurrence));
  const std::size_t biases = layers > 1 ? static_cast<std::size_t>(int_attribute(recurrence, "biases").constant().value_or(0)) : 0;
  // the first layer has neither input weight nor biases
  const std::size_t own = (count - (layers - 1) * (1 + biases)) / layers;
  std::size_t at = 1 + (layer == 0 ? 0 : own + static_cast<std::size_t>(layer - 1) * (own + 1 + biases));
  RecurrentLayer out{recurrence.inputs.at(at), recurrence.inputs.at(at + 1)};
  if (own == 3) (kind == "lstm" ? out.cell : out.hidden_bias) = recurrence.inputs.at(at + 2);
  at += own;
  if (layer == 0) return out;
  out.input_weight = recurrence.inputs.at(at);
  for (std::size_t k = 0; k < biases; ++k) out.biases.push_back(recurrence.inputs.at(at + 1 + k));
  return out;
}

}  // namespace ka::ir

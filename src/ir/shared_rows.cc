#include "ir/shared_rows.h"

#include <algorithm>

namespace ka::ir {
namespace {

constexpr std::int64_t kOneProgram = 16384;     // columns that one program keeps in registers
constexpr std::int64_t kWorthWaiting = 131072;  // columns of a row for which programs wait for each other, where there are rows enough for all of them
constexpr std::int64_t kChunk = 8192;
constexpr int kWarps = 8, kRegisters = 128;     // a quarter of them hold the chunk: four operands, or two and a long expression

}  // namespace

std::optional<SharedRows> shared_rows(const Gpu& gpu, std::int64_t rows, std::int64_t columns) {
  if (!gpu.writes(Form::shared_rows) || !gpu.cuda) return std::nullopt;
  if (columns <= kOneProgram || (columns < kWorthWaiting && rows >= gpu.wanted_programs())) return std::nullopt;
  const std::int64_t threads = 32 * kWarps;
  const std::int64_t each = std::min(gpu.cuda->registers / (threads * kRegisters), gpu.cuda->threads / threads);
  const SharedRows out{kChunk, each * gpu.multiprocessors, kWarps, kRegisters};
  return (columns + kChunk - 1) / kChunk <= out.residents ? std::optional(out) : std::nullopt;
}

bool can_be_shared(const Graph& graph, const Node& reduction) {
  const std::string& kind = text_attribute(reduction, "kind");
  const Type& type = graph.type(reduction.inputs[0]);
  if ((kind != "sum" && kind != "max" && kind != "min") || !is_float(type.dtype) || size_of(type.dtype) > 4) return false;
  const std::vector<Sym>& dims = ints_attribute(reduction, "dims");
  std::int64_t last = static_cast<std::int64_t>(type.shape.size());
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    if (!dim->is(--last)) return false;
  }
  return true;
}

}  // namespace ka::ir

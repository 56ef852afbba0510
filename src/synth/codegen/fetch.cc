// The offset of an element is followed through the views of the operand down to memory. Where it is a sum of multiples of batch, row and column, the
// multiples are the strides of a descriptor: so a transposed weight and one matrix for all batches are blocks of memory too,
// and a window, a padded or an interleaved operand is not. A number that was made a float32 only to be moved, and made what it was, has not changed.
#include "synth/codegen/fetch.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "synth/codegen/operand_index.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Sym;
using ir::ValueId;

constexpr int kHopper = 90;
constexpr std::int64_t kAligned = 8;  // elements of 16 bits in 16 bytes
constexpr std::array<const char*, 3> kAxes = {"@batch", "@row", "@column"};  // no size is called so

struct Place {
  const Buffer* memory = nullptr;
  Sym offset;
};

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

// Nothing where the value is computed in the kernel, or where a part of it lies nowhere.
std::optional<Place> place_of(const ir::Graph& graph, const KernelContext& context, ValueId value, std::vector<Sym> index) {
  const DType dtype = graph.type(value).dtype;
  for (;;) {
    if (const Buffer* memory = context.loadable(value)) return memory->dtype == dtype ? std::optional(Place{memory, ir::linearize(index, memory->shape)}) : std::nullopt;
    const ir::Node* node = graph.maker(value);
    if (node == nullptr) return std::nullopt;
    std::optional<std::vector<Sym>> inner = node->op == "cast" ? std::optional(index) : through_view(graph, value, index);
    if (!inner) return std::nullopt;
    const DType lies = graph.type(node->inputs[0]).dtype;
    if (lies != dtype && lies != DType::float32) return std::nullopt;
    value = node->inputs[0];
    index = std::move(*inner);
  }
}

// What each axis is multiplied by; nothing where the offset is no such sum, or has more in it.
std::optional<std::array<Sym, 3>> strides_of(const Sym& offset) {
  std::array<Sym, 3> out;
  for (const ir::Term& term : offset.terms()) {
    std::size_t axis = kAxes.size();
    Sym factor = term.coefficient;
    for (const ir::AtomRef& atom : term.atoms) {
      if (atom->kind == ir::AtomKind::size) {
        factor = factor * Sym::of(atom);
        continue;
      }
      const auto* const found = std::find(kAxes.begin(), kAxes.end(), atom->name);
      if (atom->kind != ir::AtomKind::index || found == kAxes.end() || axis != kAxes.size()) return std::nullopt;
      axis = static_cast<std::size_t>(found - kAxes.begin());
    }
    if (axis == kAxes.size()) return std::nullopt;
    out[axis] = out[axis] + factor;
  }
  return out;
}

std::vector<Sym> axes_of(const ir::Shape& shape) {
  std::vector<Sym> out;
  for (std::size_t d = 0; d < shape.size(); ++d) out.push_back(shape[d].is(1) ? Sym(0) : Sym::index(kAxes[d], shape[d]));
  return out;
}

// The reason why an operand is no block of memory, or the matrix.
std::string matrix_of(const EmitRequest& request, const KernelContext& context, ValueId value, Matrix& out) {
  const ir::Graph& graph = request.graph;
  if (!is_half(graph.type(value).dtype)) return "an operand has no 16-bit numbers";
  const ir::Shape& shape = graph.shape(value);
  const std::optional<Place> place = place_of(graph, context, value, axes_of(shape));
  if (!place) return "an operand is computed where it is read";
  const std::optional<std::array<Sym, 3>> strides = strides_of(place->offset);
  if (!strides) return "an operand is no block of memory";
  const auto& [batch, row, column] = *strides;
  if ((!row.is(1) && !column.is(1)) || row.is(0) || column.is(0)) return "neither rows nor columns of an operand lie side by side in memory";
  out.memory = place->memory;
  out.transposed = !column.is(1);
  const std::size_t outer = out.transposed ? 2 : 1, inner = 3 - outer;
  const Sym& pitch = (*strides)[outer];
  if (!batch.is(0)) {  // a stride is a multiple of the one before it
    // two sizes that PyTorch wants to be equal need not be one size: values are as many as keys
    const bool apart = ir::is_at_most(shape[outer] * pitch, batch) || given_value(request, shape[outer] * pitch) <= given_value(request, batch);
    if (!ir::modulo(batch, pitch).is(0) || !apart) return "the matrices of a batch are woven into each other";
    out.extents = {shape[0]};
    out.strides = {batch};
  }
  out.extents.insert(out.extents.end(), {shape[outer], shape[inner]});
  out.strides.insert(out.strides.end(), {pitch, Sym(1)});
  const bool aligned = std::all_of(out.strides.begin(), out.strides.end() - 1, [&](const Sym& stride) {
    const std::int64_t elements = given_value(request, stride);
    return elements > 0 && elements % kAligned == 0;
  });
  return aligned ? "" : fmt::format("rows of {} do not begin at multiples of 16 bytes", place->memory->name);
}

}  // namespace

Fetch fetch_of(const EmitRequest& request, const KernelContext& context, const std::vector<ValueId>& operands) {
  Fetch out;
  if (!request.gpu.cuda || request.gpu.cuda->arch < kHopper) out.refusal = "the GPU has no engine that copies blocks";
  for (const ValueId operand : operands) {
    if (!out.refusal.empty()) break;
    out.operands.emplace_back();
    out.refusal = matrix_of(request, context, operand, out.operands.back());
  }
  return out;
}

bool columns_lie_together(const EmitRequest& request, const KernelContext& context, ValueId value) {
  const std::optional<Place> place = place_of(request.graph, context, value, axes_of(request.graph.shape(value)));
  if (!place) return false;
  const auto& terms = place->offset.terms();
  return std::any_of(terms.begin(), terms.end(), [](const ir::Term& term) { return term.coefficient == 1 && term.atoms.size() == 1 && term.atoms[0]->name == kAxes[2]; });
}

Blocks blocks_text(const Matrix& x, const std::string& name, const char* rows, const char* columns) {
  std::vector<std::string> extents, strides, block{fmt::format("{{{}}}", rows), fmt::format("{{{}}}", columns)};
  for (const Sym& extent : x.extents) extents.push_back(extent.text());
  for (const Sym& stride : x.strides) strides.push_back(stride.text());
  if (x.transposed) std::swap(block[0], block[1]);
  if (x.batched()) block.insert(block.begin(), "1");
  return {name, x.memory->name, fmt::format("[{}], [{}], [{}]", fmt::join(extents, ", "), fmt::join(strides, ", "), fmt::join(block, ", "))};
}

std::string fetched_text(const Matrix& x, const std::string& name, const Tile& tile) {
  std::vector<std::string> at{tile.top, tile.side}, shape{tile.rows, tile.columns};
  if (x.transposed) {
    std::swap(at[0], at[1]);
    std::swap(shape[0], shape[1]);
  }
  if (x.batched()) at.insert(at.begin(), tile.plane);
  return fmt::format("{}.load([{}]){}{}", name, fmt::join(at, ", "), x.batched() ? fmt::format(".reshape({})", fmt::join(shape, ", ")) : "", x.transposed ? ".T" : "");
}

}  // namespace ka::codegen

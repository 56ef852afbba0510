// The offset of an element is followed through the views of the operand down to memory. Where it is a sum of multiples of batch, row and column, the
// multiples are the strides of a descriptor: so a transposed weight and one matrix for all batches are blocks of memory too,
// and a window, a padded or an interleaved operand is not. A number that was made a float32 only to be moved, and made what it was, has not changed.
#include "synth/codegen/fetch.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "ir/builder.h"

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
    if (node == nullptr || node->attributes.contains("valid")) return std::nullopt;
    const bool moves = node->op == "reshape" || node->op == "permute" || node->op == "remap";
    const ValueId below = moves || node->op == "cast" ? node->inputs[0] : value;
    const DType lies = graph.type(below).dtype;
    if (below == value || (lies != dtype && lies != DType::float32)) return std::nullopt;
    std::vector<Sym> inner(graph.shape(below).size());
    if (node->op == "cast") {
      inner = index;
    } else if (node->op == "reshape") {
      inner = ir::delinearize(ir::linearize(index, graph.shape(value)), graph.shape(below));
    } else if (node->op == "permute") {
      const std::vector<Sym>& dims = ir::ints_attribute(*node, "dims");
      for (std::size_t d = 0; d < dims.size(); ++d) inner[static_cast<std::size_t>(*dims[d].constant())] = index[d];
    } else {
      std::map<std::string, Sym> places;
      for (std::size_t d = 0; d < index.size(); ++d) places[fmt::format("i{}", d)] = index[d];
      inner.clear();
      for (const Sym& i : ir::ints_attribute(*node, "index")) inner.push_back(ir::substitute(i, places));
    }
    value = below;
    index = std::move(inner);
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

// The reason why an operand is no block of memory, or the matrix.
std::string matrix_of(const EmitRequest& request, const KernelContext& context, ValueId value, Matrix& out) {
  const ir::Graph& graph = request.graph;
  if (!is_half(graph.type(value).dtype)) return "an operand has no 16-bit numbers";
  const ir::Shape& shape = graph.shape(value);
  std::vector<Sym> index;
  for (std::size_t d = 0; d < shape.size(); ++d) index.push_back(shape[d].is(1) ? Sym(0) : Sym::index(kAxes[d], shape[d]));
  const std::optional<Place> place = place_of(graph, context, value, index);
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
    if (!ir::modulo(batch, pitch).is(0) || !ir::is_at_most(shape[outer] * pitch, batch)) return "the matrices of a batch are woven into each other";
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

Fetch fetch_of(const EmitRequest& request, const KernelContext& context) {
  Fetch out;
  const ir::Node& node = request.graph.nodes[static_cast<std::size_t>(request.kernel.nodes[0])];
  if (!request.gpu.cuda || request.gpu.cuda->arch < kHopper) out.refusal = "the GPU has no engine that copies blocks";
  else if (node.attributes.contains("run")) out.refusal = "the operands of a convolution overlap";
  for (const ValueId operand : node.inputs) {
    if (!out.refusal.empty()) break;
    out.operands.emplace_back();
    out.refusal = matrix_of(request, context, operand, out.operands.back());
  }
  return out;
}

}  // namespace ka::codegen

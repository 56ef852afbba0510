#include "synth/codegen/product_store.h"

#include <algorithm>

#include <fmt/format.h>

namespace ka::codegen {
namespace {

using ir::Sym;
using ir::ValueId;

constexpr int kScales = 4;  // products with a factor of a row or a column, which the operands were divided by

// A product may be larger than what is made of it: conditions, as expressions >= 0, that a point of it is used for a value.
std::vector<Sym> what_is_kept(const EmitRequest& request, ValueId value, const std::vector<Sym>& points) {
  std::vector<Sym> out;
  std::set<ValueId> used{value};
  for (auto number = request.kernel.nodes.rbegin(); number != request.kernel.nodes.rend(); ++number) {
    const ir::Node& node = request.graph.nodes[static_cast<std::size_t>(*number)];
    const ValueId made = node.outputs[0];
    if (!used.contains(made)) continue;
    used.insert(node.inputs.begin(), node.inputs.end());
    if (node.op != "remap") continue;
    const std::vector<Sym> index = at_points(request.kernel.index.at(made), points);
    for (std::size_t d = 0; d < index.size(); ++d) {
      const Sym room = request.graph.shape(made)[d] - 1 - index[d];
      if (!ir::is_nonnegative(room)) out.push_back(room);
    }
  }
  return out;
}

bool varies(const Operand& x, const std::set<std::string>& axis) {
  return std::any_of(axis.begin(), axis.end(), [&](const std::string& name) { return x.over.contains(name); });
}

}  // namespace

int epilogue_length(const EmitRequest& request) {
  int out = 0;
  for (const int number : request.kernel.nodes) {
    const std::string& op = request.graph.nodes[static_cast<std::size_t>(number)].op;
    out += op != "matmul" && op != "reshape" && op != "permute" && op != "cast";
  }
  const ir::Node& product = request.graph.nodes[static_cast<std::size_t>(request.kernel.nodes[0])];
  return product.attributes.contains("grade") ? out - kScales : out;
}

void store_products(const EmitRequest& request, Body& values, const std::vector<Sym>& points, const std::vector<std::set<std::string>>& axes,
                    const std::string& mask, const std::string& shape) {
  for (const ValueId output : request.kernel.outputs) {
    const std::vector<Sym> index = at_points(request.kernel.index.at(output), points);
    const std::vector<Sym> inside = what_is_kept(request, output, points);
    Operand x = values.named(values.value(output, index, inside), request.graph.type(output).dtype);
    std::set<std::string> all;
    for (const std::set<std::string>& axis : axes) all.insert(axis.begin(), axis.end());
    const bool whole = std::all_of(axes.begin(), axes.end(), [&](const std::set<std::string>& axis) { return varies(x, axis); });
    if (!whole) x = values.emit("x", fmt::format("tl.broadcast_to({}, {})", x.text, shape), all);
    values.store_tile(output, x, index, inside.empty() ? mask : mask + " & " + values.mask_of(inside));
  }
}

}  // namespace ka::codegen

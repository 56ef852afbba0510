#include "synth/codegen/layout.h"

#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "ir/primitives.h"

namespace ka::codegen {
namespace {

using ir::Node;
using ir::Sym;
using ir::ValueId;

class Walk {
 public:
  explicit Walk(const KernelContext& context) : context_(context), graph_(*context.graph) {}

  void visit(ValueId value, const std::vector<Sym>& index) {
    std::string key = fmt::format("{}", value);
    for (const Sym& i : index) key += "," + i.text();
    if (!seen_.insert(key).second) return;
    if (const Buffer* buffer = context_.loadable(value)) {
      offsets.push_back(ir::linearize(index, buffer->shape));
      return;
    }
    const Node* node = graph_.maker(value);
    if (node == nullptr || node->inputs.empty()) return;
    if (node->op == "reshape") {
      visit(node->inputs[0], ir::delinearize(ir::linearize(index, graph_.shape(value)), graph_.shape(node->inputs[0])));
    } else if (node->op == "permute") {
      std::vector<Sym> inner(index.size());
      const std::vector<Sym>& dims = ir::ints_attribute(*node, "dims");
      for (std::size_t d = 0; d < dims.size(); ++d) inner[static_cast<std::size_t>(*dims[d].constant())] = index[d];
      visit(node->inputs[0], inner);
    } else if (node->op == "remap") {
      std::map<std::string, Sym> places;
      for (std::size_t d = 0; d < index.size(); ++d) places[fmt::format("i{}", d)] = index[d];
      std::vector<Sym> inner;
      for (const Sym& i : ir::ints_attribute(*node, "index")) inner.push_back(ir::substitute(i, places));
      visit(node->inputs[0], inner);
    } else if (ir::find_primitive(node->op)->fusion == ir::Fusion::elementwise) {
      for (const ValueId input : node->inputs) visit(input, broadcast_index(index, graph_.shape(input)));
    }
  }

  std::vector<Sym> offsets;

 private:
  static std::vector<Sym> broadcast_index(const std::vector<Sym>& index, const ir::Shape& shape) {
    std::vector<Sym> inner(index.end() - static_cast<std::ptrdiff_t>(shape.size()), index.end());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d].is(1)) inner[d] = 0;
    }
    return inner;
  }

  const KernelContext& context_;
  const ir::Graph& graph_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<Sym> load_offsets(const KernelContext& context, ValueId value, const std::vector<Sym>& index) {
  Walk walk(context);
  walk.visit(value, index);
  return std::move(walk.offsets);
}

Contiguous contiguous_axis(const std::vector<Sym>& offsets, const std::string& one, const std::string& other,
                           const std::map<std::string, std::int64_t>& sizes) {
  const auto stride = [&](const Sym& offset, const std::string& axis) -> std::int64_t {
    std::map<std::string, std::int64_t> here = sizes;
    for (const ir::AtomRef& atom : ir::symbols(offset)) {
      if (atom->kind == ir::AtomKind::index) here[atom->name] = 0;
    }
    const std::optional<std::int64_t> first = ir::evaluate(offset, here);
    here[axis] = 1;
    const std::optional<std::int64_t> second = ir::evaluate(offset, here);
    return first && second ? std::abs(*second - *first) : 0;
  };
  int along_one = 0, along_other = 0;
  for (const Sym& offset : offsets) {
    const std::int64_t a = stride(offset, one), b = stride(offset, other);
    along_one += a == 1 && b != 1 && b != 0;
    along_other += b == 1 && a != 1 && a != 0;
  }
  if (along_one == 0 && along_other == 0) return Contiguous::neither;
  return along_one >= along_other ? Contiguous::along_one : Contiguous::along_other;
}

}  // namespace ka::codegen

#include "ir/plan.h"

#include <fmt/format.h>

#include "ir/builder.h"

namespace ka::ir {

const char* to_string(KernelKind kind) {
  switch (kind) {
    case KernelKind::pointwise: return "pointwise";
    case KernelKind::row: return "row";
    case KernelKind::matmul: return "matmul";
    case KernelKind::attention: return "attention";
    case KernelKind::scan: return "scan";
    case KernelKind::recurrence: return "recurrence";
    case KernelKind::order: return "order";
    case KernelKind::opaque: return "opaque";
  }
  return "?";
}

std::vector<Sym> points(const Shape& domain) {
  std::vector<Sym> out;
  for (std::size_t d = 0; d < domain.size(); ++d) out.push_back(Sym::index(fmt::format("p{}", d), domain[d]));
  return out;
}

std::vector<Sym> moved_index(const Graph& graph, const Node& node, const std::vector<Sym>& index) {
  if (node.op == "reshape") return delinearize(linearize(index, graph.shape(node.inputs[0])), graph.shape(node.outputs[0]));
  std::vector<Sym> out;
  for (const Sym& d : ints_attribute(node, "dims")) out.push_back(index[static_cast<std::size_t>(*d.constant())]);
  return out;
}

bool is_crop(const Graph& graph, const Node& remap) {
  const Shape& shape = graph.shape(remap.outputs[0]);
  return !remap.attributes.contains("valid") && graph.shape(remap.inputs[0]).size() == shape.size() && ints_attribute(remap, "index") == index_symbols(shape);
}

std::string contraction_precision(const std::string& tier, const Node& contraction) {
  if (tier == "tf32" || tier == "half") return "tf32";
  return tier != "fp32" && contraction.origin.find("conv") != std::string::npos ? "tf32" : "ieee";
}

std::string to_text(const Plan& plan, const Graph& graph) {
  std::string out;
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    const PlannedKernel& kernel = plan.kernels[k];
    std::string ops, results;
    for (const int node : kernel.nodes) ops += (ops.empty() ? "" : ", ") + graph.nodes[static_cast<std::size_t>(node)].op;
    for (const ValueId output : kernel.outputs) results += fmt::format("{}%{}", results.empty() ? "" : ", ", output);
    out += fmt::format("kernel {}: {} [{}] -> {}\n", k, to_string(kernel.kind), ops, results);
  }
  return out;
}

}  // namespace ka::ir

#include "ir/plan.h"

#include <fmt/format.h>

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

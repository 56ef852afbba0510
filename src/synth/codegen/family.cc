#include "synth/codegen/family.h"

#include <fmt/format.h>

namespace ka::codegen {

KernelContext context_of(const EmitRequest& request) {
  KernelContext context;
  context.graph = &request.graph;
  context.buffers = &request.buffers;
  context.owned = request.kernel.computed;
  for (const auto& [value, index] : request.kernel.index) context.owned.insert(value);
  return context;
}

std::vector<ir::Sym> at_points(const std::vector<ir::Sym>& index, const std::vector<ir::Sym>& points) {
  std::map<std::string, ir::Sym> places;
  for (std::size_t d = 0; d < points.size(); ++d) places[fmt::format("p{}", d)] = points[d];
  std::vector<ir::Sym> out;
  for (const ir::Sym& i : index) out.push_back(ir::substitute(i, places));
  return out;
}

std::int64_t given_value(const EmitRequest& request, const ir::Sym& sym) {
  return ir::evaluate(sym, request.given).value_or(1);
}

std::string function_text(const EmittedKernel& kernel, const std::string& body) {
  std::string parameters;
  const auto add = [&](const std::string& text) { parameters += (parameters.empty() ? "" : ", ") + text; };
  for (const std::string& pointer : kernel.pointers) add(pointer + "_ptr");
  for (const std::string& size : kernel.sizes) add(size);
  for (const auto& [name, value] : kernel.constants) add(name + ": tl.constexpr");
  return fmt::format("@triton.jit\ndef {}({}):\n{}", kernel.name, parameters, body);
}

void finish(EmittedKernel& out, KernelContext& context, const Source& body) {
  out.pointers = context.pointers;
  out.sizes = context.sizes;
  out.uses_libdevice = context.uses_libdevice;
  out.text = function_text(out, body.text());
}

}  // namespace ka::codegen

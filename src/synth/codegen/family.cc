#include "synth/codegen/family.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

namespace ka::codegen {

EmittedKernel emit(const EmitRequest& request) {
  switch (request.kernel.kind) {
    case ir::KernelKind::pointwise: return emit_pointwise(request);
    case ir::KernelKind::row: return emit_row(request);
    case ir::KernelKind::matmul: return emit_matmul(request);
    case ir::KernelKind::attention: return emit_attention(request);
    case ir::KernelKind::scan: return emit_scan(request);
    case ir::KernelKind::recurrence: return emit_recurrence(request);
    case ir::KernelKind::order: return emit_order(request);
    case ir::KernelKind::opaque: break;
  }
  KA_CHECK(false);
  return {};
}

KernelContext context_of(const EmitRequest& request) {
  KernelContext context;
  context.graph = &request.graph;
  context.buffers = &request.buffers;
  context.owned = request.kernel.computed;
  for (const auto& [value, index] : request.kernel.index) context.owned.insert(value);
  context.sums = request.sums;
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

namespace {

bool has_word(const std::string& text, const std::string& word) {
  const auto part = [&](std::size_t at) { return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_'); };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (!part(at - 1) && !part(at + word.size())) return true;
  }
  return false;
}

// Each size fits into 32 bits, their products may not.
std::string wide_sizes(const EmittedKernel& kernel) {
  const bool knows = std::any_of(kernel.constants.begin(), kernel.constants.end(), [](const auto& one) { return one.first == "WIDE"; });
  std::string names, wide;
  for (const std::string& size : kernel.sizes) {
    if (kernel.fixed_sizes.contains(size)) continue;
    const char* const comma = names.empty() ? "" : ", ";
    names += comma + size;
    wide += fmt::format("{}tl.cast({}, tl.int64)", comma, size);
  }
  return !knows || names.empty() ? "" : fmt::format("    if WIDE:\n        {} = {}\n", names, wide);
}

}  // namespace

std::string function_text(const EmittedKernel& kernel, const std::string& body) {
  std::string parameters;
  const auto add = [&](const std::string& text) { parameters += (parameters.empty() ? "" : ", ") + text; };
  for (const std::string& role : kernel.roles) add(role + "_ptr");
  if (!kernel.loop.empty()) add(kernel.loop);
  for (const std::string& size : kernel.sizes) add(kernel.fixed_sizes.contains(size) ? size + ": tl.constexpr" : size);
  for (const Blocks& blocks : kernel.blocks) add(blocks.name);
  for (const auto& [name, value] : kernel.constants) add(name + ": tl.constexpr");
  // the first steps must not become programs of their own
  const std::string decorator = kernel.loop.empty() ? "@triton.jit" : fmt::format("@triton.jit(do_not_specialize=[\"{}\"])", kernel.loop);
  return fmt::format("{}\ndef {}({}):\n{}{}", decorator, kernel.name, parameters, wide_sizes(kernel), body);
}

std::string wide_text(const ir::Sym& largest) {
  if (const std::optional<std::int64_t> count = largest.constant()) return *count >= (std::int64_t{1} << 31) ? "True" : "False";
  return fmt::format("{} >= 2**31", largest.text());
}

void finish(EmittedKernel& out, KernelContext& context, const Source& body) {
  out.pointers = context.pointers;
  out.roles = context.roles;
  out.sizes.clear();
  std::copy_if(context.sizes.begin(), context.sizes.end(), std::back_inserter(out.sizes), [&](const std::string& size) { return has_word(body.text(), size); });
  out.uses_libdevice = context.uses_libdevice;
  out.text = function_text(out, body.text());
}

}  // namespace ka::codegen

// One element of the result per lane: a flat tile over the row-major order of the output.
//
//   |<---- BLOCK ---->|<---- BLOCK ---->|<-- ...      program p computes elements p*BLOCK .. (p+1)*BLOCK - 1
#include <algorithm>

#include <fmt/format.h>

#include "synth/codegen/family.h"

namespace ka::codegen {
namespace {

constexpr int kBlock = 1024;

}  // namespace

EmittedKernel emit_pointwise(const EmitRequest& request) {
  EmittedKernel out;
  out.name = request.name;
  Source body;
  KernelContext context = context_of(request);
  Body values(context, body);
  body.indent();
  const ir::Sym count = ir::product(request.kernel.domain);
  for (const char* name : {"i", "i_ok", "BLOCK", "WIDE"}) body.reserve(name);
  body.line("i = tl.program_id(0)");
  body.line("if WIDE:");
  body.line("    i = i.to(tl.int64)");
  body.line("i = i * BLOCK + tl.arange(0, BLOCK)");
  body.line(fmt::format("i_ok = i < {}", values.text(count)));
  values.variable("i", "i_ok");
  const ir::Sym i = ir::Sym::index("i", count);
  const std::vector<ir::Sym> points = count.is(1) ? std::vector<ir::Sym>(request.kernel.domain.size(), ir::Sym(0))
                                                  : ir::delinearize(i, request.kernel.domain);
  for (const ir::ValueId output : request.kernel.outputs) {
    const std::vector<ir::Sym> index = at_points(request.kernel.index.at(output), points);
    values.store(output, values.value(output, index), index);
  }
  out.constants = {{"BLOCK", fmt::format("{}", kBlock)}, {"WIDE", wide_text(count)}};
  out.grid = fmt::format("(triton.cdiv({}, {}),)", count.text(), kBlock);
  out.num_warps = 4;
  finish(out, context, body);
  return out;
}

}  // namespace ka::codegen

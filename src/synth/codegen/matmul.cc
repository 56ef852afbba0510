// [b, m, k] x [b, k, n]: tiles of BM x BN, a loop over k in steps of BK, the epilogue on the finished tile.
//
//                 n ->
//        B  k  [ . . # . ]
//   m  A       [ . . # . ]      program (tile, b) computes tile #; tiles of GROUP rows of tiles run together,
//   |  [ = = ] [ . . # . ]      so that what they read stays in the cache
//
// Operands are read through whatever views lie before them, so a convolution is this kernel too: its rows are places of the
// image, its k are the taps of the filter.
#include <algorithm>

#include <fmt/format.h>

#include "synth/codegen/family.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Sym;
using ir::ValueId;

struct Tiles {
  int m = 64, n = 64, k = 32, warps = 4, stages = 3;
};

std::int64_t covering(std::int64_t extent, std::int64_t low, std::int64_t high) {
  std::int64_t out = low;
  while (out < extent && out < high) out *= 2;
  return out;
}

Tiles tiles_for(std::int64_t m, std::int64_t n, std::int64_t k, bool half) {
  Tiles out;
  out.m = static_cast<int>(covering(m, 16, 128));
  out.n = static_cast<int>(covering(n, 16, 128));
  out.k = static_cast<int>(covering(k, 16, half ? 64 : 32));
  if (out.m * out.n >= 128 * 128) out.warps = 8;
  return out;
}

}  // namespace

EmittedKernel emit_matmul(const EmitRequest& request) {
  const ir::Graph& graph = request.graph;
  const ir::Node& node = graph.nodes[static_cast<std::size_t>(request.kernel.nodes[0])];
  const ValueId a = node.inputs[0], b = node.inputs[1], product = node.outputs[0];
  const Sym batch = graph.shape(a)[0], rows = graph.shape(a)[1], depth = graph.shape(a)[2], columns = graph.shape(b)[2];
  const bool half = graph.type(a).dtype != DType::float32;
  const Tiles tiles = tiles_for(given_value(request, rows), given_value(request, columns), given_value(request, depth), half);

  EmittedKernel out;
  out.name = request.name;
  KernelContext context = context_of(request);
  Source body;
  Body values(context, body);
  for (const char* name : {"m", "n", "k", "ka", "kb", "m_ok", "n_ok", "ka_ok", "kb_ok", "b", "tile", "acc", "BM", "BN", "BK", "GROUP", "WIDE",
                           "PRECISION", "across", "group", "first", "tall", "down"})
    body.reserve(name);
  body.indent();
  body.line("tile = tl.program_id(0)");
  body.line("b = tl.program_id(1)");
  body.line("if WIDE:");
  body.line("    b = b.to(tl.int64)");
  body.line(fmt::format("down = tl.cdiv({}, BM)", values.text(rows)));
  body.line(fmt::format("across = tl.cdiv({}, BN)", values.text(columns)));
  body.line("group = tile // (GROUP * across)");
  body.line("first = group * GROUP");
  body.line("tall = tl.minimum(down - first, GROUP)");
  body.line("m = first + (tile % (GROUP * across)) % tall");
  body.line("n = (tile % (GROUP * across)) // tall");
  body.line("if WIDE:");
  body.line("    m = m.to(tl.int64)");
  body.line("m = m * BM + tl.arange(0, BM)[:, None]");
  body.line("n = n * BN + tl.arange(0, BN)[None, :]");
  body.line(fmt::format("m_ok = m < {}", values.text(rows)));
  body.line(fmt::format("n_ok = n < {}", values.text(columns)));
  body.line("acc = tl.zeros((BM, BN), tl.float32)");
  values.variable("m", "m_ok");
  values.variable("n", "n_ok");
  values.variable("b", "");
  const Sym im = Sym::index("m", rows), in = Sym::index("n", columns), ib = Sym::index("b", batch);
  body.line(fmt::format("for k in range(0, {}, BK):", values.text(depth)));
  body.indent();
  body.line("ka = k + tl.arange(0, BK)[None, :]");
  body.line("kb = k + tl.arange(0, BK)[:, None]");
  body.line(fmt::format("ka_ok = ka < {}", values.text(depth)));
  body.line(fmt::format("kb_ok = kb < {}", values.text(depth)));
  Body inner = values;
  inner.variable("ka", "ka_ok");
  inner.variable("kb", "kb_ok");
  const auto tile_of = [&](ValueId operand, const std::vector<Sym>& index, const std::set<std::string>& axes, const char* shape) {
    Operand x = inner.named(inner.raw(operand, index), graph.type(operand).dtype);
    const bool complete = std::all_of(axes.begin(), axes.end(), [&](const std::string& axis) { return x.over.contains(axis); });
    if (complete) return x.text;
    // an operand that does not vary along an axis still has to be a whole tile, with nothing outside
    std::string mask;
    for (const std::string& axis : axes) mask += (mask.empty() ? "" : " & ") + axis + "_ok";
    return inner.emit("whole", fmt::format("tl.where({}, tl.broadcast_to({}, {}), 0.0)", mask, x.text, shape), axes).text;
  };
  const std::string left = tile_of(a, {ib, im, depth.is(1) ? Sym(0) : Sym::index("ka", depth)}, {"m", "ka"}, "(BM, BK)");
  const std::string right = tile_of(b, {ib, depth.is(1) ? Sym(0) : Sym::index("kb", depth), in}, {"kb", "n"}, "(BK, BN)");
  body.line(fmt::format("acc = tl.dot({}, {}, acc{})", left, right, half ? "" : ", input_precision=PRECISION"));
  body.dedent();
  values.bind(product, {"acc", {"m", "n"}, false});
  const std::vector<Sym> points{ib, im, in};
  for (const ValueId output : request.kernel.outputs) {
    const std::vector<Sym> index = at_points(request.kernel.index.at(output), points);
    Operand x = values.named(values.value(output, index), graph.type(output).dtype);
    if (!x.over.contains("m") || !x.over.contains("n")) x = values.emit("x", fmt::format("tl.broadcast_to({}, (BM, BN))", x.text), {"m", "n"});
    values.store_tile(output, x, index, "m_ok & n_ok");
  }
  out.constants = {{"BM", fmt::format("{}", tiles.m)}, {"BN", fmt::format("{}", tiles.n)}, {"BK", fmt::format("{}", tiles.k)}, {"GROUP", "8"}};
  if (!half) out.constants.emplace_back("PRECISION", fmt::format("\"{}\"", request.precision));
  const Sym largest = batch * rows * columns + batch * rows * depth + batch * columns * depth;
  out.constants.emplace_back("WIDE", fmt::format("{} >= 2**31", largest.text()));
  out.grid = fmt::format("(triton.cdiv({}, {}) * triton.cdiv({}, {}), {})", rows.text(), tiles.m, columns.text(), tiles.n, batch.text());
  out.num_warps = tiles.warps;
  out.num_stages = tiles.stages;
  finish(out, context, body);
  return out;
}

}  // namespace ka::codegen

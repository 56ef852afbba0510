// A running sum, product or the like along one dimension: a program walks its rows from the first column to the last, BLOCK
// at a time, and carries what it has so far.
#include <algorithm>

#include <fmt/format.h>

#include "synth/codegen/family.h"

namespace ka::codegen {
namespace {

using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kMostColumns = 1024;
constexpr std::int64_t kTileElements = 2048;

struct Kind {
  const char* name;
  const char* identity;
  const char* combine;  // a function of the file's prelude
  const char* text;     // of two tiles
};

constexpr Kind kKinds[] = {
    {"sum", "0", "plus", "{0} + {1}"},
    {"prod", "1", "product", "{0} * {1}"},
    {"max", "lowest", "largest", "largest({0}, {1})"},
    {"min", "highest", "smallest", "smallest({0}, {1})"},
    {"logsumexp", "lowest", "log_plus", "log_plus({0}, {1})"},
};

}  // namespace

EmittedKernel emit_scan(const EmitRequest& request) {
  const ir::Graph& graph = request.graph;
  const ir::Node& node = graph.nodes[static_cast<std::size_t>(request.kernel.nodes[0])];
  const std::size_t dim = static_cast<std::size_t>(*ir::int_attribute(node, "dim").constant());
  const bool reverse = ir::bool_attribute(node, "reverse");
  const Kind& kind = *std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const Kind& k) { return ir::text_attribute(node, "kind") == k.name; });
  const ir::Shape& domain = request.kernel.domain;
  ir::Shape row_extents = domain;
  row_extents.erase(row_extents.begin() + static_cast<std::ptrdiff_t>(dim));
  const Sym rows = ir::product(row_extents), columns = domain[dim];
  const bool real = ir::is_float(graph.type(node.outputs[0]).dtype);
  const std::string neutral = std::string(kind.identity) == "lowest"    ? (real ? "float(\"-inf\")" : "-2**31")
                              : std::string(kind.identity) == "highest" ? (real ? "float(\"inf\")" : "2**31 - 1")
                                                                        : kind.identity + std::string(real ? ".0" : "");
  EmittedKernel out;
  out.name = request.name;
  KernelContext context = context_of(request);
  Source body;
  Body values(context, body);
  for (const char* name : {"row", "row_ok", "col", "col_ok", "step", "step_ok", "start", "carry", "ROWS", "BLOCK", "WIDE"}) body.reserve(name);
  body.indent();
  body.line("row = tl.program_id(0)");
  body.line("if WIDE:");
  body.line("    row = row.to(tl.int64)");
  body.line("row = row * ROWS + tl.arange(0, ROWS)[:, None]");
  body.line(fmt::format("row_ok = row < {}", values.text(rows)));
  values.variable("row", "row_ok");
  const std::string type = compute_type(graph.type(node.outputs[0]).dtype);
  body.line(fmt::format("carry = tl.full((ROWS, 1), {}, {})", neutral, type));
  body.line(fmt::format("for start in range(0, {}, BLOCK):", values.text(columns)));
  body.indent();
  body.line("step = start + tl.arange(0, BLOCK)[None, :]");
  body.line(fmt::format("col_ok = step < {}", values.text(columns)));
  body.line(reverse ? fmt::format("col = {} - 1 - step", values.text(columns)) : std::string("col = step"));
  Body inner = values;
  inner.variable("col", "col_ok");
  std::vector<Sym> points = ir::delinearize(Sym::index("row", rows), row_extents);
  points.insert(points.begin() + static_cast<std::ptrdiff_t>(dim), columns.is(1) ? Sym(0) : Sym::index("col", columns));
  const Operand x = inner.named(inner.value(node.inputs[0], points), graph.type(node.inputs[0]).dtype);
  const Operand masked = inner.emit("x", fmt::format("tl.where(col_ok, tl.broadcast_to({}, (ROWS, BLOCK)).to({}), {})", x.text, type, neutral), {"row", "col"});
  const Operand local = inner.emit("so_far", fmt::format("tl.associative_scan({}, 1, {})", masked.text, kind.combine), {"row", "col"});
  const Operand total = inner.emit("so_far", fmt::format(fmt::runtime(kind.text), "carry", local.text), {"row", "col"});
  inner.store_tile(node.outputs[0], total, points, "row_ok & col_ok");
  body.line(fmt::format("carry = tl.sum(tl.where(step == start + BLOCK - 1, {}, 0), axis=1)[:, None]", total.text));
  body.dedent();
  const std::int64_t given = given_value(request, columns);
  std::int64_t block = 16;
  while (block < given && block < kMostColumns) block *= 2;
  std::int64_t tile_rows = 1;
  while (tile_rows * 2 * block <= kTileElements && tile_rows < given_value(request, rows)) tile_rows *= 2;
  out.constants = {{"ROWS", fmt::format("{}", tile_rows)}, {"BLOCK", fmt::format("{}", block)}, {"WIDE", wide_text(rows * columns)}};
  out.grid = fmt::format("(triton.cdiv({}, {}),)", rows.text(), tile_rows);
  out.programs = given_value(request, ir::ceil_div(rows, tile_rows));
  finish(out, context, body);
  return out;
}

}  // namespace ka::codegen

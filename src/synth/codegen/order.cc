// The places of the first `count` elements of each row, in ascending or descending order, equal ones from left to right and
// NaN as the largest.
//
// selected: few of them. A key holds value and column, so that keys are different and the next one is the smallest that is
//           larger than the one before:    key = [ value as an ordered integer : 32 | column : 32 ]
// ranked:   many of them, or values of 64 bits. An element's place is the number of elements before it; a program counts
//           for BLOCK columns of a row, so long rows have many programs.
#include <algorithm>

#include <fmt/format.h>

#include "synth/codegen/family.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kMostSelected = 64;
constexpr std::int64_t kWholeLimit = 16384;  // columns whose keys stay in registers
constexpr std::int64_t kLoopBlock = 4096;
constexpr const char* kLastKey = "0x7FFFFFFFFFFFFFFF";

class OrderEmitter {
 public:
  explicit OrderEmitter(const EmitRequest& request)
      : request_(request), graph_(request.graph), node_(graph_.nodes[static_cast<std::size_t>(request.kernel.nodes[0])]), x_(node_.inputs[0]),
        places_(node_.outputs[0]), descending_(ir::bool_attribute(node_, "descending")), context_(context_of(request)), values_(context_, body_) {
    row_extents_ = graph_.shape(x_);
    columns_ = row_extents_.back();
    row_extents_.pop_back();
    rows_ = ir::product(row_extents_);
    count_ = graph_.shape(places_).back();
  }

  EmittedKernel run() {
    for (const char* name : {"row", "col", "col_ok", "other", "other_ok", "start", "rank", "p", "key", "best", "last", "next_key", "BLOCK"}) body_.reserve(name);
    body_.indent();
    body_.line("row = tl.program_id(0).to(tl.int64)");
    values_.variable("row", "");
    const bool fits_key = size_of(dtype()) <= 4;
    if (fits_key && given_value(request_, count_) <= kMostSelected) selected();
    else ranked();
    out_.name = request_.name;
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  DType dtype() const { return graph_.type(x_).dtype; }

  std::vector<Sym> point(const std::string& column, const Sym& extent) const {
    std::vector<Sym> out = ir::delinearize(rows_.is(1) ? Sym(0) : Sym::index("row", rows_), row_extents_);
    out.push_back(extent.is(1) ? Sym(0) : Sym::index(column, extent));
    return out;
  }

  // A tile of BLOCK columns, named and masked.
  void columns(const std::string& name, const std::string& begin, const char* axis) {
    body_.line(fmt::format("{} = {}tl.arange(0, BLOCK){}", name, begin, axis));
    body_.line(fmt::format("{0}_ok = {0} < {1}", name, values_.text(columns_)));
  }

  std::string tile(Body& values, const std::string& column, const char* shape) {
    const Operand x = values.named(values.value(x_, point(column, columns_)), dtype());
    return x.over.contains(column) ? x.text : values.emit("x", fmt::format("tl.broadcast_to({}, {})", x.text, shape), {column}).text;
  }

  void key(Body& values) {
    std::string x = tile(values, "col", "(BLOCK,)");
    if (ir::is_float(dtype())) {  // the bits of a float are ordered once those of negative numbers are turned round
      x = values.emit("x", fmt::format("tl.where({0} == 0.0, 0.0, {0})", x), {"col"}).text;
      const std::string bits = values.emit("bits", fmt::format("{}.to(tl.int32, bitcast=True)", x), {"col"}).text;
      const std::string ordered = values.emit("bits", fmt::format("{0} ^ (({0} >> 31) & 0x7FFFFFFF)", bits), {"col"}).text;
      x = values.emit("bits", fmt::format("tl.where({0} == {0}, {1}, 0x7FFFFFFF)", x, ordered), {"col"}).text;
    } else {
      x = values.emit("bits", fmt::format("{}.to(tl.int32)", x), {"col"}).text;
    }
    const std::string high = descending_ ? fmt::format("(~{}).to(tl.int64)", x) : fmt::format("{}.to(tl.int64)", x);
    body_.line(fmt::format("key = tl.where(col_ok, ({} << 32) | col, {})", high, kLastKey));
  }

  void selected() {
    const std::int64_t given = given_value(request_, columns_);
    const bool whole = given <= kWholeLimit;
    if (whole) {
      columns("col", "", "");
      values_.variable("col", "col_ok");
      key(values_);
    }
    body_.line("next_key = tl.full((), -0x8000000000000000, tl.int64)");
    body_.line(fmt::format("for p in range({}):", values_.text(count_)));
    body_.indent();
    if (whole) {
      body_.line(fmt::format("last = tl.min(tl.where(key >= next_key, key, {}), axis=0)", kLastKey));
    } else {
      body_.line(fmt::format("best = tl.full((BLOCK,), {}, tl.int64)", kLastKey));
      body_.line(fmt::format("for start in range(0, {}, BLOCK):", values_.text(columns_)));
      body_.indent();
      Body inner = values_;
      columns("col", "start + ", "");
      inner.variable("col", "col_ok");
      key(inner);
      body_.line("best = tl.minimum(best, tl.where(key >= next_key, key, best))");
      body_.dedent();
      body_.line("last = tl.min(best, axis=0)");
    }
    const std::string role = context_.use_pointer(request_.buffers.at(places_), true);
    values_.variable("p", "");
    body_.line(fmt::format("tl.store({}_ptr + {}, last & 0xFFFFFFFF)", role, values_.text(place("p"))));
    body_.line("next_key = last + 1");
    body_.dedent();
    out_.constants = {{"BLOCK", whole ? fmt::format("triton.next_power_of_2({})", columns_.text()) : fmt::format("{}", kLoopBlock)}};
    out_.grid = fmt::format("({},)", rows_.text());
    out_.num_warps = given >= 4096 ? 8 : 4;
  }

  Sym place(const std::string& last) const { return ir::linearize(point(last, count_), graph_.shape(places_)); }

  void ranked() {
    body_.line("start = tl.program_id(1) * BLOCK");
    columns("col", "start + ", "[:, None]");
    values_.variable("col", "col_ok");
    const std::string x = tile(values_, "col", "(BLOCK, 1)");
    body_.line("rank = tl.zeros((BLOCK, 1), tl.int32)");
    body_.line(fmt::format("for start in range(0, {}, BLOCK):", values_.text(columns_)));
    body_.indent();
    columns("other", "start + ", "[None, :]");
    Body inner = values_;
    inner.variable("other", "other_ok");
    const std::string y = tile(inner, "other", "(1, BLOCK)");
    std::string before = fmt::format("({} {} {})", y, descending_ ? ">" : "<", x), same = fmt::format("({} == {})", y, x);
    if (ir::is_float(dtype())) {
      before += descending_ ? fmt::format(" | (({0} != {0}) & ({1} == {1}))", y, x) : fmt::format(" | (({0} == {0}) & ({1} != {1}))", y, x);
      same = fmt::format("({2} | (({0} != {0}) & ({1} != {1})))", y, x, same);
    }
    const std::string earlier = inner.emit("before", fmt::format("{} | ({} & (other < col))", before, same), {"col", "other"}).text;
    body_.line(fmt::format("rank += tl.sum(({} & other_ok).to(tl.int32), axis=1)[:, None]", earlier));
    body_.dedent();
    const std::string role = context_.use_pointer(request_.buffers.at(places_), true);
    body_.line(fmt::format("tl.store({}_ptr + {}, col.to(tl.int64), mask=col_ok & (rank < {}))", role,
                           count_.is(1) ? fmt::format("{} + rank", values_.text(place("rank"))) : values_.text(place("rank")), values_.text(count_)));
    out_.constants = {{"BLOCK", "64"}};
    out_.grid = fmt::format("({}, triton.cdiv({}, 64))", rows_.text(), columns_.text());
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::Node& node_;
  ValueId x_, places_;
  bool descending_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
  ir::Shape row_extents_;
  Sym rows_, columns_, count_;
};

}  // namespace

EmittedKernel emit_order(const EmitRequest& request) {
  return OrderEmitter(request).run();
}

}  // namespace ka::codegen

// Rows and their reductions: softmax, norms, losses, pools, sums. Rows are the points that are not reduced, columns those that
// are, both in row-major order. A program holds ROWS rows.
//
//            columns ->
//   rows  [ x x x x | x x x x | x x . . ]     whole:    BLOCK covers a row; everything stays in registers
//         [ x x x x | x x x x | x x . . ]     looped:   BLOCK columns at a time, one pass per stage of reductions
//                                             unrolled: few columns (a pooling window), one at a time
//
// A reduction is in stage 1 when its operand needs no other reduction, in stage 2 when it needs one of stage 1, and so on.
// Values between stages are computed anew in each pass; they are cheap, and memory is not. In a loop, sums of exponentials and of squared distances
// are in the stage of the maximum and of the mean that they are measured from (online.h): a softmax is two passes, not three.
#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "ir/primitives.h"
#include "synth/codegen/family.h"
#include "synth/codegen/layout.h"
#include "synth/codegen/online.h"
#include "synth/codegen/row_domain.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Node;
using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kWholeLimit = 16384;    // columns of a row that stays in registers
constexpr std::int64_t kWidestLimit = 32768;   // of one that leaves its program few registers for anything else
constexpr double kWidestOperands = 2, kWidestFlops = 10;  // for each element: what such a program has registers for
constexpr std::int64_t kAligned = 16;          // elements
constexpr std::int64_t kUnrolledLimit = 64;    // columns of a window that is unrolled
constexpr std::int64_t kTileElements = 4096;   // rows * columns of a tile
constexpr std::int64_t kLoopBlock = 2048;      // one row at a time: more in flight needs more registers than it hides time
constexpr std::int64_t kNeighbourRows = 64;    // rows of a tile that lie side by side in memory
constexpr std::int64_t kNeighbourElements = 16384;  // of such a tile that stays in registers
constexpr std::int64_t kUnrolledElements = 4096;    // rows * columns of windows

enum class Shape { whole, looped, unrolled };

class RowEmitter {
 public:
  explicit RowEmitter(const EmitRequest& request)
      : request_(request), graph_(request.graph), kernel_(request.kernel), domain_(row_domain(kernel_)), rows_(domain_.rows), columns_(domain_.columns), points_(domain_.points), context_(context_of(request)), values_(context_, body_) {}

  EmittedKernel run() {
    choose();
    prologue();
    stages_.emplace(context_, kernel_, shape_ == Shape::looped);
    for (int stage = 1; stage <= stages_->last(); ++stage) pass(stage);
    store_results();
    out_.name = request_.name;
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  // Whether neighbouring rows are neighbours in memory, and the elements of a row are not.
  bool rows_are_neighbours() const {
    std::vector<Sym> offsets;
    for (const int number : kernel_.nodes) {
      const Node& node = graph_.nodes[static_cast<std::size_t>(number)];
      if (node.op != "reduce") continue;
      const std::vector<Sym> more = load_offsets(context_, node.inputs[0], points_);
      offsets.insert(offsets.end(), more.begin(), more.end());
    }
    switch (contiguous_axis(offsets, "col", "row", request_.given)) {
      case Contiguous::along_one: return false;
      case Contiguous::along_other: return true;
      case Contiguous::neither: break;
    }
    return !kernel_.reduced.empty() && kernel_.reduced.back() + 1 != static_cast<int>(kernel_.domain.size());
  }

  // A thread that has several places to compute hides the time that loads take; but all multiprocessors should be busy, and all loads of a window are in flight at once.
  std::int64_t unrolled_rows(std::int64_t rows, std::int64_t columns) const {
    return rows >= 1024 * 8 * request_.gpu.multiprocessors ? std::clamp<std::int64_t>(kUnrolledElements / columns, 256, 1024) : 256;
  }

  // 32 warps hold 32768 numbers of 32 bits in half of the registers of a multiprocessor; the addresses and masks of rows that begin or end anywhere, more operands, a long
  // expression or a place for each number do not fit into the other half. Each multiprocessor has one such program: there must be rows for several rounds of them.
  bool is_whole_in_all_registers(std::int64_t rows, std::int64_t columns) const {
    if (!request_.gpu.cuda || columns > kWidestLimit || columns % kAligned != 0 || rows < request_.gpu.wanted_programs()) return false;
    double operands = 0, flops = 0;
    std::set<ValueId> seen;
    std::vector<ValueId> waiting(kernel_.outputs.begin(), kernel_.outputs.end());
    for (const int number : kernel_.nodes) {
      const Node& node = graph_.nodes[static_cast<std::size_t>(number)];
      if (node.op == "reduce" && finds_place(node)) return false;
      waiting.push_back(node.op == "reduce" ? node.inputs[0] : node.outputs[0]);
    }
    while (!waiting.empty()) {
      const ValueId value = waiting.back();
      waiting.pop_back();
      if (!seen.insert(value).second || given_value(request_, ir::product(graph_.shape(value))) < columns) continue;
      const Node* node = graph_.maker(value);
      if (ir::size_of(graph_.type(value).dtype) > 4) return false;
      if (node == nullptr || context_.loadable(value) != nullptr) {
        ++operands;
        continue;
      }
      if (ir::find_primitive(node->op)->fusion == ir::Fusion::elementwise) flops += ir::find_primitive(node->op)->flops;
      waiting.insert(waiting.end(), node->inputs.begin(), node->inputs.end());
    }
    return operands <= kWidestOperands && flops <= kWidestFlops;
  }

  void choose() {
    const std::int64_t columns = given_value(request_, columns_), rows = given_value(request_, rows_);
    if (columns_.constant() && columns <= kUnrolledLimit && rows >= 4 * columns) shape_ = Shape::unrolled;
    else if (columns <= kWholeLimit || is_whole_in_all_registers(rows, columns)) shape_ = Shape::whole;
    else shape_ = Shape::looped;
    std::int64_t block = 1;
    while (block < columns) block *= 2;
    if (shape_ == Shape::looped) block = kLoopBlock;
    if (shape_ == Shape::unrolled) block = 1;
    block_ = block;
    std::int64_t tile_rows = 1;
    const std::int64_t limit = shape_ == Shape::unrolled ? unrolled_rows(rows, columns) : shape_ == Shape::looped ? 1 : std::max<std::int64_t>(1, kTileElements / block);
    while (tile_rows * 2 <= limit && tile_rows < rows) tile_rows *= 2;
    fills_tile_ = shape_ != Shape::unrolled && tile_rows == limit;
    if (shape_ != Shape::unrolled && columns > 32 && rows_are_neighbours()) {
      tile_rows = 1;
      while (tile_rows < rows && tile_rows < kNeighbourRows) tile_rows *= 2;
      shape_ = block * tile_rows <= kNeighbourElements ? Shape::whole : Shape::looped;
      block_ = shape_ == Shape::whole ? block : kLoopBlock / tile_rows;
      fills_tile_ = false;
    }
    tile_rows_ = tile_rows;
    out_.num_warps = block_ * tile_rows_ >= 8192 ? 8 : 4;
    if (block_ * tile_rows_ >= 16384) out_.num_warps = block_ * tile_rows_ > kWholeLimit ? 32 : 16;
  }

  void prologue() {
    for (const char* name : {"row", "row_ok", "col", "col_ok", "lane", "start", "ROWS", "BLOCK", "WIDE"}) body_.reserve(name);
    body_.indent();
    body_.line("row = tl.program_id(0)");
    body_.line("if WIDE:");
    body_.line("    row = row.to(tl.int64)");
    body_.line("row = row * ROWS + tl.arange(0, ROWS)[:, None]");
    body_.line(fmt::format("row_ok = row < {}", values_.text(rows_)));
    values_.variable("row", "row_ok");
    if (shape_ == Shape::looped) {
      body_.line("lane = tl.arange(0, BLOCK)[None, :]");
      body_.line("if WIDE:");
      body_.line("    lane = lane.to(tl.int64)");
    }
    if (shape_ == Shape::whole) {
      body_.line("col = tl.arange(0, BLOCK)[None, :]");
      body_.line(fmt::format("col_ok = col < {}", values_.text(columns_)));
      values_.variable("col", "col_ok");
    }
    // A file that is used with shorter rows puts more of them into a tile.
    const bool varies = fills_tile_ && !columns_.constant() && !rows_.is(1);
    const std::string length = varies && shape_ == Shape::looped ? fmt::format("min({}, {})", block_, columns_.text()) : columns_.text();
    const std::string block = shape_ == Shape::looped && !varies ? fmt::format("{}", block_) : fmt::format("triton.next_power_of_2({})", length);
    const std::string rows = varies ? fmt::format("rows_of({})", shape_ == Shape::looped ? "2*" + length : length) : fmt::format("{}", tile_rows_);
    out_.constants = {{"ROWS", rows}};
    if (shape_ != Shape::unrolled) out_.constants.emplace_back("BLOCK", block);
    out_.constants.emplace_back("WIDE", wide_text(rows_ * columns_));
    out_.grid = fmt::format("(triton.cdiv({}, {}),)", rows_.text(), rows);
    out_.programs = given_value(request_, ir::ceil_div(rows_, tile_rows_));
  }

  static bool finds_place(const Node& node) {
    const std::string& kind = ir::text_attribute(node, "kind");
    return kind == "argmax" || kind == "argmin";
  }

  DType accumulator(const Node& node) const { return accumulator_type(graph_.type(node.inputs[0]).dtype); }

  // The operand of a reduction as a whole tile, lanes outside replaced by what changes nothing.
  std::string neutral_tile(Body& values, const Node& node, const std::string& kind) {
    const DType dtype = graph_.type(node.inputs[0]).dtype;
    return neutral_tile(values, node.inputs[0], identity(kind, dtype));
  }

  std::string neutral_tile(Body& values, ValueId operand, const std::string& neutral) {
    const auto known = neutral_.find({operand, neutral});
    if (known != neutral_.end()) return known->second;
    const Operand x = values.named(values.value(operand, points_), graph_.type(operand).dtype);
    std::string text = x.text;
    const bool vary = x.over.contains("col") || shape_ == Shape::unrolled;
    if (!x.over.contains("row") || !vary) {
      const std::string columns = shape_ == Shape::unrolled ? "1" : "BLOCK";
      text = fmt::format("tl.broadcast_to({}, (ROWS, {}))", text, columns);
    }
    if (shape_ == Shape::unrolled) return values.emit("x", text, {"row"}).text;
    return neutral_[{operand, neutral}] = values.emit("x", fmt::format("tl.where(col_ok, {}, {})", text, neutral), {"row", "col"}).text;
  }

  void pass(int stage) {
    const std::vector<const Node*> nodes = stages_->reductions(stage);
    if (nodes.empty()) return;
    if (shape_ == Shape::whole) {
      for (const Node* node : nodes) reduce_whole(*node);
      return;
    }
    std::vector<std::string> names, places;
    std::map<ValueId, std::string> largest;  // of an operand: the largest elements so far
    for (const Node* node : nodes) {
      start_accumulator(*node, names, places);
      if (ir::text_attribute(*node, "kind") == "max") largest[node->inputs[0]] = names.back();
    }
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const std::optional<OnlineSum> online = stages_->online(*nodes[k]);
      if (!online) continue;
      if (online->kind == OnlineSum::Kind::exponentials) places[k] = largest.at(online->x);
      else places[k] = start_mean(*nodes[k]);
    }
    Body inner = open_loop();
    // what is measured from the largest so far comes before that grows
    for (const bool first : {true, false}) {
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const std::optional<OnlineSum> online = stages_->online(*nodes[k]);
        if (online.has_value() != first) continue;
        if (online) accumulate_online(inner, *online, names[k], places[k]);
        else accumulate(inner, *nodes[k], names[k], places[k]);
      }
    }
    body_.dedent();
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const std::optional<OnlineSum> online = stages_->online(*nodes[k]);
      Operand result = online ? close_online(*nodes[k], *online, names[k], places[k]) : close_accumulator(*nodes[k], names[k], places[k]);
      values_.bind(nodes[k]->outputs[0], std::move(result));
    }
  }

  std::string start_mean(const Node& node) {
    const std::string name = body_.unique("mean_so_far");
    body_.line(fmt::format("{} = tl.full({}, 0.0, {})", name, tile_shape(), compute_type(accumulator(node))));
    return name;
  }

  // `so_far`: the largest element or the mean of what each lane has seen.
  void accumulate_online(Body& inner, const OnlineSum& online, const std::string& name, const std::string& so_far) {
    const DType dtype = graph_.type(online.x).dtype;
    if (online.kind == OnlineSum::Kind::exponentials) {
      const std::string x = neutral_tile(inner, online.x, identity("max", dtype)), part = body_.unique("part");
      // one exponential is 1: that of the larger one; infinities are no distance apart from themselves
      body_.line(fmt::format("{} = tl.where({} == {}, 1.0, tl.exp(-tl.abs({} - {})))", part, x, so_far, x, so_far));
      body_.line(fmt::format("{} = tl.where({} > {}, {} * {} + 1.0, {} + {})", name, x, so_far, name, part, name, part));
      return;
    }
    const std::string x = neutral_tile(inner, online.x, identity("sum", dtype)), off = body_.unique("off");
    body_.line(fmt::format("{} = tl.where(col_ok, {} - {}, 0.0)", off, x, so_far));
    body_.line(fmt::format("{} = {} + {} * (1.0 / tl.cast(start // BLOCK + 1, {}))", so_far, so_far, off, compute_type(dtype)));
    body_.line(fmt::format("{} = {} + {} * ({} - {})", name, name, off, x, so_far));
  }

  Operand close_online(const Node& node, const OnlineSum& online, const std::string& name, const std::string& so_far) {
    const std::string centre = values_.value(online.centre, index_of_operand(graph_.shape(online.centre), points_)).text;
    if (online.kind == OnlineSum::Kind::exponentials) return values_.emit("sum", reduce_text("sum", node, fmt::format("{} * tl.exp({} - {})", name, so_far, centre)), {"row"});
    const std::string columns = values_.text(columns_), off = body_.unique("off"), seen = body_.unique("seen");
    body_.line(fmt::format("{} = tl.cast(({} - lane + (BLOCK - 1)) // BLOCK, {})", seen, columns, compute_type(accumulator(node))));
    body_.line(fmt::format("{} = tl.where(lane < {}, {} - {}, 0.0)", off, columns, so_far, centre));
    return values_.emit("sum", reduce_text("sum", node, fmt::format("{} + {} * {} * {}", name, seen, off, off)), {"row"});
  }

  Body open_loop() {
    neutral_.clear();
    Body inner = values_.in_loop(body_.mark());
    if (shape_ == Shape::unrolled) {
      body_.line(fmt::format("for col in tl.static_range({}):", columns_.text()));
      body_.indent();
      inner.number("col");
      return inner;
    }
    body_.line(fmt::format("for start in range(0, {}, BLOCK):", values_.text(columns_)));
    body_.indent();
    body_.line("col = start + lane");
    body_.line(fmt::format("col_ok = col < {}", values_.text(columns_)));
    inner.variable("col", "col_ok");
    return inner;
  }

  std::string tile_shape() const { return shape_ == Shape::unrolled ? "(ROWS, 1)" : "(ROWS, BLOCK)"; }

  void start_accumulator(const Node& node, std::vector<std::string>& names, std::vector<std::string>& places) {
    const std::string kind = ir::text_attribute(node, "kind");
    const bool place = finds_place(node);
    const std::string base = place ? (kind == "argmax" ? "max" : "min") : kind;
    const std::string name = body_.unique(place ? "best" : kind == "sum" ? "total" : kind == "max" ? "largest_seen" : "acc");
    body_.line(fmt::format("{} = tl.full({}, {}, {})", name, tile_shape(), identity(base, accumulator(node)), compute_type(accumulator(node))));
    names.push_back(name);
    places.push_back("");
    if (!place) return;
    places.back() = body_.unique("best_at");
    body_.line(fmt::format("{} = tl.full({}, 0, tl.int64)", places.back(), tile_shape()));
  }

  void accumulate(Body& inner, const Node& node, const std::string& name, const std::string& place) {
    const std::string kind = ir::text_attribute(node, "kind");
    if (place.empty()) {
      const std::string x = neutral_tile(inner, node, kind);
      body_.line(fmt::format("{} = {}", name, combine_text(kind, accumulator(node), name, x)));
      return;
    }
    const std::string base = kind == "argmax" ? "max" : "min";
    const std::string x = neutral_tile(inner, node, base);
    const std::string better = body_.unique("better");
    // the first NaN wins against everything, as in PyTorch; among equals the first place stays
    body_.line(fmt::format("{} = ({} {} {}) | (({} != {}) & ({} == {}))", better, x, kind == "argmax" ? ">" : "<", name, x, x, name, name));
    body_.line(fmt::format("{} = tl.where({}, col, {})", place, better, place));
    body_.line(fmt::format("{} = tl.where({}, {}, {})", name, better, x, name));
  }

  Operand close_accumulator(const Node& node, const std::string& name, const std::string& place) {
    const std::string kind = ir::text_attribute(node, "kind");
    if (place.empty()) {
      if (shape_ == Shape::unrolled) return {name, {"row"}, false};
      return values_.emit(kind == "sum" ? "sum" : kind, reduce_text(kind, node, name), {"row"});
    }
    if (shape_ == Shape::unrolled) return {place, {"row"}, false};
    return values_.emit("place", place_text(kind, name, place), {"row"});
  }

  std::string reduce_text(const std::string& kind, const Node& node, const std::string& x) const { return codegen::reduce_text(kind, accumulator(node), x); }

  static std::string place_text(const std::string& kind, const std::string& x, const std::string& place) {
    return fmt::format("first_{}({}, {})[:, None]", kind == "argmax" ? "largest" : "smallest", x, place);
  }

  void reduce_whole(const Node& node) {
    const std::string kind = ir::text_attribute(node, "kind");
    if (!finds_place(node)) {
      const std::string x = neutral_tile(values_, node, kind);
      values_.bind(node.outputs[0], values_.emit(kind == "sum" ? "total" : kind, reduce_text(kind, node, x), {"row"}));
      return;
    }
    const std::string x = neutral_tile(values_, node, kind == "argmax" ? "max" : "min");
    const Operand place = values_.emit("place", "tl.broadcast_to(col, (ROWS, BLOCK)).to(tl.int64)", {"row", "col"});
    values_.bind(node.outputs[0], values_.emit("best_at", place_text(kind, x, place.text), {"row"}));
  }

  bool is_per_row(ValueId value) const { return codegen::is_per_row(kernel_, domain_, value); }

  void store_results() {
    std::vector<ValueId> full;
    for (const ValueId output : kernel_.outputs) {
      if (!is_per_row(output)) {
        full.push_back(output);
        continue;
      }
      store(values_, output);
    }
    if (full.empty()) return;
    if (shape_ == Shape::whole) {
      for (const ValueId output : full) store(values_, output);
      return;
    }
    Body inner = open_loop();
    for (const ValueId output : full) store(inner, output);
    body_.dedent();
  }

  void store(Body& values, ValueId output) {
    const std::vector<Sym> index = at_points(kernel_.index.at(output), points_);
    Operand x = values.named(values.value(output, index), graph_.type(output).dtype);
    const bool per_row = is_per_row(output);
    const std::string wanted = per_row || shape_ == Shape::unrolled ? "(ROWS, 1)" : "(ROWS, BLOCK)";
    const bool complete = x.over.contains("row") && (per_row || x.over.contains("col") || shape_ == Shape::unrolled);
    if (!complete) x = values.emit("x", fmt::format("tl.broadcast_to({}, {})", x.text, wanted), {"row", "col"});
    if (per_row && rows_.is(1)) {  // one element: the only row gives the place
      body_.line(fmt::format("tl.store({}_ptr + row, {}, mask=row_ok)", context_.use_pointer(request_.buffers.at(output), true), x.text));
      return;
    }
    values.store(output, x, index);
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::PlannedKernel& kernel_;
  const RowDomain domain_;
  const Sym& rows_;
  const Sym& columns_;
  const std::vector<Sym>& points_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
  Shape shape_ = Shape::whole;
  std::int64_t block_ = 1, tile_rows_ = 1;
  bool fills_tile_ = false;  // as many rows as a tile has room for, not as many as there are
  std::optional<RowStages> stages_;
  std::map<std::pair<ValueId, std::string>, std::string> neutral_;  // tiles of this turn of a loop, by what their lanes outside are
};

}  // namespace

EmittedKernel emit_row(const EmitRequest& request) {
  if (std::optional<EmittedKernel> window = emit_window(request)) return std::move(*window);
  if (std::optional<EmittedKernel> shared = emit_shared_rows(request)) return std::move(*shared);
  return RowEmitter(request).run();
}

}  // namespace ka::codegen

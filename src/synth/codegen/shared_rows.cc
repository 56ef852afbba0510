// Rows that are too long for one program, each kept in the registers of several: memory is read once and written once.
//
//   columns ->
//   row 0  [ part 0 | part 1 | part 2 | part 3 ]     programs 0 to 3: group 0, rows 0, 2, 4, ...
//   row 1  [ part 0 | part 1 | part 2 | part 3 ]     programs 4 to 7: group 1, rows 1, 3, 5, ...
//
// A program loads its part of a row and reduces it. What it has found it stores, brings its threads together, and adds one to a counter (release); when the
// counter (acquire) says that all parts have arrived, it loads what all of them have found and puts that together, all in the same order: results are
// the same in every run. Each row has places and a counter of its own for each stage of its reductions, so that nothing is stored to twice. The
// launch is cooperative, as that of persistent.cc, where it is said why a program sees what others have stored.
//
// Sums that are measured from a maximum or a mean (online.h) are measured from the part's own, and moved to the row's when that is known: a softmax or a norm
// waits once for each row.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ir/shared_rows.h"
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

class SharedRowsEmitter {
 public:
  SharedRowsEmitter(const EmitRequest& request, const ir::SharedRows& tiles)
      : request_(request), graph_(request.graph), kernel_(request.kernel), tiles_(tiles), domain_(row_domain(kernel_)), context_(context_of(request)),
        stages_(context_, kernel_, true), values_(context_, body_) {}

  // Whether waiting for the others saves a pass: something is computed from all of a row and looks at the row again.
  bool pays() const {
    if (stages_.last() > 1 || RowStages(context_, kernel_, false).last() > 1) return true;
    return std::any_of(kernel_.outputs.begin(), kernel_.outputs.end(), [&](ValueId output) { return !is_per_row(kernel_, domain_, output); });
  }

  bool rows_lie_in_lines() const {
    std::vector<Sym> offsets;
    for (const int number : kernel_.nodes) {
      const Node& node = graph_.nodes[static_cast<std::size_t>(number)];
      if (node.op != "reduce") continue;
      const std::vector<Sym> more = load_offsets(context_, node.inputs[0], domain_.points);
      offsets.insert(offsets.end(), more.begin(), more.end());
    }
    return contiguous_axis(offsets, "col", "row", request_.given) != Contiguous::along_other;
  }

  EmittedKernel run() {
    for (const char* name : {"row", "col", "col_ok", "part", "parts", "each", "each_ok", "turn", "count", "largest", "smallest", "arrived", "partials", "BLOCK", "PARTS", "WIDE"}) body_.reserve(name);
    for (int stage = 1; stage <= stages_.last(); ++stage) {
      for (const Node* node : stages_.reductions(stage)) slots_ += slots_of(*node);
    }
    body_.indent();
    prologue();
    for (int stage = 1; stage <= stages_.last(); ++stage) reduce(stage);
    store_results();
    for (const char* memory : {"arrived", "partials"}) {
      context_.pointers.emplace_back(memory);
      context_.roles.emplace_back(memory);
    }
    launch();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  // What a part has found of a reduction and others want to know.
  struct Found {
    const Node* node;
    std::optional<OnlineSum> online;
    std::string own;     // in this part
    std::string from;    // the mean of this part, or its largest element
    std::string all, all_from;  // of all parts, a tile of one row
  };

  int slots_of(const Node& node) const {
    const std::optional<OnlineSum> online = stages_.online(node);
    return online && online->kind == OnlineSum::Kind::squares ? 2 : 1;
  }

  void prologue() {
    const std::string columns = values_.text(domain_.columns), rows = values_.text(domain_.rows);
    body_.line(fmt::format("parts = tl.cdiv({}, BLOCK).to(tl.int32)", columns));
    body_.line("part = tl.program_id(0) % parts");
    body_.line("col = part * BLOCK + tl.arange(0, BLOCK)");
    body_.line(fmt::format("col_ok = col < {}", columns));
    body_.line("each = tl.arange(0, PARTS)");
    body_.line("each_ok = each < parts");
    body_.line(fmt::format("for turn in range(tl.program_id(0) // parts, {}, tl.num_programs(0) // parts):", rows));
    body_.indent();
    body_.line("row = tl.cast(turn, tl.int32)");
    body_.line("if WIDE:");
    body_.line("    row = row.to(tl.int64)");
    values_.variable("row", "");
    values_.variable("col", "col_ok");
  }

  // The operand of a reduction as a whole tile, columns outside replaced by what changes nothing.
  std::string tile(ValueId operand, const std::string& neutral) {
    std::string& known = tiles_of_[{operand, neutral}];
    if (!known.empty()) return known;
    const Operand x = values_.named(values_.value(operand, domain_.points), graph_.type(operand).dtype);
    const std::string text = x.over.contains("col") ? x.text : fmt::format("tl.broadcast_to({}, (BLOCK,))", x.text);
    return known = values_.emit("x", fmt::format("tl.where(col_ok, {}, {})", text, neutral), {"row", "col"}).text;
  }

  // To one number: tiles have one dimension here, what belongs to a row none.
  static std::string reduced(const std::string& kind, const std::string& x) {
    return kind == "sum" ? fmt::format("tl.sum({}, axis=0)", x) : fmt::format("tl.reduce({}, 0, {})", x, kind == "max" ? "largest" : "smallest");
  }

  std::string number(const std::string& wish, const std::string& text) { return values_.emit(wish, text, {"row"}).text; }

  Found found_in_part(const Node& node, std::map<ValueId, std::string>& largest) {
    Found out{&node, stages_.online(node), "", "", "", ""};
    const std::string& kind = ir::text_attribute(node, "kind");
    const DType dtype = graph_.type(node.inputs[0]).dtype;
    if (!out.online) {
      out.own = number("own", reduced(kind, tile(node.inputs[0], identity(kind, dtype))));
      if (kind == "max") largest[node.inputs[0]] = out.own;
    } else if (out.online->kind == OnlineSum::Kind::squares) {
      const std::string x = tile(out.online->x, "0.0");
      body_.line(fmt::format("count = tl.cast(tl.minimum({} - part * BLOCK, BLOCK), tl.float32)", values_.text(domain_.columns)));
      out.from = number("own_mean", fmt::format("tl.sum({}, axis=0) / count", x));
      const std::string off = values_.emit("off", fmt::format("tl.where(col_ok, {} - {}, 0.0)", x, out.from), {"row", "col"}).text;
      out.own = number("own", fmt::format("tl.sum({} * {}, axis=0)", off, off));
    } else {
      // an infinite one is no number to measure from; what it does to the sum is seen when that is moved to the row's
      const std::string& most = largest.at(out.online->x);
      const std::string from = number("from_here", fmt::format("tl.where(tl.abs({}) == float(\"inf\"), 0.0, {})", most, most));
      const std::string terms = values_.emit("terms", fmt::format("tl.exp({} - {})", tile(out.online->x, identity("max", dtype)), from), {"row", "col"}).text;
      out.own = number("own", fmt::format("tl.sum({}, axis=0)", terms));
      out.from = most;
    }
    return out;
  }

  // "row * 3 + 1": the second of three places of a row.
  static std::string nth(const std::string& row, int of, int place) { return of == 1 ? row : fmt::format("({} * {} + {})", row, of, place); }

  std::string place(int slot, const std::string& of) const { return fmt::format("partials_ptr + {} * parts + {}", nth("row", slots_, slot), of); }

  std::string told(int slot, const std::string& otherwise) {
    return values_.emit("told", fmt::format("tl.load({}, mask=each_ok, other={}, cache_modifier=\".cg\")", place(slot, "each"), otherwise), {"row"}).text;
  }

  // One pass over the part, and one meeting of the programs of this row.
  void reduce(int stage) {
    std::vector<Found> all;
    std::map<ValueId, std::string> largest, told_largest;
    const std::vector<const Node*> nodes = stages_.reductions(stage);
    for (const bool online : {false, true}) {
      for (const Node* node : nodes) {
        if (stages_.online(*node).has_value() == online) all.push_back(found_in_part(*node, largest));
      }
    }
    int slot = told_;
    for (const Found& found : all) {
      body_.line(fmt::format("tl.store({}, {})", place(slot++, "part"), found.own));
      if (slots_of(*found.node) == 2) body_.line(fmt::format("tl.store({}, {})", place(slot++, "part"), found.from));
    }
    meet(stage);
    for (Found& found : all) {
      const std::string& kind = ir::text_attribute(*found.node, "kind");
      found.all = told(told_++, identity(kind, DType::float32));
      if (slots_of(*found.node) == 2) found.all_from = told(told_++, "0.0");
      if (kind == "max") told_largest[found.node->inputs[0]] = found.all;
    }
    for (const Node* node : nodes) {  // in the program's order: a centre is made from what comes before
      Found& found = *std::find_if(all.begin(), all.end(), [&](const Found& one) { return one.node == node; });
      if (found.online && found.online->kind == OnlineSum::Kind::exponentials) found.all_from = told_largest.at(found.online->x);
      values_.bind(node->outputs[0], {together(found), {"row"}, false});
    }
  }

  void meet(int stage) {
    const std::string counter = "arrived_ptr + " + nth("turn", stages_.last(), stage - 1);
    body_.line("tl.debug_barrier()");
    body_.line(fmt::format("tl.atomic_add({}, 1, sem=\"release\")", counter));
    body_.line(fmt::format("while tl.atomic_add({}, 0, sem=\"acquire\") < parts:", counter));
    body_.line("    pass");
    body_.line("tl.debug_barrier()");
  }

  std::string together(const Found& found) {
    const std::string& kind = ir::text_attribute(*found.node, "kind");
    if (!found.online) return number(kind == "sum" ? "total" : kind, reduced(kind, found.all));
    const ValueId of = found.online->centre;
    const std::string centre = values_.value(of, index_of_operand(graph_.shape(of), domain_.points)).text;
    if (found.online->kind == OnlineSum::Kind::exponentials)
      return number("total", fmt::format("tl.sum({} * tl.exp({} - {}), axis=0)", found.all, found.all_from, centre));
    const std::string counts = number("counts", fmt::format("tl.cast(tl.minimum({} - each * BLOCK, BLOCK), tl.float32)", values_.text(domain_.columns)));
    const std::string off = number("off", fmt::format("tl.where(each_ok, {} - {}, 0.0)", found.all_from, centre));
    return number("total", fmt::format("tl.sum({} + {} * {} * {}, axis=0)", found.all, counts, off, off));
  }

  // What is one number for each row, the first part stores.
  void store_results() {
    for (const ValueId output : kernel_.outputs) {
      const bool per_row = is_per_row(kernel_, domain_, output);
      const std::vector<Sym> index = at_points(kernel_.index.at(output), domain_.points);
      const Operand x = values_.named(values_.value(output, index), graph_.type(output).dtype);
      const Operand whole = per_row || x.over.contains("col") ? x : values_.emit("x", fmt::format("tl.broadcast_to({}, (BLOCK,))", x.text), {"row", "col"});
      if (per_row) body_.line("if part == 0:");
      if (per_row) body_.indent();
      values_.store(output, whole, index);
      if (per_row) body_.dedent();
    }
  }

  void launch() {
    const std::string columns = domain_.columns.text(), rows = domain_.rows.text();
    const std::string block = fmt::format("chunk_for({}, {}, {}, {})", rows, columns, tiles_.chunk, tiles_.residents), parts = fmt::format("triton.cdiv({}, {})", columns, block);
    out_.name = request_.name;
    out_.constants = {{"BLOCK", block}, {"PARTS", fmt::format("triton.next_power_of_2({})", parts)}, {"WIDE", wide_text(domain_.rows * domain_.columns)}};
    out_.grid = fmt::format("(programs_for({}, {}, {}, {}),)", rows, columns, block, tiles_.residents);
    out_.counters = fmt::format("{} * {}", stages_.last(), domain_.rows.operand_text());
    out_.partials = fmt::format("{} * {} * {}", slots_, domain_.rows.operand_text(), parts);
    out_.num_warps = tiles_.warps;
    out_.num_stages = 1;
    out_.registers = tiles_.registers;
    out_.remark = "rows shared by programs";
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::PlannedKernel& kernel_;
  const ir::SharedRows& tiles_;
  const RowDomain domain_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  RowStages stages_;
  Body values_;
  int slots_ = 0, told_ = 0;  // places of a part for each row, and those that have been read
  std::map<std::pair<ValueId, std::string>, std::string> tiles_of_;
};

}  // namespace

std::optional<EmittedKernel> emit_shared_rows(const EmitRequest& request) {
  const RowDomain domain = row_domain(request.kernel);
  const std::optional<ir::SharedRows> tiles = ir::shared_rows(request.gpu, given_value(request, domain.rows), given_value(request, domain.columns));
  if (!tiles) return std::nullopt;
  for (const int number : request.kernel.nodes) {
    const Node& node = request.graph.nodes[static_cast<std::size_t>(number)];
    if (node.op == "reduce" && !ir::can_be_shared(request.graph, node)) return std::nullopt;
  }
  SharedRowsEmitter emitter(request, *tiles);
  return emitter.pays() && emitter.rows_lie_in_lines() ? std::optional(emitter.run()) : std::nullopt;
}

}  // namespace ka::codegen

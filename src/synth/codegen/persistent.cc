// All steps of a recurrent layer in one launch that keeps the hidden weights on the chip.
//
//              hidden units ->
//   batch  [ . . # . ]      program (row block, unit block) computes tile # of h[t] for every t; its units' columns of the hidden weights,
//     |    [ . . # . ]      those of all gates, are loaded once and taken apart into two float16 numbers each
//
// A step needs all units of the step before, but only of its own rows. So the programs of one row block wait for each other, nobody else does:
// each stores its tile of h[t], brings its threads together, and then adds one to the block's counter (release); when the counter (acquire) says that
// all have done so t + 1 times, h[t] is there. No program can be a whole step ahead, so one counter serves all steps. The launch is cooperative: all
// programs are on the GPU at once, or it fails; none waits for one that has not begun.
//
// The columns of a unit's gates lie side by side, so that one product has all of them and the gates of a unit meet in neighbouring threads. A layer of
// 256 units is 16 programs with 64 kB of weights each, one of 512 units 32 with 128 kB.
#include <fmt/format.h>

#include "synth/codegen/family.h"
#include "synth/codegen/recurrence.h"

namespace ka::codegen {
namespace {

using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kOtherSharedBytes = 16384;  // of a program, besides weights and state: what passes between its threads

struct Tiles {
  std::int64_t rows, units, depth;  // of a program: rows of the batch, units, and how many units the step before has, rounded up
  std::int64_t columns;             // of its product
};

std::int64_t parts(std::int64_t extent, std::int64_t block) { return (extent + block - 1) / block; }

// The smallest tiles of rows that need no program to do several, and what fits on the chip.
std::optional<Tiles> tiles_of(const ir::Gpu& gpu, int slots, std::int64_t batch, std::int64_t units) {
  std::int64_t depth = 16;
  while (depth < units) depth *= 2;
  std::optional<Tiles> found;
  for (const std::int64_t block : {slots == 1 ? 32 : 16, slots == 1 ? 16 : 8}) {
    if (parts(units, block) > gpu.multiprocessors) continue;
    for (const std::int64_t rows : {16, 32, 64}) {
      const Tiles tiles{rows, block, depth, slots * block};
      const std::int64_t shared = 4 * depth * (tiles.columns + rows) + kOtherSharedBytes;  // two float16 numbers of each element
      if (shared > gpu.shared_bytes) continue;
      found = tiles;
      if (parts(batch, rows) * parts(units, block) <= gpu.multiprocessors) return found;
    }
    if (found) return found;
  }
  return found;
}

class PersistentEmitter {
 public:
  PersistentEmitter(const EmitRequest& request, const Tiles& tiles)
      : request_(request), graph_(request.graph), node_(graph_.nodes[static_cast<std::size_t>(request.kernel.nodes[0])]),
        kind_(ir::text_attribute(node_, "kind")), cell_(cell_of(kind_)), slots_(slots_of(cell_)), tiles_(tiles), context_(context_of(request)),
        values_(context_, body_) {
    const ir::Shape& shape = graph_.shape(node_.outputs[0]);
    steps_ = shape[0];
    batch_ = shape[1];
    units_ = shape[2];
  }

  static int slots_of(const Cell& cell) { return cell.gates == 1 ? 1 : 4; }

  EmittedKernel run() {
    for (const char* name : {"row", "unit", "row_ok", "unit_ok", "ka", "kb", "ka_ok", "kb_ok", "slot", "step", "block", "column", "column_unit", "column_ok",
                             "own", "w", "w_high", "w_low", "w_power", "high", "low", "power", "share", "even", "odd", "state", "mine", "arrived",
                             "BB", "BU", "BK", "h", "cell"})
      body_.reserve(name);
    for (const std::string gate : {"i", "f", "g", "o", "r", "z", "n", "a"}) {
      body_.reserve(gate);
      body_.reserve("h_" + gate);
    }
    out_.name = request_.name;
    context_.use_sizes(steps_ + batch_ + units_);
    body_.indent();
    weights();
    biases();
    body_.line(fmt::format("for block in range(tl.program_id(0), tl.cdiv({}, BB), tl.num_programs(0)):", batch_.text()));
    body_.indent();
    Body rows = values_;
    start(rows);
    body_.line(fmt::format("for step in range(0, {}):", steps_.text()));
    body_.indent();
    Body now = rows;
    one_step(now);
    meet();
    context_.pointers.push_back("arrived");
    context_.roles.push_back("arrived");
    launch();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  Sym row() const { return batch_.is(1) ? Sym(0) : Sym::index("row", batch_); }
  Sym unit() const { return units_.is(1) ? Sym(0) : Sym::index("unit", units_); }

  // The tile of a value that may be a number, or have fewer axes; zero where nothing is.
  static std::string whole(const Operand& operand, const std::string& mask) { return fmt::format("tl.where({}, {}, 0.0)", mask, operand.text); }

  void weights() {
    const bool gates = slots_ > 1;
    body_.line("unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]");
    body_.line(fmt::format("unit_ok = unit < {}", units_.text()));
    body_.line("ka = tl.arange(0, BK)[None, :]");
    body_.line(fmt::format("ka_ok = ka < {}", units_.text()));
    body_.line("kb = tl.arange(0, BK)[:, None]");
    body_.line(fmt::format("kb_ok = kb < {}", units_.text()));
    if (gates) {
      body_.line("column = tl.arange(0, 4 * BU)[None, :]");
      body_.line("own = column % 4");
      body_.line("column_unit = tl.program_id(1) * BU + column // 4");
      body_.line(cell_.gates == 4 ? fmt::format("column_ok = column_unit < {}", units_.text())
                                  : fmt::format("column_ok = (column_unit < {}) & (own < {})", units_.text(), cell_.gates));
    }
    for (const char* name : {"unit", "ka", "kb"}) values_.variable(name, fmt::format("{}_ok", name));
    if (gates) {
      values_.variable("own", "column_ok");
      values_.variable("column_unit", "column_ok");
    }
    Body once = values_;
    const Sym depth = Sym::index("kb", units_);
    const Sym of_gate = gates ? Sym::index("own", Sym(cell_.gates)) * units_ + Sym::index("column_unit", units_) : Sym::index("unit", units_);
    const Operand loaded = once.value(node_.inputs[1], {of_gate, depth});
    body_.line(fmt::format("w = {}", whole(loaded, fmt::format("kb_ok & {}", gates ? "column_ok" : "unit_ok"))));
    body_.line("w_high, w_low, w_power = in_halves(w, 0)");
  }

  // Of a GRU, whose reset gate is applied to the hidden share with its bias.
  void biases() {
    if (kind_ != "gru" || node_.inputs.size() < 4) return;
    for (int g = 0; g < 3; ++g) bias_.push_back(values_.value(node_.inputs[3], {Sym(g) * units_ + unit()}).text);
  }

  void start(Body& rows) {
    body_.line("row = block * BB + tl.arange(0, BB)[:, None]");
    body_.line(fmt::format("row_ok = row < {}", batch_.text()));
    rows.variable("row", "row_ok");
    if (kind_ == "lstm") body_.line(fmt::format("cell = {}", whole(rows.value(node_.inputs[3], {row(), unit()}), "row_ok & unit_ok")));
    if (kind_ == "gru") body_.line(fmt::format("mine = {}", whole(rows.value(node_.inputs[2], {row(), unit()}), "row_ok & unit_ok")));
    const Sym all = units_.is(1) ? Sym(0) : Sym::index("ka", units_);
    body_.line(fmt::format("state = {}", whole(rows.value(node_.inputs[2], {row(), all}), "row_ok & ka_ok")));
  }

  void one_step(Body& now) {
    const bool reverse = ir::bool_attribute(node_, "reverse");
    body_.line(reverse ? fmt::format("slot = ({} - 1 - step).to(tl.int64)", steps_.text()) : "slot = step.to(tl.int64)");
    now.variable("slot", "");
    for (int g = 0; g < cell_.gates; ++g) inputs_.push_back(now.value(node_.inputs[0], {place(), row(), Sym(g) * units_ + unit()}).text);
    body_.line("high, low, power = in_halves(state, 1)");
    body_.line(request_.precision == "ieee" ? "share = product_of_halves(high, low, power, w_high, w_low, w_power)"
                                            : "share = product_of_highs(high, power, w_high, w_power)");
    new_state(now);
  }

  Sym place() const { return steps_.is(1) ? Sym(0) : Sym::index("slot", steps_); }
  std::string input(std::size_t gate) const { return inputs_[gate]; }

  void split_gates() {
    body_.line("even, odd = tl.split(tl.reshape(share, (BB, BU, 2, 2)))");
    if (kind_ == "lstm") {
      body_.line("h_i, h_g = tl.split(even)");
      body_.line("h_f, h_o = tl.split(odd)");
      return;
    }
    body_.line("h_r, h_n = tl.split(even)");
    body_.line("h_z, _ = tl.split(odd)");
    for (std::size_t g = 0; g < bias_.size(); ++g) body_.line(fmt::format("h_{0} = h_{0} + {1}", cell_.names[g], bias_[g]));
  }

  void new_state(Body& now) {
    context_.uses_libdevice = kind_ != "relu";
    if (slots_ > 1) split_gates();
    if (kind_ == "lstm") {
      body_.line(fmt::format("i = tl.sigmoid({} + h_i)", input(0)));
      body_.line(fmt::format("f = tl.sigmoid({} + h_f)", input(1)));
      body_.line(fmt::format("g = libdevice.tanh({} + h_g)", input(2)));
      body_.line(fmt::format("o = tl.sigmoid({} + h_o)", input(3)));
      body_.line(fmt::format("cell = {}", as_stored("f * cell + i * g")));
      body_.line("h = o * libdevice.tanh(cell)");
      store(now, node_.outputs[1], "cell");
    } else if (kind_ == "gru") {
      body_.line(fmt::format("r = tl.sigmoid({} + h_r)", input(0)));
      body_.line(fmt::format("z = tl.sigmoid({} + h_z)", input(1)));
      body_.line(fmt::format("n = libdevice.tanh({} + r * h_n)", input(2)));
      body_.line("h = (1.0 - z) * n + z * mine");
      body_.line(fmt::format("mine = {}", as_stored("h")));
    } else {
      body_.line(fmt::format("a = {} + share", input(0)));
      body_.line(kind_ == "tanh" ? "h = libdevice.tanh(a)" : "h = tl.maximum(a, 0.0, propagate_nan=tl.PropagateNan.ALL)");
    }
    store(now, node_.outputs[0], "h");
  }

  // What a program keeps of its own is what another one would load.
  std::string as_stored(const std::string& text) const {
    const ir::DType dtype = graph_.type(node_.outputs[0]).dtype;
    return dtype == ir::DType::float32 ? text : fmt::format("({}).to({}).to(tl.float32)", text, triton_type(dtype));
  }

  void store(Body& now, ValueId output, const std::string& name) {
    now.store_tile(output, {name, {"row", "unit"}, false}, {place(), row(), unit()}, "row_ok & unit_ok");
  }

  // The barrier comes before the counter: what all threads have stored is there for whoever sees the counter. Nobody needs the last state.
  void meet() {
    const std::string role = context_.use_pointer(request_.buffers.at(node_.outputs[0]), true);
    body_.line(fmt::format("if step + 1 < {}:", steps_.text()));
    body_.indent();
    body_.line("tl.debug_barrier()");
    body_.line("tl.atomic_add(arrived_ptr + block, 1, sem=\"release\")");
    body_.line("while tl.atomic_add(arrived_ptr + block, 0, sem=\"acquire\") < (step + 1) * tl.num_programs(1):");
    body_.line("    pass");
    body_.line("tl.debug_barrier()");
    body_.line(fmt::format("state = tl.load({}_ptr + slot * {} + row * {} + ka, mask=row_ok & ka_ok, other=0.0, cache_modifier=\".cg\").to(tl.float32)", role,
                           (batch_ * units_).operand_text(), units_.operand_text()));
    body_.dedent();
  }

  void launch() {
    out_.constants = {{"BB", fmt::format("{}", tiles_.rows)}, {"BU", fmt::format("{}", tiles_.units)},
                      {"BK", fmt::format("max(16, triton.next_power_of_2({}))", units_.text())}};
    const std::string blocks = fmt::format("triton.cdiv({}, {})", units_.text(), tiles_.units);
    const std::string rows = fmt::format("triton.cdiv({}, {})", batch_.text(), tiles_.rows);
    out_.grid = fmt::format("(min({}, max(1, {} // {})), {})", rows, request_.gpu.multiprocessors, blocks, blocks);
    out_.counters = rows;
    out_.num_warps = tiles_.columns >= 64 ? 8 : 4;
    out_.num_stages = 1;
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::Node& node_;
  std::string kind_;
  const Cell& cell_;
  int slots_;  // of a unit in the product: its gates, rounded up
  Tiles tiles_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
  Sym steps_, batch_, units_;
  std::vector<std::string> inputs_, bias_;
};

}  // namespace

std::optional<EmittedKernel> emit_persistent(const EmitRequest& request) {
  if (!request.gpu.writes(ir::Form::persistent) || !request.gpu.cuda) return std::nullopt;
  const ir::Node& node = request.graph.nodes[static_cast<std::size_t>(request.kernel.nodes[0])];
  const ir::Type& state = request.graph.type(node.outputs[0]);
  if (ir::size_of(state.dtype) > 4) return std::nullopt;  // float64 has no parts of 16 bits that would do
  const int slots = PersistentEmitter::slots_of(cell_of(ir::text_attribute(node, "kind")));
  const std::optional<Tiles> tiles = tiles_of(request.gpu, slots, given_value(request, state.shape[1]), given_value(request, state.shape[2]));
  return tiles ? std::optional(PersistentEmitter(request, *tiles).run()) : std::nullopt;
}

}  // namespace ka::codegen

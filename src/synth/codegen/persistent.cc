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
// Several layers (partition/recurrences.cc) run at the same time, as a wavefront: layer l makes step t when layer l - 1 has, and multiplies what it finds there with
// its input weights, which it keeps on the chip as well. A third dimension of the grid is the layer; each has a counter of its own for each row block. What comes
// from below is multiplied while the programs of the own layer still arrive.
//
// The columns of a unit's gates lie side by side, so that one product has all of them and the gates of a unit meet in neighbouring threads. A GRU's inputs' share
// of its last gate is not added to the hidden one but multiplied beside it, in the fourth column. A layer of 256 units is 16 programs with 64 kB of weights each.
#include <fmt/format.h>

#include "ir/recurrence.h"
#include "synth/codegen/family.h"
#include "synth/codegen/recurrence.h"

namespace ka::codegen {
namespace {

using ir::Sym;
using ir::ValueId;

class PersistentEmitter {
 public:
  PersistentEmitter(const EmitRequest& request, const ir::RecurrenceTiles& tiles)
      : request_(request), graph_(request.graph), node_(graph_.nodes[static_cast<std::size_t>(request.kernel.nodes[0])]),
        kind_(ir::text_attribute(node_, "kind")), cell_(cell_of(kind_)), gated_(cell_.gates > 1), layers_(ir::layers_of(node_)), tiles_(tiles),
        context_(context_of(request)), values_(context_, body_) {
    const ir::Shape& shape = graph_.shape(node_.outputs[0]);
    steps_ = shape[shape.size() - 3];
    batch_ = shape[shape.size() - 2];
    units_ = shape[shape.size() - 1];
    for (std::int64_t l = 0; l < layers_; ++l) operands_.push_back(ir::layer_of(node_, l));
  }

  EmittedKernel run() {
    for (const char* name : {"row", "unit", "row_ok", "unit_ok", "ka", "kb", "ka_ok", "kb_ok", "slot", "step", "block", "column", "column_unit", "column_ok",
                             "own", "fed", "fed_ok", "w", "w_high", "w_low", "w_power", "v", "v_high", "v_low", "v_power", "high", "low", "power", "share",
                             "lower", "below", "even", "odd", "state", "mine", "arrived", "counter", "layer", "lowest", "BB", "BU", "BK", "h", "cell"})
      body_.reserve(name);
    for (const std::string gate : {"i", "f", "g", "o", "r", "z", "n", "a"}) {
      for (const char* before : {"", "h_", "x_", "b_", "c_"}) body_.reserve(before + gate);
    }
    out_.name = request_.name;
    context_.use_sizes(steps_ + batch_ + units_);
    body_.indent();
    axes();
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
    arrive();
    context_.pointers.push_back("arrived");
    context_.roles.push_back("arrived");
    launch();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  Sym row() const { return batch_.is(1) ? Sym(0) : Sym::index("row", batch_); }
  Sym unit() const { return units_.is(1) ? Sym(0) : Sym::index("unit", units_); }
  bool is_wave() const { return layers_ > 1; }

  // The tile of a value that may be a number, or have fewer axes; zero where nothing is.
  static std::string whole(const Operand& operand, const std::string& mask) { return fmt::format("tl.where({}, {}, 0.0)", mask, operand.text); }

  // Lines that differ from layer to layer: each layer executes its own. What they set must be set before where there are several.
  template <typename Lines>
  void for_each_layer(const Body& outer, Lines lines) {
    for (std::int64_t l = 0; l < layers_; ++l) {
      if (is_wave()) {
        body_.line(fmt::format("{} layer == {}:", l == 0 ? "if" : "elif", l));
        body_.indent();
      }
      Body inside = outer;
      lines(inside, operands_[static_cast<std::size_t>(l)]);
      if (is_wave()) body_.dedent();
    }
  }

  void axes() {
    body_.line("unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]");
    body_.line(fmt::format("unit_ok = unit < {}", units_.text()));
    for (const auto& [name, axis] : {std::pair("ka", "[None, :]"), std::pair("kb", "[:, None]")}) {
      body_.line(fmt::format("{} = tl.arange(0, BK){}", name, axis));
      body_.line(fmt::format("{0}_ok = {0} < {1}", name, units_.text()));
    }
    for (const char* name : {"unit", "ka", "kb"}) values_.variable(name, fmt::format("{}_ok", name));
    if (gated_) {
      body_.line("column = tl.arange(0, 4 * BU)[None, :]");
      body_.line("own = column % 4");
      body_.line("column_unit = tl.program_id(1) * BU + column // 4");
      body_.line(cell_.gates == 4 ? fmt::format("column_ok = column_unit < {}", units_.text())
                                  : fmt::format("column_ok = (column_unit < {}) & (own < {})", units_.text(), cell_.gates));
      values_.variable("own", "column_ok");
      values_.variable("column_unit", "column_ok");
    }
    if (!is_wave()) return;
    body_.line("layer = tl.program_id(2).to(tl.int64)");
    body_.line("lowest = layer == 0");
    body_.line(fmt::format("counter = layer * tl.cdiv({}, BB)", batch_.text()));
    values_.variable("layer", "");
    if (kind_ != "gru") return;
    // the inputs' share of the last gate is beside the hidden one
    body_.line("fed = tl.where(own == 3, 2, own)");
    body_.line(fmt::format("fed_ok = (column_unit < {}) & (own != 2)", units_.text()));
    values_.variable("fed", "fed_ok");
  }

  // A weight [g*h, h] as [h, columns].
  void load_weight(Body& inside, const std::string& name, ValueId weight, const std::string& which) {
    const Sym of_gate = gated_ ? Sym::index(which, Sym(cell_.gates)) * units_ + Sym::index("column_unit", units_) : Sym::index("unit", units_);
    if (which == "fed") inside.variable("column_unit", "fed_ok");  // the last column is a unit's as well
    const Operand loaded = inside.value(weight, {of_gate, Sym::index("kb", units_)});
    body_.line(fmt::format("{} = {}", name, whole(loaded, fmt::format("kb_ok & {}", !gated_ ? "unit_ok" : which == "fed" ? "fed_ok" : "column_ok"))));
  }

  void weights() {
    if (is_wave()) {
      for (const char* name : {"w", "v"}) body_.line(fmt::format("{} = tl.zeros((BK, {}), tl.float32)", name, gated_ ? "4 * BU" : "BU"));
    }
    for_each_layer(values_, [&](Body& inside, const ir::RecurrentLayer& layer) {
      load_weight(inside, "w", layer.weight, "own");
      if (layer.input_weight >= 0) load_weight(inside, "v", layer.input_weight, kind_ == "gru" ? "fed" : "own");
    });
    body_.line("w_high, w_low, w_power = in_halves(w, 0)");
    if (is_wave()) body_.line("v_high, v_low, v_power = in_halves(v, 0)");
  }

  // Of a GRU, whose reset gate is applied to the hidden share with its bias, and of all layers whose gates are made here.
  void biases() {
    const bool hidden = operands_[0].hidden_bias >= 0, below = is_wave() && !operands_[1].biases.empty();
    if (is_wave()) {
      for (const char* gate : cell_.names) {
        if (below) body_.line(fmt::format("b_{} = tl.zeros((1, BU), tl.float32)", gate));
        if (hidden) body_.line(fmt::format("c_{} = tl.zeros((1, BU), tl.float32)", gate));
      }
    }
    if (!hidden && !below) return;
    for_each_layer(values_, [&](Body& inside, const ir::RecurrentLayer& layer) {
      if (!hidden && layer.biases.empty()) body_.line("pass");
      for (int g = 0; g < cell_.gates; ++g) {
        const Sym place = Sym(g) * units_ + unit();
        const auto one = [&](ValueId bias) { return fmt::format("tl.where(unit_ok, {}, 0.0)", inside.value(bias, {place}).text); };
        std::string sum;
        for (const ValueId bias : layer.biases) sum += (sum.empty() ? "" : " + ") + one(bias);
        if (!sum.empty()) body_.line(fmt::format("b_{} = {}", cell_.names[static_cast<std::size_t>(g)], sum));
        if (hidden) body_.line(fmt::format("c_{} = {}", cell_.names[static_cast<std::size_t>(g)], one(layer.hidden_bias)));
      }
    });
    has_biases_ = below;
    has_hidden_biases_ = hidden;
  }

  void start(Body& rows) {
    body_.line("row = block * BB + tl.arange(0, BB)[:, None]");
    body_.line(fmt::format("row_ok = row < {}", batch_.text()));
    rows.variable("row", "row_ok");
    const char* kept = kind_ == "lstm" ? "cell" : kind_ == "gru" ? "mine" : nullptr;
    if (kept == nullptr) return;
    if (is_wave()) body_.line(fmt::format("{} = tl.zeros((BB, BU), tl.float32)", kept));
    for_each_layer(rows, [&](Body& inside, const ir::RecurrentLayer& layer) {
      body_.line(fmt::format("{} = {}", kept, whole(inside.value(kind_ == "lstm" ? layer.cell : layer.state, {row(), unit()}), "row_ok & unit_ok")));
    });
  }

  // The state before this step. It is loaded where it is used: a tile that is carried from turn to turn would be kept in the layout of a product's
  // operand, once for each warp.
  void state_before(const Body& now, bool reverse) {
    wait_for(is_wave() ? "counter + block" : "block", "step");
    const std::string slot = fmt::format("(slot {} 1)", reverse ? '+' : '-');
    body_.line(fmt::format("state = {}", stored_state(is_wave() ? fmt::format("(layer * {} + {})", steps_.operand_text(), slot) : slot, "row_ok & ka_ok & (step > 0)")));
    for (std::int64_t l = 0; l < layers_; ++l) {
      const std::string here = is_wave() ? fmt::format("(step == 0) & (layer == {})", l) : "(step == 0)";
      Body inside = now;
      inside.variable("row", fmt::format("row_ok & {}", here));
      inside.variable("ka", fmt::format("ka_ok & {}", here));
      const Operand first = inside.value(operands_[static_cast<std::size_t>(l)].state, {row(), units_.is(1) ? Sym(0) : Sym::index("ka", units_)});
      if (first.literal && first.text == "0.0") continue;
      body_.line(fmt::format("state = tl.where(row_ok & ka_ok & {}, {}, state)", here, first.text));
    }
  }

  void one_step(Body& now) {
    const bool reverse = ir::bool_attribute(node_, "reverse");
    body_.line(reverse ? fmt::format("slot = ({} - 1 - step).to(tl.int64)", steps_.text()) : "slot = step.to(tl.int64)");
    now.variable("slot", is_wave() ? "lowest" : "");
    for (int g = 0; g < cell_.gates; ++g) {
      const std::string loaded = now.value(node_.inputs[0], {place(), row(), Sym(g) * units_ + unit()}).text;
      inputs_.push_back(has_biases_ ? fmt::format("{} + b_{}", loaded, cell_.names[static_cast<std::size_t>(g)]) : loaded);
    }
    now.variable("slot", "");
    if (is_wave()) from_below();
    state_before(now, reverse);
    body_.line("high, low, power = in_halves(state, 1)");
    body_.line(fmt::format("share = {}{}", product("w"), is_wave() ? " + lower" : ""));
    new_state(now);
  }

  std::string product(const std::string& weight) const {
    return request_.precision == "ieee" ? fmt::format("product_of_halves(high, low, power, {0}_high, {0}_low, {0}_power)", weight)
                                        : fmt::format("product_of_highs(high, power, {0}_high, {0}_power)", weight);
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
    body_.line("h_z, x_n = tl.split(odd)");
    if (!has_hidden_biases_) return;
    for (const char* gate : cell_.names) body_.line(fmt::format("h_{0} = h_{0} + c_{0}", gate));
  }

  void new_state(Body& now) {
    context_.uses_libdevice = kind_ != "relu";
    if (gated_) split_gates();
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
      body_.line(fmt::format("n = libdevice.tanh({}{} + r * h_n)", input(2), is_wave() ? " + x_n" : ""));
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
    std::vector<Sym> index{place(), row(), unit()};
    if (is_wave()) index.insert(index.begin(), Sym::index("layer", Sym(layers_)));
    now.store_tile(output, {name, {"row", "unit"}, false}, index, "row_ok & unit_ok");
  }

  // All units of these rows as some programs have stored them; never from a cache of this multiprocessor, which may have seen the memory before.
  std::string stored_state(const std::string& slot, const std::string& mask) {
    const std::string role = context_.use_pointer(request_.buffers.at(node_.outputs[0]), true);
    return fmt::format("tl.load({}_ptr + {} * {} + row * {} + ka, mask={}, other=0.0, cache_modifier=\".cg\").to(tl.float32)", role, slot,
                       (batch_ * units_).operand_text(), units_.operand_text(), mask);
  }

  void wait_for(const std::string& counter, const std::string& times) {
    body_.line(fmt::format("while tl.atomic_add(arrived_ptr + {}, 0, sem=\"acquire\") < {} * tl.num_programs(1):", counter, times));
    body_.line("    pass");
    body_.line("tl.debug_barrier()");
  }

  // What a layer that is not the lowest is fed with.
  void from_below() {
    wait_for(fmt::format("tl.where(lowest, 0, counter - tl.cdiv({}, BB)) + block", batch_.text()), "tl.where(lowest, 0, step + 1)");
    body_.line(fmt::format("below = {}", stored_state(fmt::format("((layer - 1) * {} + slot)", steps_.operand_text()), "row_ok & ka_ok & (layer > 0)")));
    body_.line("high, low, power = in_halves(below, 1)");
    body_.line(fmt::format("lower = {}", product("v")));
  }

  // The barrier comes before the counter: what all threads have stored is there for whoever sees the counter.
  void arrive() {
    body_.line("tl.debug_barrier()");
    body_.line(fmt::format("tl.atomic_add(arrived_ptr + {}block, 1, sem=\"release\")", is_wave() ? "counter + " : ""));
  }

  void launch() {
    out_.constants = {{"BB", fmt::format("{}", tiles_.rows)}, {"BU", fmt::format("{}", tiles_.units)},
                      {"BK", fmt::format("max(16, triton.next_power_of_2({}))", units_.text())}};
    const std::string blocks = fmt::format("triton.cdiv({}, {})", units_.text(), tiles_.units), rows = fmt::format("triton.cdiv({}, {})", batch_.text(), tiles_.rows);
    const std::string each = is_wave() ? fmt::format("({} * {})", layers_, blocks) : blocks;
    out_.grid = fmt::format("(min({}, max(1, {} // {})), {}{})", rows, request_.gpu.multiprocessors, each, blocks, is_wave() ? fmt::format(", {}", layers_) : "");
    out_.counters = is_wave() ? fmt::format("{} * {}", layers_, rows) : rows;
    out_.num_warps = tiles_.columns >= 64 || given_value(request_, units_) > 512 ? 8 : 4;
    out_.num_stages = 1;
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::Node& node_;
  std::string kind_;
  const Cell& cell_;
  bool gated_;
  std::int64_t layers_;
  ir::RecurrenceTiles tiles_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
  Sym steps_, batch_, units_;
  std::vector<ir::RecurrentLayer> operands_;  // by layer
  std::vector<std::string> inputs_;           // the inputs' share of each gate, as far as it is added to it
  bool has_biases_ = false, has_hidden_biases_ = false;
};

}  // namespace

std::optional<EmittedKernel> emit_persistent(const EmitRequest& request) {
  if (!request.gpu.writes(ir::Form::persistent) || !request.gpu.cuda) return std::nullopt;
  const ir::Node& node = request.graph.nodes[static_cast<std::size_t>(request.kernel.nodes[0])];
  const ir::Type& state = request.graph.type(node.outputs[0]);
  if (ir::size_of(state.dtype) > 4) return std::nullopt;  // float64 has no parts of 16 bits that would do
  const std::string& kind = ir::text_attribute(node, "kind");
  const std::size_t last = state.shape.size() - 1;
  const std::optional<ir::RecurrenceTiles> tiles = ir::recurrence_tiles(request.gpu, cell_of(kind).gates > 1, given_value(request, state.shape[last - 1]),
                                                                        given_value(request, state.shape[last]), ir::layers_of(node));
  return tiles ? std::optional(PersistentEmitter(request, *tiles).run()) : std::nullopt;
}

}  // namespace ka::codegen

// One step of a recurrent layer per launch: h[t] from h[t-1] and the inputs' share of the gates, which is there already.
//
//              hidden units ->
//   batch  [ . . # . ]      program (row block, unit block) computes tile # of h[t]; for each gate it multiplies
//     |    [ . . # . ]      its rows of h[t-1] with its units' columns of the hidden weights
//
// A program needs all units of the step before, which other programs have computed: the launch is the barrier. persistent.cc does without it.
#include <algorithm>

#include <fmt/format.h>

#include "synth/codegen/family.h"
#include "synth/codegen/recurrence.h"

namespace ka::codegen {
namespace {

using ir::Sym;
using ir::ValueId;

std::int64_t covering(std::int64_t extent, std::int64_t low, std::int64_t high) {
  std::int64_t out = low;
  while (out < extent && out < high) out *= 2;
  return out;
}

class RecurrenceEmitter {
 public:
  explicit RecurrenceEmitter(const EmitRequest& request)
      : request_(request), graph_(request.graph), node_(graph_.nodes[static_cast<std::size_t>(request.kernel.nodes[0])]),
        kind_(ir::text_attribute(node_, "kind")), cell_(cell_of(kind_)), context_(context_of(request)), values_(context_, body_) {
    const ir::Shape& shape = graph_.shape(node_.outputs[0]);
    steps_ = shape[0];
    batch_ = shape[1];
    units_ = shape[2];
  }

  EmittedKernel run() {
    for (const char* name : {"row", "unit", "row_ok", "unit_ok", "k", "ka", "kb", "ka_ok", "kb_ok", "slot", "step", "before", "BB", "BU",
                             "BK", "PRECISION", "h", "cell"})
      body_.reserve(name);
    for (const std::string gate : cell_.names) {
      body_.reserve(gate);
      body_.reserve(gate_name(gate));
    }
    out_.name = request_.name;
    out_.loop = "step";
    out_.loop_count = steps_.text();
    context_.use_sizes(steps_);
    body_.indent();
    prologue();
    products();
    new_state();
    constants();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  void prologue() {
    const bool reverse = ir::bool_attribute(node_, "reverse");
    body_.line("row = tl.program_id(0) * BB + tl.arange(0, BB)[:, None]");
    body_.line("unit = tl.program_id(1) * BU + tl.arange(0, BU)[None, :]");
    body_.line(fmt::format("row_ok = row < {}", values_.text(batch_)));
    body_.line(fmt::format("unit_ok = unit < {}", values_.text(units_)));
    body_.line(reverse ? fmt::format("slot = ({} - 1 - step).to(tl.int64)", steps_.text()) : "slot = step.to(tl.int64)");
    body_.line(reverse ? "before = slot + 1" : "before = slot - 1");
    values_.variable("row", "row_ok");
    values_.variable("unit", "unit_ok");
    values_.variable("slot", "");
    for (const char* gate : cell_.names) body_.line(fmt::format("{} = tl.zeros((BB, BU), tl.float32)", gate_name(gate)));
  }

  static std::string gate_name(const std::string& gate) { return "h_" + gate; }

  // The state before this step: the initial one for the first, a slot of the output for the others.
  std::string previous(Body& values, ValueId states, ValueId initial, const Sym& unit, const std::string& mask) {
    const std::string start = values.value(initial, {row(), unit}).text;
    const std::string role = context_.use_pointer(request_.buffers.at(states), true);
    const std::string place = fmt::format("before * {} + row * {} + {}", (batch_ * units_).operand_text(), units_.operand_text(), unit.text());
    context_.use_sizes(batch_ * units_);
    const std::string later = body_.unique("earlier");
    body_.line(fmt::format("{} = tl.load({}_ptr + {}, mask=({}) & (step > 0), other=0.0)", later, role, place, mask));
    return values.emit("state", fmt::format("tl.where(step > 0, {}, {})", later, start), {}).text;
  }

  Sym row() const { return batch_.is(1) ? Sym(0) : Sym::index("row", batch_); }
  Sym unit() const { return units_.is(1) ? Sym(0) : Sym::index("unit", units_); }

  void products() {
    body_.line(fmt::format("for k in range(0, {}, BK):", values_.text(units_)));
    body_.indent();
    body_.line("ka = k + tl.arange(0, BK)[None, :]");
    body_.line("kb = k + tl.arange(0, BK)[:, None]");
    body_.line(fmt::format("ka_ok = ka < {}", units_.text()));
    body_.line(fmt::format("kb_ok = kb < {}", units_.text()));
    Body inner = values_;
    inner.variable("ka", "ka_ok");
    inner.variable("kb", "kb_ok");
    const std::string h = previous(inner, node_.outputs[0], node_.inputs[2], Sym::index("ka", units_), "row_ok & ka_ok");
    for (int g = 0; g < cell_.gates; ++g) {
      const std::string weight = inner.value(node_.inputs[1], {Sym(g) * units_ + unit(), Sym::index("kb", units_)}).text;
      const std::string acc = gate_name(cell_.names[static_cast<std::size_t>(g)]);
      body_.line(fmt::format("{0} = tl.dot({1}, {2}, {0}, input_precision=PRECISION)", acc, tile(inner, h, "(BB, BK)", "row_ok & ka_ok"),
                             tile(inner, weight, "(BK, BU)", "kb_ok & unit_ok")));
    }
    body_.dedent();
  }

  // Operands with an extent of one are not whole tiles yet.
  std::string tile(Body& inner, const std::string& text, const std::string& shape, const std::string& mask) {
    if (!batch_.is(1) && !units_.is(1)) return text;
    return inner.emit("whole", fmt::format("tl.where({}, tl.broadcast_to({}, {}), 0.0)", mask, text, shape), {}).text;
  }

  std::string gate(int g) {
    const Sym step = steps_.is(1) ? Sym(0) : Sym::index("slot", steps_);
    return values_.value(node_.inputs[0], {step, row(), Sym(g) * units_ + unit()}).text;
  }

  void new_state() {
    context_.uses_libdevice = kind_ != "relu";
    const std::string mask = "row_ok & unit_ok";
    if (kind_ == "lstm") {
      body_.line(fmt::format("i = tl.sigmoid({} + h_i)", gate(0)));
      body_.line(fmt::format("f = tl.sigmoid({} + h_f)", gate(1)));
      body_.line(fmt::format("g = libdevice.tanh({} + h_g)", gate(2)));
      body_.line(fmt::format("o = tl.sigmoid({} + h_o)", gate(3)));
      const std::string cell = previous(values_, node_.outputs[1], node_.inputs[3], unit(), mask);
      body_.line(fmt::format("cell = f * {} + i * g", cell));
      body_.line("h = o * libdevice.tanh(cell)");
      store(node_.outputs[1], "cell");
    } else if (kind_ == "gru") {
      if (node_.inputs.size() > 3) {
        for (int g = 0; g < 3; ++g) {
          const std::string bias = values_.value(node_.inputs[3], {Sym(g) * units_ + unit()}).text;
          body_.line(fmt::format("{0} = {0} + {1}", gate_name(cell_.names[static_cast<std::size_t>(g)]), bias));
        }
      }
      body_.line(fmt::format("r = tl.sigmoid({} + h_r)", gate(0)));
      body_.line(fmt::format("z = tl.sigmoid({} + h_z)", gate(1)));
      body_.line(fmt::format("n = libdevice.tanh({} + r * h_n)", gate(2)));
      body_.line(fmt::format("h = (1.0 - z) * n + z * {}", previous(values_, node_.outputs[0], node_.inputs[2], unit(), mask)));
    } else {
      body_.line(fmt::format("a = {} + h_a", gate(0)));
      body_.line(kind_ == "tanh" ? "h = libdevice.tanh(a)" : "h = tl.maximum(a, 0.0, propagate_nan=tl.PropagateNan.ALL)");
    }
    store(node_.outputs[0], "h");
  }

  void store(ValueId output, const std::string& name) {
    const Sym step = steps_.is(1) ? Sym(0) : Sym::index("slot", steps_);
    values_.store_tile(output, {name, {"row", "unit"}, false}, {step, row(), unit()}, "row_ok & unit_ok");
  }

  void constants() {
    const std::int64_t batch = given_value(request_, batch_), units = given_value(request_, units_);
    const std::int64_t rows = covering(batch, 16, 64), block = covering(units, 16, 32);
    out_.constants = {{"BB", fmt::format("{}", rows)}, {"BU", fmt::format("{}", block)},
                      {"BK", fmt::format("{}", covering(units, 16, 32))}, {"PRECISION", fmt::format("\"{}\"", request_.precision)}};
    out_.grid = fmt::format("(triton.cdiv({}, {}), triton.cdiv({}, {}))", batch_.text(), rows, units_.text(), block);
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::Node& node_;
  std::string kind_;
  const Cell& cell_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
  Sym steps_, batch_, units_;
};

}  // namespace

const Cell& cell_of(const std::string& kind) {
  static const Cell cells[] = {{"lstm", 4, {"i", "f", "g", "o"}}, {"gru", 3, {"r", "z", "n"}}, {"tanh", 1, {"a"}}, {"relu", 1, {"a"}}};
  return *std::find_if(std::begin(cells), std::end(cells), [&](const Cell& cell) { return kind == cell.name; });
}

EmittedKernel emit_recurrence(const EmitRequest& request) {
  if (std::optional<EmittedKernel> kept = emit_persistent(request)) return std::move(*kept);
  return RecurrenceEmitter(request).run();
}

}  // namespace ka::codegen

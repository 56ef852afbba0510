// Windows that slide: pooling with overlap. Neighbouring results share most of what they look at, so a program makes several lines of results below one another and reduces each line of
// the operand once, over the window's other directions; a result joins the last few of these lines.
//
//   lines of the operand   0 1 2 3 4 5      a window of three lines, step 1:
//   results                0 1 2 3          result r joins lines r, r + 1, r + 2
//
// That needs an operand whose elements depend on the result's place r and the window's place u by r + u alone, as they do where stride and dilation are equal.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ir/primitives.h"
#include "synth/codegen/family.h"

namespace ka::codegen {
namespace {

using ir::Node;
using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kLines = 8;           // of results in a program
constexpr std::int64_t kMostTaps = 64;       // of a window, unrolled
constexpr std::int64_t kLeastColumns = 128;  // of a line: fewer do not fill a program
constexpr std::int64_t kColumnsPerWarp = 64;

struct Combine {
  const char* kind;
  const char* identity;
  const char* text;
  const char* name;
};
constexpr Combine kCombines[] = {
    {"sum", "0.0", "{} + {}", "total"},
    {"max", "float(\"-inf\")", "tl.maximum({}, {}, propagate_nan=tl.PropagateNan.ALL)", "largest_seen"},
    {"min", "float(\"inf\")", "tl.minimum({}, {}, propagate_nan=tl.PropagateNan.ALL)", "smallest_seen"},
};

// Everything that decides which element of memory a value is at an index: indices of loads, and conditions of padding. Nothing where a value depends on its index in another way.
class Places {
 public:
  explicit Places(const KernelContext& context) : context_(context), graph_(*context.graph) {}

  bool visit(ValueId value, const std::vector<Sym>& index) {
    if (const Buffer* buffer = context_.loadable(value)) {
      found.insert(found.end(), index.begin(), index.end());
      read[buffer->name] = ir::product(buffer->shape);
      return true;
    }
    const Node* node = graph_.maker(value);
    if (node == nullptr) return false;
    if (node->op == "constant") return true;
    if (node->op == "remap") {
      std::map<std::string, Sym> places;
      for (std::size_t d = 0; d < index.size(); ++d) places[fmt::format("i{}", d)] = index[d];
      std::vector<Sym> inner;
      for (const Sym& i : ir::ints_attribute(*node, "index")) inner.push_back(ir::substitute(i, places));
      if (node->attributes.contains("valid")) {
        for (const Sym& condition : ir::ints_attribute(*node, "valid")) found.push_back(ir::substitute(condition, places));
      }
      return visit(node->inputs[0], inner);
    }
    if (node->inputs.empty() || node->op == "gather" || ir::find_primitive(node->op)->fusion != ir::Fusion::elementwise) return false;
    return std::all_of(node->inputs.begin(), node->inputs.end(), [&](ValueId input) {
      const ir::Shape& shape = graph_.shape(input);
      std::vector<Sym> inner(index.end() - static_cast<std::ptrdiff_t>(shape.size()), index.end());
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d].is(1)) inner[d] = 0;
      }
      return visit(input, inner);
    });
  }

  std::vector<Sym> found;
  std::map<std::string, Sym> read;  // elements of each tensor in memory

 private:
  const KernelContext& context_;
  const ir::Graph& graph_;
};

class WindowEmitter {
 public:
  explicit WindowEmitter(const EmitRequest& request) : request_(request), graph_(request.graph), kernel_(request.kernel), context_(context_of(request)), values_(context_, body_) {}

  // Whether lines can be shared, and it pays.
  bool accept() {
    for (const int number : kernel_.nodes) {
      const Node& node = graph_.nodes[static_cast<std::size_t>(number)];
      if (node.op != "reduce") continue;
      if (reduce_ != nullptr) return false;
      reduce_ = &node;
    }
    if (reduce_ == nullptr || !ir::is_float(graph_.type(reduce_->inputs[0]).dtype) || graph_.type(reduce_->inputs[0]).dtype == ir::DType::float64) return false;
    const auto* const found = std::find_if(std::begin(kCombines), std::end(kCombines), [&](const Combine& row) { return ir::text_attribute(*reduce_, "kind") == row.kind; });
    if (found == std::end(kCombines)) return false;
    combine_ = found;
    return sort_dimensions() && results_are_per_row() && choose_lines() && pays();
  }

  EmittedKernel run() {
    name_points();
    prologue();
    const int mark = body_.mark();
    body_.line(fmt::format("for step in tl.static_range(LINES + {}):", height_ - 1));
    body_.indent();
    one_line(mark);
    body_.dedent();
    out_.name = request_.name;
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  bool is_reduced(int d) const { return std::find(kernel_.reduced.begin(), kernel_.reduced.end(), d) != kernel_.reduced.end(); }
  const Sym& extent(int d) const { return kernel_.domain[static_cast<std::size_t>(d)]; }

  bool sort_dimensions() {
    std::int64_t taps = 1;
    for (int d = 0; d < static_cast<int>(kernel_.domain.size()); ++d) {
      if (!is_reduced(d)) {
        rows_.push_back(d);
        continue;
      }
      const std::optional<std::int64_t> length = extent(d).constant();
      if (!length) return false;
      taps *= *length;
    }
    return rows_.size() >= 2 && kernel_.reduced.size() >= 2 && taps <= kMostTaps;
  }

  bool results_are_per_row() const {
    return std::all_of(kernel_.outputs.begin(), kernel_.outputs.end(), [&](ValueId output) {
      return std::all_of(kernel_.reduced.begin(), kernel_.reduced.end(), [&](int d) {
        const std::vector<Sym>& index = kernel_.index.at(output);
        return std::none_of(index.begin(), index.end(), [&](const Sym& i) { return ir::depends_on(i, fmt::format("p{}", d)); });
      });
    });
  }

  // A direction of the window and one of the results that are only ever added up; the last direction of the results stays within a line.
  bool choose_lines() {
    std::int64_t best = 1;
    for (const int reduced : kernel_.reduced) {
      for (std::size_t r = 0; r + 1 < rows_.size(); ++r) {
        if (*extent(reduced).constant() <= best || !adds_up(rows_[r], reduced)) continue;
        best = *extent(reduced).constant();
        line_ = rows_[r];
        shared_ = reduced;
      }
    }
    height_ = best;
    return best > 1;
  }

  bool adds_up(int row, int reduced) const {
    std::vector<Sym> apart, together;
    for (int d = 0; d < static_cast<int>(kernel_.domain.size()); ++d) apart.push_back(Sym::index(fmt::format("p{}", d), extent(d)));
    together = apart;
    together[static_cast<std::size_t>(row)] = apart[static_cast<std::size_t>(row)] + apart[static_cast<std::size_t>(reduced)];
    together[static_cast<std::size_t>(reduced)] = 0;
    Places one(context_), other(context_);
    if (!one.visit(reduce_->inputs[0], apart) || !other.visit(reduce_->inputs[0], together) || one.found.size() != other.found.size()) return false;
    for (std::size_t i = 0; i < one.found.size(); ++i) {
      if (one.found[i].text() != other.found[i].text()) return false;
    }
    return true;
  }

  // Long lines, and enough programs for all multiprocessors.
  bool pays() {
    const std::int64_t columns = given_value(request_, extent(rows_.back()));
    if (columns < kLeastColumns || given_value(request_, extent(line_)) < kLines) return false;
    columns_ = columns >= 2 * kLeastColumns ? 2 * kLeastColumns : kLeastColumns;
    return given_value(request_, programs()) >= request_.gpu.wanted_programs();
  }

  Sym programs() const {
    Sym out = ir::ceil_div(extent(rows_.back()), columns_) * ir::ceil_div(extent(line_), kLines);
    for (const int d : rows_) {
      if (d != line_ && d != rows_.back()) out = out * extent(d);
    }
    return out;
  }

  void name_points() {
    ir::Shape others, taps;
    for (const int d : rows_) {
      if (d != line_ && d != rows_.back()) others.push_back(extent(d));
    }
    for (const int d : kernel_.reduced) {
      if (d != shared_) taps.push_back(extent(d));
    }
    plane_ = ir::product(others);
    taps_ = *ir::product(taps).constant();
    const std::vector<Sym> other_index = ir::delinearize(Sym::index("plane", plane_), others), tap_index = ir::delinearize(Sym::index("tap", ir::product(taps)), taps);
    std::size_t other = 0, tap = 0;
    for (int d = 0; d < static_cast<int>(kernel_.domain.size()); ++d) {
      if (d == line_) read_.push_back(Sym::index("line", lines_read())), written_.push_back(Sym::index("at", extent(d)));
      else if (d == shared_) read_.emplace_back(0), written_.emplace_back(0);
      else if (d == rows_.back()) read_.push_back(Sym::index("column", extent(d))), written_.push_back(read_.back());
      else if (is_reduced(d)) read_.push_back(tap_index[tap++]), written_.emplace_back(0);
      else read_.push_back(other_index[other++]), written_.push_back(read_.back());
    }
  }

  // More than any offset: all that is written and all that is read.
  Sym largest() const {
    Sym out = plane_ * extent(line_) * extent(rows_.back());
    Places places(context_);
    places.visit(reduce_->inputs[0], read_);
    for (const auto& [name, elements] : places.read) out = out + elements;
    return out;
  }

  Sym lines_read() const { return extent(line_) + (height_ - 1); }

  void prologue() {
    for (const char* name : {"program", "strips", "bands", "first", "step", "line", "line_ok", "at", "at_ok", "column", "column_ok", "plane", "tap", "LINES", "COLUMNS", "WIDE"}) body_.reserve(name);
    body_.indent();
    body_.line("program = tl.program_id(0)");
    body_.line("if WIDE:");
    body_.line("    program = program.to(tl.int64)");
    body_.line(fmt::format("strips, bands = tl.cdiv({}, COLUMNS), tl.cdiv({}, LINES)", values_.text(extent(rows_.back())), values_.text(extent(line_))));
    body_.line("column = program % strips * COLUMNS + tl.arange(0, COLUMNS)");
    body_.line(fmt::format("column_ok = column < {}", values_.text(extent(rows_.back()))));
    body_.line("first = program // strips % bands * LINES");
    body_.line("plane = program // strips // bands");
    values_.variable("column", "column_ok");
    values_.variable("plane", "");
    for (std::int64_t k = 1; k < height_; ++k) {
      older_.push_back(body_.unique(fmt::format("line_{}", k)));
      body_.line(fmt::format("{} = tl.full((COLUMNS,), {}, tl.float32)", older_.back(), combine_->identity));
    }
    out_.constants = {{"LINES", fmt::format("{}", kLines)}, {"COLUMNS", fmt::format("{}", columns_)}, {"WIDE", wide_text(largest())}};
    const std::string planes = plane_.is(1) ? "" : fmt::format(" * ({})", plane_.text());
    out_.grid = fmt::format("(triton.cdiv({}, {}) * triton.cdiv({}, {}){},)", extent(rows_.back()).text(), columns_, extent(line_).text(), kLines, planes);
    out_.programs = given_value(request_, programs());
    out_.num_warps = static_cast<int>(columns_ / kColumnsPerWarp);
  }

  std::string combined(const std::string& a, const std::string& b) const { return fmt::format(fmt::runtime(combine_->text), a, b); }

  // A line of the operand, and with it the line of results that it completes.
  void one_line(int mark) {
    Body inner = values_.in_loop(mark);
    body_.line("line = first + step");
    body_.line(fmt::format("line_ok = line < {}", values_.text(lines_read())));
    inner.variable("line", "line_ok");
    const std::string newest = body_.unique(combine_->name);
    body_.line(fmt::format("{} = tl.full((COLUMNS,), {}, tl.float32)", newest, combine_->identity));
    body_.line(fmt::format("for tap in tl.static_range({}):", taps_));
    body_.indent();
    Body taps(inner);
    taps.number("tap");
    const ir::DType dtype = graph_.type(reduce_->inputs[0]).dtype;
    const Operand x = taps.named(taps.value(reduce_->inputs[0], read_), dtype);
    body_.line(fmt::format("{} = {}", newest, combined(newest, x.text)));
    body_.dedent();
    body_.line(fmt::format("if step >= {}:", height_ - 1));
    body_.indent();
    results(inner, newest);
    body_.dedent();
    for (std::size_t k = 0; k + 1 < older_.size(); ++k) body_.line(fmt::format("{} = {}", older_[k], older_[k + 1]));
    body_.line(fmt::format("{} = {}", older_.back(), newest));
  }

  void results(const Body& outer, const std::string& newest) {
    Body inner(outer);
    body_.line(fmt::format("at = line - {}", height_ - 1));
    body_.line(fmt::format("at_ok = at < {}", values_.text(extent(line_))));
    inner.variable("at", "at_ok");
    std::string joined = older_[0];
    for (std::size_t k = 1; k < older_.size(); ++k) joined = combined(joined, older_[k]);
    inner.bind(reduce_->outputs[0], inner.emit("window", combined(joined, newest), {"column", "at", "plane"}));
    for (const ValueId output : kernel_.outputs) {
      const std::vector<Sym> index = at_points(kernel_.index.at(output), written_);
      const Operand value = inner.named(inner.value(output, index), graph_.type(output).dtype);
      inner.store(output, value, index);
    }
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::PlannedKernel& kernel_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
  const Node* reduce_ = nullptr;
  const Combine* combine_ = nullptr;
  std::vector<int> rows_;      // dimensions that are not reduced
  int line_ = -1, shared_ = -1;  // the dimension of the results, and that of the window, that are added up
  std::int64_t height_ = 1, taps_ = 1, columns_ = 1;
  Sym plane_;
  std::vector<Sym> read_, written_;  // points of the domain: where a line is read, where results are written
  std::vector<std::string> older_;
};

}  // namespace

std::optional<EmittedKernel> emit_window(const EmitRequest& request) {
  WindowEmitter emitter(request);
  if (!emitter.accept()) return {};
  return emitter.run();
}

}  // namespace ka::codegen

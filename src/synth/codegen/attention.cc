// softmax(f(q k^T)) v without the products in memory: a program holds BM rows of q and walks over k and v, BN columns at a time.
//
//          n ->                       peak, total: the largest score and the sum of exp(score - peak) so far
//   m  q [ s s | s s | s . ]          acc:         the sum of exp(score - peak) * v so far
//                                     where the peak grows, total and acc shrink to the new one
//
// f is whatever the program computes between the product and the softmax, element by element: it is written into the loop, but for what score.h takes out of it.
// Exponents are of base 2: `unit` is log2(e) times the factors that all scores have.
//
// The loop is compiled twice, for blocks that all rows see whole, where nothing is compared, and for those at an edge: of a causal mask, or of the keys. Blocks that a
// causal mask hides from all rows are not visited; tiles that see most keys come first, so that short ones are left for the end. Scores of places that do
// not exist are -inf. Where every score of a row is -inf the total is 0, and the result what the program's own division makes of it.
//
// float32 may come in two float16 parts (partition/half_products.h): then a product is the sum of three.
#include <algorithm>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "synth/codegen/family.h"
#include "synth/codegen/fetch.h"
#include "synth/codegen/score.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kGroupRows = 64;  // of a tile: what four warps multiply together, out of memory that blocks are fetched to

constexpr int kUnscaling = 2;            // operations on each score that undo the power of its key

struct Tiles {
  std::int64_t m = 128, n = 64;
  int warps = 8, stages = 3;
};

struct Extents {
  std::int64_t batch = 1, m = 1, n = 1, width = 1;
};

// How operands are multiplied: float16 or bfloat16, float32 in two float16 parts, float32 on tensor cores (TF32) or without them.
enum class Way { half, parts, tf32, ieee };

std::int64_t covering(std::int64_t extent, std::int64_t low, std::int64_t high) {
  std::int64_t out = low;
  while (out < extent && out < high) out *= 2;
  return out;
}

// Chosen so that nothing spills on sm_90 (test_attention_tiles.py): acc has m * width elements, the scores m * n. Up to a width of 64 two programs of four warps share a
// multiprocessor: one multiplies while the other takes exponents. `crowded`: something is loaded or computed for each score.
Tiles tiles_for(const Extents& e, Way way, bool crowded, std::int64_t multiprocessors) {
  Tiles out;
  const bool narrow = e.width <= 64, wide = e.width > 128;
  switch (way) {
    case Way::half: out = narrow ? Tiles{128, 64, crowded ? 8 : 4, 3} : Tiles{128, wide ? 32 : 64, 8, crowded && wide ? 2 : 3}; break;
    case Way::parts: out = Tiles{128, narrow ? 64 : crowded ? 16 : 32, 8, 3}; break;
    case Way::tf32: out = wide ? Tiles{64, 32, 8, 2} : Tiles{128, 64, 8, 2}; break;
    case Way::ieee: out = narrow ? Tiles{64, 32, 8, 2} : Tiles{32, 16, 8, 2}; break;
  }
  const std::int64_t most = out.m, least = way == Way::ieee ? 32 : 64;
  out.m = covering(e.m, 16, most);
  while (out.m > least && e.batch * ((e.m + out.m - 1) / out.m) < multiprocessors) out.m /= 2;
  if (out.m < most && (way != Way::ieee || out.m * e.width < 64 * 64)) out.warps = 4;
  out.n = covering(e.n, 16, out.n);
  return out;
}

class AttentionEmitter {
 public:
  explicit AttentionEmitter(const EmitRequest& request)
      : request_(request), graph_(request.graph), first_(*graph_.maker(role("product"))), last_(*graph_.maker(role("result"))), batch_(shape("query")[0]), rows_(shape("query")[1]),
        columns_(shape("key")[2]), depth_(shape("query")[2]), width_(shape("value")[2]), context_(context_of(request)), values_(context_, body_) {
    half_products_ = dtype("query") == dtype("key") && dtype("query") != DType::float32;
    half_sums_ = dtype("value") != DType::float32;
    key_lies_across_ = columns_lie_together(request, context_, role("key"));
    plan_ = plan_scores(context_, role("product"), {role("scores"), place_in("scores", column("n"))}, row(), column("n"));
    const std::vector<ValueAt> fixed = fixed_along(context_, role("softmax"), ValueAt(role("weights"), {batch(), row(), column("n")}), column("n"));
    plan_.fixed.insert(plan_.fixed.end(), fixed.begin(), fixed.end());
    choose_tiles();
  }

  EmittedKernel run() {
    prologue();
    before_loop();
    loops();
    epilogue();
    launch();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  ValueId role(const char* name) const { return request_.kernel.roles.at(name); }
  const ir::Shape& shape(const char* name) const { return graph_.shape(role(name)); }
  DType dtype(const char* name) const { return graph_.type(role(name)).dtype; }
  Sym batch() const { return along("b", batch_); }
  Sym row() const { return along("m", rows_); }
  Sym column(const char* name) const { return along(name, columns_); }
  static Sym along(const char* name, const Sym& extent) { return extent.is(1) ? Sym(0) : Sym::index(name, extent); }
  std::string precision(bool half) const { return half ? "" : ", input_precision=PRECISION"; }
  bool has_parts() const { return first_.inputs.size() == 4; }

  void choose_tiles() {
    const auto given = [&](const Sym& extent) { return given_value(request_, extent); };
    const Way way = has_parts() ? Way::parts : half_products_ && half_sums_ ? Way::half : request_.precision == "ieee" ? Way::ieee : Way::tf32;
    const Extents extents{given(batch_), given(rows_), given(columns_), std::max(covering(given(depth_), 16, 1024), covering(given(width_), 16, 1024))};
    const int expected = has_parts() ? kUnscaling : 0;
    tiles_ = tiles_for(extents, way, plan_.operations > expected, request_.gpu.multiprocessors);
    if (!request_.gpu.writes(ir::Form::descriptors)) return;
    std::vector<ValueId> operands{role("query"), role("key"), role("value")};
    if (has_parts()) operands.insert(operands.end(), {first_.inputs[2], first_.inputs[3], last_.inputs[3]});
    fetch_ = fetch_of(request_, context_, operands);
    if (fetch_.refusal.empty() && tiles_.m < kGroupRows) fetch_.refusal = fmt::format("a tile of {} rows is multiplied out of registers", tiles_.m);
    fetches_ = fetch_.refusal.empty();
    out_.remark = fetches_ ? "operands by descriptors" : "operands by pointers: " + fetch_.refusal;
  }

  // Whether blocks of the keys end where the keys do, at all sizes.
  bool has_even_columns() const { return columns_.constant() && *columns_.constant() % tiles_.n == 0; }
  bool has_edges() const { return plan_.mask || !has_even_columns(); }

  void prologue() {
    for (const char* name : {"b", "m", "n", "nv", "d", "dk", "e", "m_ok", "n_ok", "nv_ok", "d_ok", "dk_ok", "e_ok", "tile", "down", "top", "step", "start", "end", "whole", "edge", "last", "unit", "peak",
                             "total", "acc", "score", "weight", "above", "shift", "shrink", "part", "plane", "BM", "BN", "BD", "BE", "PRECISION", "WIDE"})
      body_.reserve(name);
    body_.indent();
    body_.line("tile = tl.program_id(0)");
    body_.line(fmt::format("down = tl.cdiv({}, BM)", values_.text(rows_)));
    if (!batch_.is(1)) body_.line("b = tile // down");
    body_.line(plan_.mask ? "top = (down - 1 - tile % down) * BM" : "top = tile % down * BM");
    if (fetches_ && !batch_.is(1)) body_.line("plane = b");
    body_.line("m = top + tl.arange(0, BM)[:, None]");
    body_.line("step = tl.arange(0, BN)");
    body_.line("if WIDE:");
    if (!batch_.is(1)) body_.line("    b = b.to(tl.int64)");
    for (const char* name : {"m", "step"}) body_.line(fmt::format("    {0} = {0}.to(tl.int64)", name));
    body_.line(fmt::format("m_ok = m < {}", values_.text(rows_)));
    values_.variable("b", "");
    values_.variable("m", "m_ok");
    across("d", depth_, "[None, :]", "BD");
    if (key_lies_across_) across("dk", depth_, "[:, None]", "BD");
    across("e", width_, "[None, :]", "BE");
  }

  // The places of a head. The compiler knows how wide it is: blocks are made for it, and loads are wide where its rows begin at multiples of 16 bytes.
  void across(const char* name, const Sym& extent, const char* spread, const char* block) {
    for (const ir::AtomRef& atom : ir::symbols(extent)) out_.fixed_sizes.insert(atom->name);
    body_.line(fmt::format("{} = tl.arange(0, {}){}", name, block, spread));
    if (const std::optional<std::int64_t> width = extent.constant(); width && covering(*width, 16, 1024) == *width) {
      values_.variable(name, "");
      return;
    }
    const std::string end = values_.text(extent);
    body_.line(extent.constant() ? fmt::format("{0}_ok = {0} < {1}", name, end) : fmt::format("{0}_ok = {0} < {1} if {1} < {2} else tl.full({0}.shape, True, tl.int1)", name, end, block));
    values_.variable(name, std::string(name) + "_ok");
  }

  void before_loop() {
    bring({0, 3}, {"plane", "top", "0", "BM", "BD"}, [&] {
      const auto load = [&](ValueId x) { return whole_tile(values_, x, {batch(), row(), along("d", depth_)}, {"m", "d"}, "(BM, BD)", half_products_); };
      query_ = load(role("query"));
      if (has_parts()) query_rest_ = load(first_.inputs[2]);
      return std::vector{query_, query_rest_};
    });
    for (const auto& [value, index] : plan_.fixed) static_cast<void>(values_.value(value, index));
    std::string unit = fmt::format("{}", std::numbers::log2e);
    for (const Factor& factor : plan_.factors) unit += fmt::format(" {} {}", factor.divides ? "/" : "*", values_.value(factor.value.first, factor.value.second).text);
    body_.line("unit = " + unit);
    if (plan_.mask && !plan_.mask->span.is(0)) body_.line(fmt::format("last = m + {}", values_.text(plan_.mask->span)));
    body_.line("peak = tl.full((BM, 1), float(\"-inf\"), tl.float32)");
    body_.line("total = tl.zeros((BM, 1), tl.float32)");
    body_.line("acc = tl.zeros((BM, BE), tl.float32)");
  }

  void loops() {
    before_ = body_.mark();
    const std::string all = values_.text(columns_);
    if (!has_edges()) {
      body_.line(fmt::format("for start in range(0, {}, BN):", all));
      block();
      return;
    }
    std::string end = all, seen = all;
    if (plan_.mask) {
      const Sym& span = plan_.mask->span;
      const std::string more = span.is(0) ? "" : " + " + values_.text(span);
      body_.line(fmt::format("end = tl.minimum({}, top + BM{})", all, more));
      end = "end";
      seen = fmt::format("tl.minimum({}, top + 1{})", all, more);
      if (!ir::is_nonnegative(span)) seen = fmt::format("tl.maximum({}, 0)", seen);
    }
    body_.line(fmt::format("whole = {} // BN * BN", plan_.mask || columns_.is_plain() ? seen : "(" + seen + ")"));
    body_.line("for edge in tl.static_range(2):");
    body_.indent();
    body_.line(fmt::format("for start in range(whole if edge else 0, {} if edge else whole, BN):", end));
    block();
    body_.dedent();
  }

  void block() {
    body_.indent();
    body_.line("n = start + step[None, :]");
    body_.line("nv = start + step[:, None]");
    const bool even = has_even_columns();
    if (!even) {
      for (const char* name : {"n", "nv"}) body_.line(fmt::format("{0}_ok = {0} < {1} if edge else tl.full({0}.shape, True, tl.int1)", name, values_.text(columns_)));
    }
    Body inner = values_.in_loop(before_);
    inner.variable("n", even ? "" : "n_ok");
    inner.variable("nv", even ? "" : "nv_ok");
    inner.bind(role("product"), product(inner));
    scores(inner);
    // of 16-bit operands an exponent is one instruction; for float32 the difference comes first, which is exact where it matters
    const bool fused = half_sums_ && half_products_ && !has_parts();
    body_.line(fmt::format("above = tl.maximum(peak, tl.max(score, axis=1)[:, None]{})", fused ? " * unit" : ""));
    body_.line("shift = tl.where(above == float(\"-inf\"), 0.0, above)");
    body_.line(fused ? "weight = tl.exp2(score * unit - shift)" : "weight = tl.exp2((score - shift) * unit)");
    body_.line(fused ? "shrink = tl.exp2(peak - shift)" : "shrink = tl.exp2((peak - shift) * unit)");
    body_.line("total = total * shrink + tl.sum(weight, axis=1)[:, None]");
    body_.line("peak = above");
    inner.bind(role("softmax"), {"weight", {"m", "n"}, false});
    sums(inner);
    body_.dedent();
  }

  // The operands of these numbers, under the same names in whichever way they come.
  template <typename Load>
  void bring(std::initializer_list<std::size_t> operands, const Tile& tile, Load load) {
    if (!fetches_) {
      static_cast<void>(load());
      return;
    }
    body_.line(fmt::format("if {} is None:", blocks()[0].name));
    body_.indent();
    const std::vector<std::string> names = load();
    body_.dedent();
    body_.line("else:");
    body_.indent();
    std::size_t k = 0;
    for (const std::size_t operand : operands) {
      if (operand < fetch_.operands.size()) body_.line(fmt::format("{} = {}", names[k++], fetched_text(matrix(operand), blocks()[operand].name, tile)));
    }
    body_.dedent();
  }

  static bool is_key(std::size_t operand) { return operand % 3 == 1; }

  // As the kernel reads it: keys as rows, unless they lie across.
  Matrix matrix(std::size_t operand) const {
    Matrix out = fetch_.operands[operand];
    if (is_key(operand) && !key_lies_across_) out.transposed = !out.transposed;
    return out;
  }

  // What the kernel is handed beside the pointers: q, k, v and their rests.
  const std::vector<Blocks>& blocks() {
    for (std::size_t i = out_.blocks.size(); i < fetch_.operands.size(); ++i) {
      const Matrix x = matrix(i);
      const std::string name = body_.unique(context_.use_pointer(*x.memory) + "_blocks");
      const char* const rows = i % 3 == 0 ? "BM" : is_key(i) && key_lies_across_ ? "BD" : "BN";
      const char* const columns = i % 3 == 0 ? "BD" : i % 3 == 2 ? "BE" : key_lies_across_ ? "BN" : "BD";
      out_.blocks.push_back(blocks_text(x, name, rows, columns));
    }
    return out_.blocks;
  }

  Operand product(Body& inner) {
    std::string key, rest;
    const std::string at = "tl.cast(start, tl.int32)";
    bring({1, 4}, key_lies_across_ ? Tile{"plane", "0", at, "BD", "BN"} : Tile{"plane", at, "0", "BN", "BD"}, [&] {
      const auto load = [&](ValueId x) {
        return key_lies_across_ ? whole_tile(inner, x, {batch(), along("dk", depth_), column("n")}, {"dk", "n"}, "(BD, BN)", half_products_)
                                : whole_tile(inner, x, {batch(), along("d", depth_), column("nv")}, {"nv", "d"}, "(BN, BD)", half_products_);
      };
      key = load(role("key"));
      if (has_parts()) rest = load(first_.inputs[3]);
      return std::vector{key, rest};
    });
    const char* const turned = key_lies_across_ ? "" : ".T";
    const std::string large = fmt::format("tl.dot({}, {}{}{})", query_, key, turned, precision(half_products_));
    if (!has_parts()) return inner.emit("product", large, {"m", "n"});
    const std::string cross = inner.emit("cross", fmt::format("tl.dot({}, {}{})", query_, rest, turned), {"m", "n"}).text;
    body_.line(fmt::format("{0} = tl.dot({1}, {2}{3}, {0})", cross, query_rest_, key, turned));
    const Operand out = inner.emit("product", large, {"m", "n"});
    body_.line(fmt::format("{0} = tl.where(tl.abs({0}) < float(\"inf\"), {0} + {1}, {0})", out.text, cross));
    return out;
  }

  // Which columns a causal mask shows.
  std::string shown() const { return plan_.mask->span.is(0) ? "n <= m" : "n <= last"; }

  // The scores without their factors, and -inf where there are none.
  void scores(Body& inner) {
    const std::optional<CausalMask>& mask = plan_.mask;
    const auto whole = [&](const ValueAt& at) {
      const Operand x = inner.named(inner.value(at.first, at.second), DType::float32);
      return x.over.contains("m") && x.over.contains("n") ? x.text : fmt::format("tl.broadcast_to({}, (BM, BN))", x.text);
    };
    if (mask && !plan_.mask_is_last) {
      const std::string masked = inner.emit("masked", whole({mask->shown, mask->shown_at}), {"m", "n"}).text;
      body_.line("if edge:");
      body_.line(fmt::format("    {0} = tl.where({1}, {0}, float(\"-inf\"))", masked, shown()));
      inner.bind(mask->masked, {masked, {"m", "n"}, false});
    }
    body_.line("score = " + whole(plan_.inner));
    for (const Hidden& hidden : plan_.hidden) {
      const std::string condition = inner.named(inner.value(hidden.condition.first, hidden.condition.second), DType::bool_).text;
      body_.line(fmt::format(fmt::runtime(hidden.where_true ? "score = tl.where({}, float(\"-inf\"), score)" : "score = tl.where({}, score, float(\"-inf\"))"), condition));
    }
    std::string visible = mask && plan_.mask_is_last ? shown() : "";
    if (!has_even_columns()) visible = visible.empty() ? "n_ok" : fmt::format("({}) & n_ok", visible);
    if (!visible.empty()) {
      body_.line("if edge:");
      body_.line(fmt::format("    score = tl.where({}, score, float(\"-inf\"))", visible));
    }
  }

  void sums(Body& inner) {
    const std::vector<Sym> place{batch(), row(), column("n")};
    std::vector<std::string> left;
    for (std::size_t k = 0; k < last_.inputs.size(); k += 2) {
      const ValueId factor = last_.inputs[k];
      left.push_back(has_parts() ? inner.raw(factor, place).text : inner.named(inner.value(factor, place), DType::float32).text);
    }
    std::string value, rest;
    bring({2, 5}, {"plane", "tl.cast(start, tl.int32)", "0", "BN", "BE"}, [&] {
      const auto load = [&](ValueId x) { return whole_tile(inner, x, {batch(), column("nv"), along("e", width_)}, {"nv", "e"}, "(BN, BE)", half_sums_); };
      value = load(role("value"));
      if (has_parts()) rest = load(last_.inputs[3]);
      return std::vector{value, rest};
    });
    if (!has_parts()) {
      const std::string factor = half_sums_ ? fmt::format("{}.to({})", left[0], triton_type(dtype("value"))) : left[0];
      body_.line(fmt::format("acc = tl.dot({}, {}, acc * shrink{})", factor, value, precision(half_sums_)));
      return;
    }
    // a tensor core cuts off where it should round: it adds up one block, not all of them
    body_.line(fmt::format("part = tl.dot({}, {})", left[0], rest));
    body_.line(fmt::format("part = tl.dot({}, {}, part)", left[1], value));
    body_.line(fmt::format("part = tl.dot({}, {}, part)", left[0], value));
    body_.line("acc = acc * shrink + part");
  }

  // The index of a value with the scores' rows and columns, whatever dimensions the batch is spread over.
  std::vector<Sym> place_in(const char* name, const Sym& at) const {
    const ir::Shape& to = shape(name);
    std::vector<Sym> index = ir::delinearize(batch(), ir::Shape(to.begin(), to.end() - 2));
    index.push_back(row());
    index.push_back(at);
    return index;
  }

  // An operand that does not vary along an axis still has to be a whole tile, with nothing outside.
  std::string whole_tile(Body& inner, ValueId operand, const std::vector<Sym>& index, const std::set<std::string>& axes, const char* to, bool half) const {
    const Operand x = inner.named(half ? inner.raw(operand, index) : inner.value(operand, index), graph_.type(operand).dtype);
    const bool complete = std::all_of(axes.begin(), axes.end(), [&](const std::string& axis) { return x.over.contains(axis); });
    if (complete) return x.text;
    const std::string mask = inner.mask_of(axes), spread = fmt::format("tl.broadcast_to({}, {})", x.text, to);
    return inner.emit("whole", mask.empty() ? spread : fmt::format("tl.where({}, {}, 0.0)", mask, spread), axes).text;
  }

  void epilogue() {
    values_.bind(role("sum"), {"total", {"m"}, false});
    const Operand divisor = values_.value(role("divisor"), place_of_divisor());
    body_.line(fmt::format("acc = acc / {}", divisor.text));
    values_.bind(role("result"), {"acc", {"m", "e"}, false});
    const std::vector<Sym> points{batch(), row(), along("e", width_)};
    for (const ValueId output : request_.kernel.outputs) {
      const std::vector<Sym> index = at_points(request_.kernel.index.at(output), points);
      Operand x = values_.named(values_.value(output, index), graph_.type(output).dtype);
      if (!x.over.contains("m") || !x.over.contains("e")) x = values_.emit("x", fmt::format("tl.broadcast_to({}, (BM, BE))", x.text), {"m", "e"});
      values_.store_tile(output, x, index, values_.mask_of(std::set<std::string>{"m", "e"}));
    }
  }

  std::vector<Sym> place_of_divisor() const {
    std::vector<Sym> index = place_in("scores", 0);
    return std::vector<Sym>(index.end() - static_cast<std::ptrdiff_t>(shape("divisor").size()), index.end());
  }

  void launch() {
    out_.name = request_.name;
    const auto padded = [](const Sym& extent) {
      return extent.constant() ? fmt::format("{}", covering(*extent.constant(), 16, 1024)) : fmt::format("max(16, triton.next_power_of_2({}))", extent.text());
    };
    out_.constants = {{"BM", fmt::format("{}", tiles_.m)}, {"BN", fmt::format("{}", tiles_.n)}, {"BD", padded(depth_)}, {"BE", padded(width_)}};
    if (!half_products_ || !half_sums_) out_.constants.emplace_back("PRECISION", fmt::format("\"{}\"", request_.precision));
    out_.constants.emplace_back("WIDE", wide_text(elements_used()));
    const std::string tiles = fmt::format("triton.cdiv({}, {})", rows_.text(), fetches_ ? "{BM}" : fmt::format("{}", tiles_.m));
    out_.grid = batch_.is(1) ? fmt::format("({},)", tiles) : fmt::format("({} * {},)", batch_.operand_text(), tiles);
    out_.programs = given_value(request_, batch_ * ir::ceil_div(rows_, tiles_.m));
    out_.num_warps = tiles_.warps;
    out_.num_stages = tiles_.stages;
  }

  // Of the tensors that the kernel reads and writes.
  Sym elements_used() const {
    Sym out;
    std::set<std::string> seen;
    for (const auto& [value, buffer] : request_.buffers) {
      const bool used = std::find(context_.pointers.begin(), context_.pointers.end(), buffer.name) != context_.pointers.end();
      if (used && seen.insert(buffer.name).second) out = out + ir::product(buffer.shape);
    }
    return out;
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::Node &first_, &last_;  // the two products
  const Sym batch_, rows_, columns_, depth_, width_;
  bool half_products_ = false, half_sums_ = false, key_lies_across_ = false;
  ScorePlan plan_;
  Tiles tiles_;
  Fetch fetch_;
  bool fetches_ = false;
  int before_ = 0;  // the loops
  std::string query_, query_rest_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
};

}  // namespace

EmittedKernel emit_attention(const EmitRequest& request) {
  return AttentionEmitter(request).run();
}

}  // namespace ka::codegen

// softmax(f(q k^T)) v without the products in memory: a program holds BM rows of q and walks over k and v, BN columns at a time.
//
//          n ->                       peak, total: the largest score and the sum of exp(score - peak) so far
//   m  q [ s s | s s | s . ]          acc:         the sum of exp(score - peak) * v so far
//                                     where the peak grows, total and acc shrink to the new one
//
// f is whatever the program computes between the product and the softmax, element by element: it is written into the loop.
// Columns that a causal mask hides from a whole tile are not visited. Scores of places that do not exist are -inf. Where every score of a row is -inf the total is 0, and the result what the
// program's own division makes of it.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "synth/codegen/causal.h"
#include "synth/codegen/family.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Sym;
using ir::ValueId;

struct Tiles {
  std::int64_t m = 64, n = 32;
  int warps = 4, stages = 2;
};

std::int64_t covering(std::int64_t extent, std::int64_t low, std::int64_t high) {
  std::int64_t out = low;
  while (out < extent && out < high) out *= 2;
  return out;
}

// Chosen so that nothing spills on sm_90: acc has m * width elements, the scores m * n.
Tiles tiles_for(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t width, bool tensor_cores, std::int64_t multiprocessors) {
  Tiles out;
  out.m = covering(m, 16, tensor_cores ? (width <= 128 ? 128 : 64) : (width <= 64 ? 64 : 32));
  while (out.m > 32 && batch * ((m + out.m - 1) / out.m) < multiprocessors) out.m /= 2;
  out.n = covering(n, 16, tensor_cores && width <= 128 ? 64 : 32);
  out.warps = out.m * width >= (tensor_cores ? 128 * 64 : 64 * 64) ? 8 : 4;
  return out;
}

class AttentionEmitter {
 public:
  explicit AttentionEmitter(const EmitRequest& request)
      : request_(request), graph_(request.graph), batch_(shape("query")[0]), rows_(shape("query")[1]), columns_(shape("key")[2]), depth_(shape("query")[2]),
        width_(shape("value")[2]), context_(context_of(request)), values_(context_, body_) {
    half_products_ = dtype("query") == dtype("key") && dtype("query") != DType::float32;
    half_sums_ = dtype("value") != DType::float32;
    const bool tensor_cores = (half_products_ && half_sums_) || request.precision != "ieee";
    const std::int64_t widest = std::max(covering(given_value(request, depth_), 16, 1024), covering(given_value(request, width_), 16, 1024));
    tiles_ = tiles_for(given_value(request, batch_), given_value(request, rows_), given_value(request, columns_), widest, tensor_cores, request.gpu.multiprocessors);
  }

  EmittedKernel run() {
    prologue();
    loop();
    epilogue();
    launch();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  ValueId role(const char* name) const { return request_.kernel.roles.at(name); }
  const ir::Shape& shape(const char* name) const { return graph_.shape(role(name)); }
  DType dtype(const char* name) const { return graph_.type(role(name)).dtype; }
  Sym batch() const { return batch_.is(1) ? Sym(0) : Sym::index("b", batch_); }
  Sym row() const { return rows_.is(1) ? Sym(0) : Sym::index("m", rows_); }
  static Sym along(const char* name, const Sym& extent) { return extent.is(1) ? Sym(0) : Sym::index(name, extent); }
  std::string precision(bool half) const { return half ? "" : ", input_precision=PRECISION"; }

  void prologue() {
    for (const char* name : {"b", "m", "n", "nv", "dq", "dk", "e", "m_ok", "n_ok", "nv_ok", "dq_ok", "dk_ok", "e_ok", "tile", "down", "step", "start", "end", "peak",
                             "total", "acc", "score", "weight", "above", "shift", "shrink", "BM", "BN", "BD", "BE", "PRECISION", "WIDE"})
      body_.reserve(name);
    body_.indent();
    body_.line("tile = tl.program_id(0)");
    body_.line(fmt::format("down = tl.cdiv({}, BM)", values_.text(rows_)));
    if (!batch_.is(1)) body_.line("b = tile // down");
    body_.line("m = (tile % down) * BM + tl.arange(0, BM)[:, None]");
    body_.line("step = tl.arange(0, BN)");
    body_.line("if WIDE:");
    if (!batch_.is(1)) body_.line("    b = b.to(tl.int64)");
    for (const char* name : {"m", "step"}) body_.line(fmt::format("    {0} = {0}.to(tl.int64)", name));
    body_.line("dq = tl.arange(0, BD)[None, :]");
    body_.line("dk = tl.arange(0, BD)[:, None]");
    body_.line("e = tl.arange(0, BE)[None, :]");
    body_.line(fmt::format("m_ok = m < {}", values_.text(rows_)));
    body_.line(fmt::format("dq_ok = dq < {}", values_.text(depth_)));
    body_.line(fmt::format("dk_ok = dk < {}", values_.text(depth_)));
    body_.line(fmt::format("e_ok = e < {}", values_.text(width_)));
    for (const char* name : {"m", "dq", "dk", "e"}) values_.variable(name, std::string(name) + "_ok");
    values_.variable("b", "");
    query_ = whole_tile(values_, role("query"), {batch(), row(), along("dq", depth_)}, {"m", "dq"}, "(BM, BD)", half_products_);
    body_.line("peak = tl.full((BM, 1), float(\"-inf\"), tl.float32)");
    body_.line("total = tl.zeros((BM, 1), tl.float32)");
    body_.line("acc = tl.zeros((BM, BE), tl.float32)");
  }

  void loop() {
    std::string end = values_.text(columns_);
    const Sym last = along("n", columns_);
    if (const std::optional<Sym> span = visible_span(graph_, role("scores"), place_in("scores", last), row(), last)) {
      // behind this column the mask hides everything from all rows of the tile
      const std::string more = span->is(0) ? "" : " + " + values_.text(*span);
      body_.line(fmt::format("end = tl.minimum({}, (tile % down) * BM + BM{})", end, more));
      end = "end";
    }
    body_.line(fmt::format("for start in range(0, {}, BN):", end));
    body_.indent();
    body_.line("n = start + step[None, :]");
    body_.line("nv = start + step[:, None]");
    body_.line(fmt::format("n_ok = n < {}", values_.text(columns_)));
    body_.line(fmt::format("nv_ok = nv < {}", values_.text(columns_)));
    Body inner = values_;
    inner.variable("n", "n_ok");
    inner.variable("nv", "nv_ok");
    const Sym column = along("n", columns_);
    const std::string key = whole_tile(inner, role("key"), {batch(), along("dk", depth_), column}, {"dk", "n"}, "(BD, BN)", half_products_);
    const Operand product = inner.emit("product", fmt::format("tl.dot({}, {}{})", query_, key, precision(half_products_)), {"m", "n"});
    inner.bind(role("product"), product);
    const Operand score = inner.named(inner.value(role("scores"), place_in("scores", column)), DType::float32);
    body_.line(fmt::format("score = tl.where(n_ok, tl.broadcast_to({}, (BM, BN)), float(\"-inf\"))", score.text));
    body_.line("above = tl.maximum(peak, tl.max(score, axis=1)[:, None])");
    body_.line("shift = tl.where(above == float(\"-inf\"), 0.0, above)");
    body_.line("weight = tl.exp(score - shift)");
    body_.line("shrink = tl.exp(peak - shift)");
    body_.line("total = total * shrink + tl.sum(weight, axis=1)[:, None]");
    body_.line("peak = above");
    inner.bind(role("softmax"), {"weight", {"m", "n"}, false});
    const Operand factor = inner.named(inner.value(role("weights"), {batch(), row(), column}), DType::float32);
    const std::string value = whole_tile(inner, role("value"), {batch(), along("nv", columns_), along("e", width_)}, {"nv", "e"}, "(BN, BE)", half_sums_);
    const std::string left = half_sums_ ? fmt::format("{}.to({})", factor.text, triton_type(dtype("value"))) : factor.text;
    body_.line(fmt::format("acc = tl.dot({}, {}, acc * shrink{})", left, value, precision(half_sums_)));
    body_.dedent();
  }

  // The index of a value with the scores' rows and columns, whatever dimensions the batch is spread over.
  std::vector<Sym> place_in(const char* name, const Sym& column) const {
    const ir::Shape& to = shape(name);
    std::vector<Sym> index = ir::delinearize(batch(), {to.begin(), to.end() - 2});
    index.push_back(row());
    index.push_back(column);
    return index;
  }

  std::string whole_tile(Body& inner, ValueId operand, const std::vector<Sym>& index, const std::set<std::string>& axes, const char* to, bool half) const {
    const Operand x = inner.named(half ? inner.raw(operand, index) : inner.value(operand, index), graph_.type(operand).dtype);
    const bool complete = std::all_of(axes.begin(), axes.end(), [&](const std::string& axis) { return x.over.contains(axis); });
    if (complete) return x.text;
    std::string mask;
    for (const std::string& axis : axes) mask += (mask.empty() ? "" : " & ") + axis + "_ok";
    return inner.emit("whole", fmt::format("tl.where({}, tl.broadcast_to({}, {}), 0.0)", mask, x.text, to), axes).text;
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
      values_.store_tile(output, x, index, "m_ok & e_ok");
    }
  }

  std::vector<Sym> place_of_divisor() const {
    std::vector<Sym> index = place_in("scores", 0);
    return {index.end() - static_cast<std::ptrdiff_t>(shape("divisor").size()), index.end()};
  }

  void launch() {
    out_.name = request_.name;
    const auto padded = [](const Sym& extent) {
      return extent.constant() ? fmt::format("{}", covering(*extent.constant(), 16, 1024)) : fmt::format("max(16, triton.next_power_of_2({}))", extent.text());
    };
    out_.constants = {{"BM", fmt::format("{}", tiles_.m)}, {"BN", fmt::format("{}", tiles_.n)}, {"BD", padded(depth_)}, {"BE", padded(width_)}};
    if (!half_products_ || !half_sums_) out_.constants.emplace_back("PRECISION", fmt::format("\"{}\"", request_.precision));
    const Sym largest = batch_ * (rows_ * columns_ + rows_ * depth_ + columns_ * depth_ + columns_ * width_ + rows_ * width_);
    out_.constants.emplace_back("WIDE", wide_text(largest));
    const std::string tiles = fmt::format("triton.cdiv({}, {})", rows_.text(), tiles_.m);
    out_.grid = batch_.is(1) ? fmt::format("({},)", tiles) : fmt::format("({} * {},)", batch_.operand_text(), tiles);
    out_.programs = given_value(request_, batch_ * ir::ceil_div(rows_, tiles_.m));
    out_.num_warps = tiles_.warps;
    out_.num_stages = tiles_.stages;
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const Sym batch_, rows_, columns_, depth_, width_;
  bool half_products_ = false, half_sums_ = false;
  Tiles tiles_;
  std::string query_;
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

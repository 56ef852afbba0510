// [b, m, k] x [b, k, n]: tiles of BM x BN, a loop over k in steps of BK, the epilogue on the finished tile.
//
//                 n ->
//        B  k  [ . . # . ]
//   m  A       [ . . # . ]      program (b, tile) computes tile #; tiles of GROUP rows of tiles run together,
//   |  [ = = ] [ . . # . ]      so that what they read stays in the cache
//
// Operands are read through whatever views lie before them, so a convolution is this kernel too: its rows are places of the
// image, its k are the taps of the filter. A long k is added up in chunks: CHUNK products make a partial sum, the partial sums
// make the result, so that no chain of additions is long.
//
// Where the GPU is one that the form "descriptors" is written for, and the operands are such matrices (fetch.h), their tiles are fetched as blocks; the
// kernel then has both ways to read, and what it is handed decides.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "synth/codegen/conv_tile.h"
#include "synth/codegen/family.h"
#include "synth/codegen/fetch.h"
#include "synth/codegen/product_store.h"

namespace ka::codegen {
namespace {

using ir::DType;
using ir::Sym;
using ir::ValueId;

constexpr std::int64_t kChunk = 4096;
constexpr int kShortEpilogue = 2;  // elementwise operations
constexpr std::int64_t kGroupRows = 64;  // of a tile: what four warps multiply together, out of memory that blocks are fetched to
constexpr int kPromoted = 256;     // products that a tensor core adds up by itself where float32 is wanted: it cuts off where it should round

struct Tiles {
  std::int64_t m = 64, n = 64, k = 32;
  int warps = 4, stages = 3;
};

struct Extents {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
};

std::int64_t covering(std::int64_t extent, std::int64_t low, std::int64_t high) {
  std::int64_t out = low;
  while (out < extent && out < high) out *= 2;
  return out;
}

std::int64_t programs(const Extents& e, std::int64_t m, std::int64_t n) {
  return e.batch * ((e.m + m - 1) / m) * ((e.n + n - 1) / n);
}

// Large tiles read less; small ones keep all multiprocessors busy. Products without tensor cores ("ieee") hold their operands in
// registers, so they get shallow tiles. A tile of 128 x 256 fills the registers: no room is left for a second accumulator or a long
// epilogue (`crowded`).
Tiles tiles_for(const Extents& e, bool half, bool ieee, bool crowded, std::int64_t multiprocessors) {
  Tiles out;
  const bool wide = half && !crowded && e.m > 64 && e.n > 128 && programs(e, 128, 256) >= multiprocessors;
  out.m = covering(e.m, 16, 128);
  out.n = covering(e.n, 16, wide ? 256 : 128);
  while (programs(e, out.m, out.n) < multiprocessors && out.m * out.n > 64 * 64) (out.m >= out.n ? out.m : out.n) /= 2;
  out.k = covering(e.k, 16, half ? 64 : ieee && out.m * out.n > 64 * 64 ? 16 : 32);
  out.warps = out.m * out.n >= 128 * 128 ? 8 : 4;
  return out;
}

// Steps that end with a run: deep ones, unless they would mostly reach over its end.
Tiles tiles_for_runs(const Extents& e, std::int64_t run, bool crowded, std::int64_t multiprocessors) {
  Tiles out = tiles_for(e, true, false, crowded, multiprocessors);
  const auto reached = [&](std::int64_t step) { return (run + step - 1) / step * step; };
  out.k = 16;
  for (const std::int64_t step : {32, 64}) {
    if (reached(step) * 2 <= reached(16) * 3) out.k = step;
  }
  if (out.k < 64) out.stages = 4;
  if (e.n <= 128 && out.m * out.n == 128 * 128 && e.batch == 1) out.warps = 4;  // places of phases are stored apart, which takes more registers than four warps have
  return out;
}

// Blocks need no registers on their way, so steps are as deep as a row of shared memory. Two operands with their rests fill it with three steps.
Tiles tiles_for_blocks(const Extents& e, bool rests, bool crowded, std::int64_t multiprocessors) {
  Tiles out = tiles_for(e, true, false, crowded, multiprocessors);
  const std::int64_t tile = out.m * out.n;
  out.stages = tile > 128 * 128 || (rests && tile == 128 * 128) ? 3 : 4;
  return out;
}

class MatmulEmitter {
 public:
  explicit MatmulEmitter(const EmitRequest& request)
      : request_(request), graph_(request.graph), node_(graph_.nodes[static_cast<std::size_t>(request.kernel.nodes[0])]),
        a_(node_.inputs[0]), b_(node_.inputs[1]), batch_(graph_.shape(a_)[0]), rows_(graph_.shape(a_)[1]), depth_(graph_.shape(a_)[2]),
        columns_(graph_.shape(b_)[2]), half_(graph_.type(a_).dtype != DType::float32), context_(context_of(request)), values_(context_, body_) {
    const Extents extents{given_value(request, batch_), given_value(request, rows_), given_value(request, columns_), given_value(request, depth_)};
    if (node_.attributes.contains("run")) run_ = ir::int_attribute(node_, "run");
    chunked_ = extents.k > kChunk && !run_ && !has_rests();
    const bool crowded = chunked_ || has_rests() || epilogue_length(request) > kShortEpilogue;
    tiles_ = run_ ? tiles_for_runs(extents, given_value(request, *run_), crowded, request.gpu.multiprocessors) : tiles_for(extents, half_, !half_ && request.precision == "ieee", crowded, request.gpu.multiprocessors);
    if (has_rests()) {  // twice the operands
      tiles_.k = 32;
      tiles_.stages = 4;
    }
    if (request.gpu.writes(ir::Form::descriptors)) choose_fetch(extents, crowded);
  }

  EmittedKernel run() {
    prologue();
    before_ = body_.mark();
    if (chunked_) chunks();
    else if (run_) runs();
    else if (has_rests()) promoted();
    else products("acc", "0", values_.text(depth_));
    epilogue();
    launch();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  void choose_fetch(const Extents& extents, bool crowded) {
    if (run_) fetch_.refusal = "the operands of a convolution overlap";
    else fetch_ = fetch_of(request_, context_, node_.inputs);
    const Tiles tiles = run_ ? tiles_ : tiles_for_blocks(extents, has_rests(), crowded, request_.gpu.multiprocessors);
    if (fetch_.refusal.empty() && tiles.m < kGroupRows) fetch_.refusal = fmt::format("a tile of {} rows is multiplied out of registers", tiles.m);
    fetches_ = fetch_.refusal.empty();
    if (fetches_) tiles_ = tiles;
    out_.remark = fetches_ ? "operands by descriptors" : "operands by pointers: " + fetch_.refusal;
  }

  void prologue() {
    for (const char* name : {"m", "n", "k", "ka", "kb", "m_ok", "n_ok", "ka_ok", "kb_ok", "b", "tile", "acc", "part", "chunk", "step_a", "step_b", "BM", "BN", "BK",
                             "GROUP", "CHUNK", "WIDE", "PRECISION", "across", "group", "first", "tall", "down", "segment", "STEPS", "cross", "i"})
      body_.reserve(name);
    body_.indent();
    body_.line("tile = tl.program_id(0)");
    body_.line(fmt::format("down = tl.cdiv({}, BM)", values_.text(rows_)));
    body_.line(fmt::format("across = tl.cdiv({}, BN)", values_.text(columns_)));
    if (is_of_phases()) {  // they read the same places of the image and write between each other's results
      body_.line(fmt::format("b = tile % {}", values_.text(batch_)));
      body_.line(fmt::format("tile = tile // {}", values_.text(batch_)));
    } else if (!batch_.is(1)) {
      body_.line("b = tile // (down * across)");
      if (fetches_) body_.line("plane = b.to(tl.int32)");
      body_.line("tile = tile % (down * across)");
    }
    body_.line("group = tile // (GROUP * across)");
    body_.line("first = group * GROUP");
    body_.line("tall = tl.minimum(down - first, GROUP)");
    if (fetches_) {
      for (const char* name : {"top", "side", "depth", "plane"}) body_.reserve(name);
      body_.line("top = ((first + (tile % (GROUP * across)) % tall) * BM).to(tl.int32)");
      body_.line("side = ((tile % (GROUP * across)) // tall * BN).to(tl.int32)");
      body_.line("m = top + tl.arange(0, BM)[:, None]");
      body_.line("n = side + tl.arange(0, BN)[None, :]");
      name_blocks();
    } else {
      body_.line("m = (first + (tile % (GROUP * across)) % tall) * BM + tl.arange(0, BM)[:, None]");
      body_.line("n = (tile % (GROUP * across)) // tall * BN + tl.arange(0, BN)[None, :]");
    }
    body_.line("step_a = tl.arange(0, BK)[None, :]");
    body_.line("step_b = tl.arange(0, BK)[:, None]");
    body_.line("if WIDE:");
    if (!batch_.is(1)) body_.line("    b = b.to(tl.int64)");
    for (const char* name : {"m", "n", "step_a", "step_b"}) body_.line(fmt::format("    {0} = {0}.to(tl.int64)", name));
    body_.line(fmt::format("m_ok = m < {}", values_.text(rows_)));
    body_.line(fmt::format("n_ok = n < {}", values_.text(columns_)));
    body_.line("acc = tl.zeros((BM, BN), tl.float32)");
    values_.variable("m", "m_ok");
    values_.variable("n", "n_ok");
    values_.variable("b", "");
  }

  // Of a transposed convolution: several products of one image.
  bool is_of_phases() const { return run_ && !batch_.is(1); }

  void chunks() {
    body_.line(fmt::format("for chunk in range(0, {}, CHUNK):", values_.text(depth_)));
    body_.indent();
    body_.line("part = tl.zeros((BM, BN), tl.float32)");
    products("part", "chunk", fmt::format("min(chunk + CHUNK, {})", values_.text(depth_)));
    body_.line("acc += part");
    body_.dedent();
  }

  void products(const std::string& sum, const std::string& begin, const std::string& end) {
    body_.line(fmt::format("for k in range({}, {}, BK):", begin, end));
    body_.indent();
    const Sym ka = depth_.is(1) ? Sym(0) : Sym::index("ka", depth_), kb = depth_.is(1) ? Sym(0) : Sym::index("kb", depth_);
    const Step step = open_step(depth_, ka, kb);
    body_.line(fmt::format("{0} = tl.dot({1}, {2}, {0}{3})", sum, step.left, step.right, half_ ? "" : ", input_precision=PRECISION"));
    body_.dedent();
  }

  // The depth is made of runs; a step never reaches from one into the next, so it is one piece of memory.
  void runs() {
    const Sym segments = ir::floor_div(depth_, *run_);
    body_.line(fmt::format(fmt::runtime(segments.is_plain() ? "for i in range(0, {} * STEPS):" : "for i in range(0, ({}) * STEPS):"), values_.text(segments)));
    body_.indent();
    body_.line("segment = i // STEPS");
    body_.line("k = i % STEPS * BK");
    const Sym begin = Sym::index("segment", segments) * *run_;
    const Step step = open_step(*run_, begin + Sym::index("ka", *run_), begin + Sym::index("kb", *run_));
    body_.line(fmt::format("acc = tl.dot({}, {}, acc)", step.left, step.right));
    body_.dedent();
  }

  // Operands in two parts. The products of the large parts are added up in chunks; those with the rests are too small to need that.
  void promoted() {
    body_.line("cross = tl.zeros((BM, BN), tl.float32)");
    if (fetches_) {
      body_.line("if CHUNK <= BK:");
      body_.indent();
      promoted_steps();
      body_.dedent();
      body_.line("else:");
      body_.indent();
    }
    body_.line(fmt::format("for chunk in range(0, {}, CHUNK):", values_.text(depth_)));
    body_.indent();
    body_.line("part = tl.zeros((BM, BN), tl.float32)");
    body_.line(fmt::format("for k in range(chunk, min(chunk + CHUNK, {}), BK):", values_.text(depth_)));
    body_.indent();
    const Step step = crossed_step();
    body_.line(fmt::format("part = tl.dot({}, {}, part)", step.left, step.right));
    body_.dedent();
    body_.line("acc += part");
    body_.dedent();
    if (fetches_) body_.dedent();
    body_.line("acc = tl.where(tl.abs(acc) < float(\"inf\"), acc + cross, acc)");
  }

  // Every step is a chunk. One loop, so blocks are fetched without a break from its beginning to its end; what a step has made is added in the next one, while
  // that multiplies.
  void promoted_steps() {
    body_.line("part = tl.zeros((BM, BN), tl.float32)");
    body_.line(fmt::format("for k in range(0, {}, BK):", values_.text(depth_)));
    body_.indent();
    const Step step = crossed_step();
    body_.line("acc += part");
    body_.line(fmt::format("part = tl.dot({}, {})", step.left, step.right));
    body_.dedent();
    body_.line("acc += part");
  }

  struct Step {
    std::string left, right, left_rest, right_rest;
  };

  // Opens a step and adds up its products with the rests.
  Step crossed_step() {
    const Step step = open_step(depth_, Sym::index("ka", depth_), Sym::index("kb", depth_));
    body_.line(fmt::format("cross = tl.dot({}, {}, cross)", step.left, step.right_rest));
    body_.line(fmt::format("cross = tl.dot({}, {}, cross)", step.left_rest, step.right));
    return step;
  }

  // What the kernel is handed beside the pointers.
  void name_blocks() {
    for (std::size_t i = 0; i < fetch_.operands.size(); ++i) {
      const Matrix& x = fetch_.operands[i];
      const std::string name = body_.unique(context_.use_pointer(*x.memory) + "_blocks");
      out_.blocks.push_back(is_left(i) ? blocks_text(x, name, "BM", "BK") : blocks_text(x, name, "BK", "BN"));
    }
  }

  static bool is_left(std::size_t operand) { return operand % 2 == 0; }

  // The operands of one step of BK inside `extent`, under the same names in whichever way they come.
  Step open_step(const Sym& extent, const Sym& ka, const Sym& kb) {
    if (!fetches_) return load_step(extent, ka, kb);
    body_.line(fmt::format("if {} is None:", out_.blocks[0].name));
    body_.indent();
    const Step out = load_step(extent, ka, kb);
    body_.dedent();
    body_.line("else:");
    body_.indent();
    body_.line("depth = tl.cast(k, tl.int32)");
    const std::string* const names[] = {&out.left, &out.right, &out.left_rest, &out.right_rest};
    for (std::size_t i = 0; i < fetch_.operands.size(); ++i) {
      const Tile tile = is_left(i) ? Tile{"plane", "top", "depth", "BM", "BK"} : Tile{"plane", "depth", "side", "BK", "BN"};
      body_.line(fmt::format("{} = {}", *names[i], fetched_text(fetch_.operands[i], out_.blocks[i].name, tile)));
    }
    body_.dedent();
    return out;
  }

  // Loads them by pointers.
  Step load_step(const Sym& extent, const Sym& ka, const Sym& kb) {
    const bool even = extent.constant() && *extent.constant() % tiles_.k == 0;
    body_.line("ka = k + step_a");
    body_.line("kb = k + step_b");
    Body inner = values_.in_loop(before_);
    if (run_) inner.variable("segment", "");
    for (const char* name : {"ka", "kb"}) {
      if (!even) body_.line(fmt::format("{0}_ok = {0} < {1}", name, values_.text(extent)));
      inner.variable(name, even ? "" : fmt::format("{}_ok", name));
    }
    const Sym im = Sym::index("m", rows_), in = Sym::index("n", columns_);
    const auto left = [&](ValueId x) { return whole_tile(inner, x, {batch(), im, ka}, {"m", "ka"}, "(BM, BK)"); };
    const auto right = [&](ValueId x) { return whole_tile(inner, x, {batch(), kb, in}, {"kb", "n"}, "(BK, BN)"); };
    Step out{left(a_), right(b_), "", ""};
    if (has_rests()) {
      out.left_rest = left(node_.inputs[2]);
      out.right_rest = right(node_.inputs[3]);
    }
    return out;
  }

  bool has_rests() const { return node_.inputs.size() == 4; }

  Sym batch() const { return batch_.is(1) ? Sym(0) : Sym::index("b", batch_); }

  // An operand that does not vary along an axis still has to be a whole tile, with nothing outside.
  std::string whole_tile(Body& inner, ValueId operand, const std::vector<Sym>& index, const std::set<std::string>& axes, const char* shape) const {
    const Operand x = inner.named(inner.raw(operand, index), graph_.type(operand).dtype);
    const bool complete = std::all_of(axes.begin(), axes.end(), [&](const std::string& axis) { return x.over.contains(axis); });
    if (complete) return x.text;
    const std::string mask = inner.mask_of(axes);
    if (mask.empty()) return inner.emit("whole", fmt::format("tl.broadcast_to({}, {})", x.text, shape), axes).text;
    return inner.emit("whole", fmt::format("tl.where({}, tl.broadcast_to({}, {}), 0.0)", mask, x.text, shape), axes).text;
  }

  void epilogue() {
    values_.bind(node_.outputs[0], {"acc", {"m", "n"}, false});
    const std::vector<Sym> points{batch(), Sym::index("m", rows_), Sym::index("n", columns_)};
    store_products(request_, values_, points, {{"m"}, {"n"}}, "m_ok & n_ok", "(BM, BN)");
  }

  void launch() {
    out_.name = request_.name;
    out_.constants = {{"BM", fmt::format("{}", tiles_.m)}, {"BN", fmt::format("{}", tiles_.n)}, {"BK", fmt::format("{}", tiles_.k)}, {"GROUP", "8"}};
    if (chunked_) out_.constants.emplace_back("CHUNK", fmt::format("{}", kChunk));
    if (!half_) out_.constants.emplace_back("PRECISION", fmt::format("\"{}\"", request_.precision));
    if (run_) out_.constants.emplace_back("STEPS", run_->constant() ? fmt::format("{}", (*run_->constant() + tiles_.k - 1) / tiles_.k)
                                                                   : fmt::format("triton.cdiv({}, {})", run_->text(), tiles_.k));
    if (has_rests()) out_.constants.emplace_back("CHUNK", fmt::format("{}", kPromoted));
    // an image is read many times: it has fewer elements than places in its windows
    const Sym read = run_ ? ir::product(graph_.shape(graph_.maker(a_)->inputs[0])) : batch_ * rows_ * depth_;
    out_.constants.emplace_back("WIDE", wide_text(batch_ * rows_ * columns_ + read + batch_ * columns_ * depth_));
    const std::string tall = fetches_ ? "{BM}" : fmt::format("{}", tiles_.m), wide = fetches_ ? "{BN}" : fmt::format("{}", tiles_.n);
    const std::string each = fmt::format("triton.cdiv({}, {}) * triton.cdiv({}, {})", rows_.text(), tall, columns_.text(), wide);
    out_.grid = batch_.is(1) ? fmt::format("({},)", each) : fmt::format("({} * {},)", batch_.operand_text(), each);
    out_.programs = given_value(request_, batch_ * ir::ceil_div(rows_, tiles_.m) * ir::ceil_div(columns_, tiles_.n));
    out_.num_warps = tiles_.warps;
    out_.num_stages = tiles_.stages;
  }

  const EmitRequest& request_;
  const ir::Graph& graph_;
  const ir::Node& node_;
  const ValueId a_, b_;
  const Sym batch_, rows_, depth_, columns_;
  const bool half_;
  std::optional<Sym> run_;
  Fetch fetch_;
  bool fetches_ = false;
  bool chunked_ = false;
  int before_ = 0;  // the loop over k
  Tiles tiles_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
};

}  // namespace

EmittedKernel emit_matmul(const EmitRequest& request) {
  if (std::optional<EmittedKernel> out = emit_conv_tile(request)) return std::move(*out);
  return MatmulEmitter(request).run();
}

}  // namespace ka::codegen

//      places of the image, counted through (partition/image_rows.h)
//            |<---- BM ---->|
//     lines  a a a a a a 0 0 a a a a a a 0 0      program (tile): BM places and BN features; for each tap a block of the image that begins as much
//            ......|<---- BM ---->|               further on as the tap looks, and a block of the filter; both BK channels deep
//
//   acc[BN, BM] += filter[BN, BK] x image[BM, BK]^T
//
// Both are blocks of matrices with channels side by side, so the tensor cores read them where the copy engine puts them. That is what this form is made for:
// blocks of several dimensions, which have to become matrices first, can go through registers on their way, and then the compiler's pipeline of three
// steps and more overwrites them too early (test_conv_tiles.py looks for that). Features are rows and places are columns: a result lies in memory by places.
//
// The phases of a transposed convolution (ir/window.h) read the same block of the image, each with its own part of the filter and only the taps that it has.
// Those whose results lie between each other in a line are made by one program, one after the other, and woven into each other, so that lines are stored whole;
// the others are programs next to each other.
#include "synth/codegen/conv_tile.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ir/window.h"
#include "synth/codegen/product_store.h"

namespace ka::codegen {
namespace {

using ir::Sym;
using ir::ValueId;

constexpr int kShortEpilogue = 2;  // elementwise operations
constexpr std::int64_t kWarps = 64;  // features that four warps multiply together

struct Tiles {
  std::int64_t places = 128, features = 128, depth = 64;
  int warps = 8, stages = 3;
};

// `places` of all phases that are woven into each other, as the tile has them.
Tiles tiles_for(std::int64_t products, std::int64_t places, std::int64_t features, std::int64_t channels, bool crowded, std::int64_t multiprocessors) {
  Tiles out;
  const auto programs = [&] { return products * ((places + out.places - 1) / out.places) * ((features + out.features - 1) / out.features); };
  out.features = features <= kWarps ? kWarps : 128;
  out.places = crowded && out.features > kWarps ? 128 : 256;
  if (programs() < multiprocessors) out.places = 128;
  if (programs() < multiprocessors) out.features = kWarps;
  out.depth = channels % 64 == 0 ? 64 : 32;
  out.warps = out.places * out.features >= 128 * 128 ? 8 : 4;
  out.stages = out.depth < 64 || out.places * out.features <= 128 * kWarps ? 4 : 3;
  return out;
}

// The two operands as they lie in memory; nothing where one of them does not.
struct Memory {
  const Buffer *image, *filter;
  ir::Shape lines;  // [remainders..., n, lines..., channels] of the image
};

std::optional<Memory> memory_of(const EmitRequest& request, const KernelContext& context, const ir::Node& product) {
  const ir::Node* windows = request.graph.maker(product.inputs[0]);
  const ir::Node* turned = request.graph.maker(product.inputs[1]);
  if (windows == nullptr || windows->op != "remap" || turned == nullptr || turned->op != "permute") return std::nullopt;
  const Buffer *image = context.loadable(windows->inputs[0]), *filter = context.loadable(turned->inputs[0]);
  if (image == nullptr || filter == nullptr) return std::nullopt;
  return Memory{image, filter, request.graph.shape(windows->inputs[0])};
}

class ConvTileEmitter {
 public:
  ConvTileEmitter(const EmitRequest& request, const ir::Node& node, KernelContext context, Memory memory)
      : request_(request), node_(node), memory_(std::move(memory)), view_(node), dims_(view_.window.dims), channels_(memory_.lines.back()),
        features_(request.graph.shape(node.inputs[1])[2]), context_(std::move(context)), values_(context_, body_) {
    images_ = memory_.lines[dims_];
    pitches_.assign(memory_.lines.begin(), memory_.lines.end() - 1);  // of a place, by remainders, image and lines
    places_ = images_;
    for (std::size_t d = 0; d < dims_; ++d) places_ = places_ * pitches_[dims_ + 1 + d];
    if (view_.phases) woven_ = *view_.phases->count().back().constant();
    others_ = ir::floor_div(view_.products(), woven_);
    tiles_ = tiles_for(given_value(request, others_), given_value(request, places_) * woven_, given_value(request, features_), given_value(request, channels_), woven_ > 1 || epilogue_length(request) > kShortEpilogue,
                       request.gpu.multiprocessors);
    tiles_.places /= woven_;
  }

  EmittedKernel run() {
    prologue();
    products();
    where();
    const Sym& last = view_.window.places.back();
    const Sym across = Sym::index(name(dims_ - 1), last * woven_);  // a place of any of the phases that are woven into each other
    std::vector<Sym> place{Sym::index(words_.image, images_)}, extents{images_};
    std::set<std::string> along{words_.image};
    std::string mask = words_.image + "_ok & n_ok";
    for (std::size_t d = 0; d < dims_; ++d) {
      place.push_back(d + 1 == dims_ ? ir::floor_div(across, woven_) : Sym::index(name(d), view_.window.places[d]));
      extents.push_back(view_.window.places[d]);
      along.insert(name(d));
      mask += fmt::format(" & {}_ok", name(d));
    }
    values_.bind(node_.outputs[0], {"acc", [&] { std::set<std::string> all = along; all.insert("n"); return all; }(), false});
    store_products(request_, values_, {phase_ * woven_ + ir::modulo(across, woven_), ir::linearize(place, extents), Sym::index("n", features_)}, {along, {"n"}}, mask,
                   woven_ == 1 ? "(BN, BM)" : fmt::format("(BN, {} * BM)", woven_));
    launch();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  const std::string& name(std::size_t d) const { return words_.lines[words_.lines.size() - dims_ + d]; }

  // What the kernel calls its own; a size of the program may have such a name.
  struct Words {
    std::string image, features, top, side, tap, steps, seen, filter, phase;
    std::array<std::string, 3> lines;
  };

  void choose_words() {
    for (const char* word : {"m", "n", "k", "n_ok", "tile", "acc", "BM", "BN", "BK", "GROUP", "WIDE", "across", "group", "first", "tall", "down", "i"}) body_.reserve(word);
    const auto word = [&](const char* wish) {
      const std::string out = body_.unique(wish);
      body_.reserve(out + "_ok");
      return out;
    };
    words_ = {word("image"), word("feature"), word("top"), word("side"), word("tap"), word("steps"), word("seen"), word("taken"), word("phase"), {word("plane"), word("row"), word("col")}};
  }

  void prologue() {
    choose_words();
    body_.indent();
    body_.line(fmt::format("tl.static_assert(BN >= {})", kWarps));  // a search may turn it: fewer features would be multiplied out of registers
    body_.line("tile = tl.program_id(0)");
    if (!others_.is(1)) {
      body_.line(fmt::format("{} = tile % {}", words_.phase, others_.text()));
      body_.line(fmt::format("tile = tile // {}", others_.text()));
      values_.number(words_.phase);
      phase_ = Sym::index(words_.phase, others_);
    }
    body_.line(fmt::format("down = tl.cdiv({}, BM)", values_.text(places_)));
    body_.line(fmt::format("across = tl.cdiv({}, BN)", values_.text(features_)));
    body_.line("group = tile // (GROUP * across)");
    body_.line("first = group * GROUP");
    body_.line("tall = tl.minimum(down - first, GROUP)");
    body_.line(fmt::format("{} = (first + (tile % (GROUP * across)) % tall) * BM", words_.top));
    body_.line(fmt::format("{} = (tile % (GROUP * across)) // tall * BN", words_.side));
    image_ = blocks(*memory_.image, "{BM}", memory_.lines);
    filter_ = blocks(*memory_.filter, "{BN}", {features_, view_.products() * ir::product(view_.window.taps) * channels_});
  }

  // A matrix in memory, whose rows are all dimensions but the last.
  std::string blocks(const Buffer& buffer, const std::string& tall, const ir::Shape& shape) {
    const Sym rows = ir::product({shape.begin(), shape.end() - 1});
    std::string wish = buffer.role + "_blocks";
    const std::string own = body_.unique(wish);
    out_.blocks.push_back({own, buffer.name, fmt::format("[{}, {}], [{}, 1], [{}, {{BK}}]", rows.text(), shape.back().text(), shape.back().text(), tall)});
    return own;
  }

  // The taps that a phase has: in each dimension the last ones of the window.
  std::vector<Sym> taps_of(const std::vector<Sym>& phase) {
    std::vector<Sym> out = view_.window.taps;
    for (std::size_t d = 0; view_.phases && d < dims_; ++d) {
      out[d] = view_.phases->taps_of(d, phase[d]);
      if (out[d].constant()) continue;
      const std::string own = named(name(d) + "_taps", values_.text(out[d]));
      values_.number(own);
      out[d] = Sym::index(own, view_.window.taps[d] + 1);
    }
    return out;
  }

  // A number that is needed in several products is computed once.
  std::string named(const std::string& wish, const std::string& text) {
    std::string& own = named_[text];
    if (!own.empty()) return own;
    own = body_.unique(wish);
    body_.line(fmt::format("{} = {}", own, text));
    return own;
  }

  // Which tap of each dimension it is, counted from the first one that the phase has.
  std::vector<Sym> tap_of(Body& inner, const std::vector<Sym>& taps) {
    const Sym all = ir::product(taps);
    const bool vary = std::any_of(taps.begin(), taps.end(), [](const Sym& x) { return x.atom() != nullptr && x.atom()->kind == ir::AtomKind::index; });
    if (!vary) return ir::delinearize(all.is(1) ? Sym(0) : Sym::index(words_.tap, all), taps);
    std::vector<Sym> out(dims_);
    const auto first = static_cast<std::size_t>(std::find_if(taps.begin(), taps.end(), [](const Sym& x) { return !x.is(1); }) - taps.begin());
    for (std::size_t d = dims_; d-- > first + 1;) {
      if (taps[d].is(1)) continue;
      const std::string own = body_.unique(name(d) + "_tap"), count = inner.text(taps[d]);
      body_.line(fmt::format("{} = {} % {}", own, words_.tap, count));
      body_.line(fmt::format("{0} = {0} // {1}", words_.tap, count));
      inner.number(own);
      out[d] = Sym::index(own, view_.window.taps[d]);
    }
    out[first] = Sym::index(words_.tap, view_.window.taps[first]);
    return out;
  }

  // How much further on a tap looks, in places.
  Sym shift(const std::vector<Sym>& tap) const {
    const ir::Window& window = view_.window;
    std::vector<Sym> index, lines;
    for (std::size_t d = 0; d < dims_; ++d) {
      const Sym from = tap[d] * window.dilation[d] - window.padding[d];
      index.push_back(ir::modulo(from, window.stride[d]));
      lines.push_back(ir::floor_div(from, window.stride[d]));
    }
    index.push_back(0);
    index.insert(index.end(), lines.begin(), lines.end());
    return ir::linearize(index, pitches_);
  }

  static std::string operand(const Sym& sym, const std::string& text) { return sym.is_plain() ? text : "(" + text + ")"; }

  void products() {
    body_.line(fmt::format("{} = tl.cdiv({}, BK)", words_.steps, values_.text(channels_)));
    std::vector<std::string> sums;
    for (std::int64_t r = 0; r < woven_; ++r) {
      sums.push_back(woven_ == 1 ? "acc" : body_.unique("acc"));
      product(sums.back(), phase_ * woven_ + r);
    }
    if (woven_ > 1) body_.line(fmt::format("acc = {}", woven(sums)));
  }

  // a b a b ... of a a ... and b b ...; of four the even ones and the odd ones first.
  static std::string woven(const std::vector<std::string>& sums) {
    if (sums.size() == 1) return sums[0];
    std::vector<std::string> even, odd;
    for (std::size_t r = 0; r < sums.size(); ++r) (r % 2 == 0 ? even : odd).push_back(sums[r]);
    return fmt::format("tl.interleave({}, {})", woven(even), woven(odd));
  }

  void product(const std::string& sum, const Sym& which) {
    const Words& w = words_;
    const ir::Window& window = view_.window;
    const std::vector<Sym> phase = view_.phase(which), taps = taps_of(phase);
    std::vector<Sym> skipped, later(dims_ + 1);  // the remainders are one, an image is none further on
    for (std::size_t d = 0; d < dims_; ++d) {
      skipped.push_back(window.taps[d] - taps[d]);
      later.push_back(skipped[d] * window.dilation[d] + view_.later(d, phase));
    }
    const Sym further = ir::linearize(later, pitches_);
    const std::string top = further.is(0) ? w.top : named("ahead", fmt::format("{} + {}", w.top, values_.text(further)));
    const Sym before = which * ir::product(window.taps) + ir::linearize(skipped, window.taps), count = ir::product(taps);
    body_.line(fmt::format("{} = tl.zeros((BN, BM), tl.float32)", sum));
    if (count.is(0)) return;  // the stride is larger than the filter
    body_.line(fmt::format(fmt::runtime("for i in range(0, {} * {}):"), operand(count, values_.text(count)), w.steps));
    body_.indent();
    body_.line(fmt::format("{} = i // {}", w.tap, w.steps));
    body_.line(fmt::format("k = i % {} * BK", w.steps));
    Body inner = values_;
    inner.number(w.tap);
    const std::vector<Sym> tap = tap_of(inner, taps);
    const Sym from = shift(tap), column = ir::linearize(tap, window.taps) + before;
    body_.line(fmt::format("{} = {}.load([tl.cast({} + {}, tl.int32), tl.cast(k, tl.int32)])", w.seen, image_, top, operand(from, inner.text(from))));
    body_.line(fmt::format("{} = {}.load([tl.cast({}, tl.int32), tl.cast({} * {} + k, tl.int32)])", w.filter, filter_, w.side, column.is(0) ? w.tap : operand(column, inner.text(column)),
                           operand(channels_, values_.text(channels_))));
    body_.line(fmt::format("{0} = tl.dot({1}, {2}.T, {0})", sum, w.filter, w.seen));
    body_.dedent();
  }

  // Which place of which image each column of the tile is; a line has an even number of places of each phase, so two neighbours stay neighbours.
  void where() {
    const std::string times = woven_ == 1 ? "" : fmt::format("{} * ", woven_);
    body_.line(fmt::format("m = {0}{1} + tl.arange(0, {0}BM)[None, :]", times, words_.top));
    body_.line(fmt::format("{} = {} + tl.arange(0, BN)", words_.features, words_.side));
    body_.line("if WIDE:");
    for (const std::string& word : {std::string("m"), words_.features}) body_.line(fmt::format("    {0} = {0}.to(tl.int64)", word));
    body_.line(fmt::format("n = {}[:, None]", words_.features));
    const std::string left = "m";
    for (std::size_t d = dims_; d-- > 0;) {
      const bool last = d + 1 == dims_;
      const Sym pitch = pitches_[dims_ + 1 + d] * (last ? woven_ : 1);
      const std::string divisor = pitch.is(1) || (pitch.is_plain() && pitch.terms()[0].coefficient == 1) ? values_.text(pitch) : fmt::format("({})", values_.text(pitch));
      const std::string rest = fmt::format("{} % {}", left, divisor), whole = fmt::format("{} // {}", left, divisor);
      body_.line(fmt::format(fmt::runtime(last ? "{0} = tl.max_contiguous(tl.multiple_of({1}, [1, {2}]), [1, {2}])" : "{0} = {1}"), name(d), rest, 2 * woven_));
      body_.line(fmt::format(fmt::runtime(last ? "{} = tl.max_constancy({}, [1, {}])" : "{} = {}"), d == 0 ? words_.image : left, whole, 2 * woven_));
    }
    values_.variable("n", "n_ok");
    values_.variable(words_.image, words_.image + "_ok");
    values_.variable(words_.features, words_.features + "_ok");
    values_.line("n", Sym::index(words_.features, features_), "[:, None]");
    body_.line(fmt::format("{0}_ok = {0} < {1}", words_.features, values_.text(features_)));
    body_.line(fmt::format("n_ok = {}_ok[:, None]", words_.features));
    body_.line(fmt::format("{0}_ok = {0} < {1}", words_.image, values_.text(images_)));
    for (std::size_t d = 0; d < dims_; ++d) {
      body_.line(fmt::format("{0}_ok = {0} < {1}", name(d), values_.text(view_.window.places[d] * (d + 1 == dims_ ? woven_ : 1))));
      values_.variable(name(d), fmt::format("{}_ok", name(d)));
    }
  }

  void launch() {
    out_.name = request_.name;
    out_.constants = {{"BM", fmt::format("{}", tiles_.places)}, {"BN", fmt::format("{}", tiles_.features)}, {"BK", fmt::format("{}", tiles_.depth)}, {"GROUP", "8"}};
    const Sym results = ir::product(request_.graph.shape(node_.outputs[0]));
    out_.constants.emplace_back("WIDE", wide_text(results + ir::product(memory_.lines)));
    const std::string phases = others_.is(1) ? "" : others_.text() + " * ";
    out_.grid = fmt::format("({}triton.cdiv({}, {{BM}}) * triton.cdiv({}, {{BN}}),)", phases, places_.text(), features_.text());
    out_.programs = given_value(request_, others_ * ir::ceil_div(places_, tiles_.places) * ir::ceil_div(features_, tiles_.features));
    out_.remark = "blocks by descriptors";
    out_.num_warps = tiles_.warps;
    out_.num_stages = tiles_.stages;
  }

  const EmitRequest& request_;
  const ir::Node& node_;
  const Memory memory_;
  const ir::View view_;
  const std::size_t dims_;
  const Sym channels_, features_;
  Sym images_, places_;
  std::int64_t woven_ = 1;  // phases of one program
  Sym others_ = 1, phase_;  // how many times so many there are, and which; 0 where there is one
  ir::Shape pitches_;
  Tiles tiles_;
  std::string image_, filter_;  // their blocks
  std::map<std::string, std::string> named_;  // by what they are computed from
  Words words_;
  EmittedKernel out_;
  Source body_;
  KernelContext context_;
  Body values_;
};

}  // namespace

std::optional<EmittedKernel> emit_conv_tile(const EmitRequest& request) {
  const ir::Node& node = request.graph.nodes[static_cast<std::size_t>(request.kernel.nodes[0])];
  if (!node.attributes.contains("window")) return std::nullopt;
  KernelContext context = context_of(request);
  std::optional<Memory> memory = memory_of(request, context, node);
  if (!memory) return std::nullopt;
  return ConvTileEmitter(request, node, std::move(context), std::move(*memory)).run();
}

}  // namespace ka::codegen

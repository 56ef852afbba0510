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
#include "synth/codegen/conv_tile.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

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

Tiles tiles_for(std::int64_t places, std::int64_t features, std::int64_t channels, bool crowded, std::int64_t multiprocessors) {
  Tiles out;
  const auto programs = [&] { return (places + out.places - 1) / out.places * ((features + out.features - 1) / out.features); };
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
      : request_(request), node_(node), memory_(std::move(memory)), window_(ir::ints_attribute(node, "window")), dims_(window_.size() / 5), channels_(memory_.lines.back()),
        features_(request.graph.shape(node.inputs[1])[2]), context_(std::move(context)), values_(context_, body_) {
    images_ = memory_.lines[dims_];
    pitches_.assign(memory_.lines.begin(), memory_.lines.end() - 1);  // of a place, by remainders, image and lines
    places_ = images_;
    for (std::size_t d = 0; d < dims_; ++d) places_ = places_ * pitches_[dims_ + 1 + d];
    tiles_ = tiles_for(given_value(request, places_), given_value(request, features_), given_value(request, channels_), epilogue_length(request) > kShortEpilogue,
                       request.gpu.multiprocessors);
  }

  EmittedKernel run() {
    prologue();
    products();
    where();
    std::vector<Sym> place{Sym::index(words_.image, images_)}, extents{images_};
    std::set<std::string> along{words_.image};
    std::string mask = words_.image + "_ok & n_ok";
    for (std::size_t d = 0; d < dims_; ++d) {
      place.push_back(Sym::index(name(d), attribute(4, d)));
      extents.push_back(attribute(4, d));
      along.insert(name(d));
      mask += fmt::format(" & {}_ok", name(d));
    }
    values_.bind(node_.outputs[0], {"acc", [&] { std::set<std::string> all = along; all.insert("n"); return all; }(), false});
    store_products(request_, values_, {0, ir::linearize(place, extents), Sym::index("n", features_)}, {along, {"n"}}, mask, "(BN, BM)");
    launch();
    finish(out_, context_, body_);
    return std::move(out_);
  }

 private:
  // taps, stride, dilation, padding, places
  const Sym& attribute(std::size_t which, std::size_t d) const { return window_[which * dims_ + d]; }
  const std::string& name(std::size_t d) const { return words_.lines[words_.lines.size() - dims_ + d]; }

  // What the kernel calls its own; a size of the program may have such a name.
  struct Words {
    std::string image, features, top, side, tap, steps, seen, filter;
    std::array<std::string, 3> lines;
  };

  void choose_words() {
    for (const char* word : {"m", "n", "k", "n_ok", "tile", "acc", "BM", "BN", "BK", "GROUP", "WIDE", "across", "group", "first", "tall", "down", "i"}) body_.reserve(word);
    const auto word = [&](const char* wish) {
      const std::string out = body_.unique(wish);
      body_.reserve(out + "_ok");
      return out;
    };
    words_ = {word("image"), word("feature"), word("top"), word("side"), word("tap"), word("steps"), word("seen"), word("taken"), {word("plane"), word("row"), word("col")}};
  }

  void prologue() {
    choose_words();
    body_.indent();
    body_.line(fmt::format("tl.static_assert(BN >= {})", kWarps));  // a search may turn it: fewer features would be multiplied out of registers
    body_.line("tile = tl.program_id(0)");
    body_.line(fmt::format("down = tl.cdiv({}, BM)", values_.text(places_)));
    body_.line(fmt::format("across = tl.cdiv({}, BN)", values_.text(features_)));
    body_.line("group = tile // (GROUP * across)");
    body_.line("first = group * GROUP");
    body_.line("tall = tl.minimum(down - first, GROUP)");
    body_.line(fmt::format("{} = (first + (tile % (GROUP * across)) % tall) * BM", words_.top));
    body_.line(fmt::format("{} = (tile % (GROUP * across)) // tall * BN", words_.side));
    image_ = blocks(*memory_.image, "{BM}", memory_.lines);
    filter_ = blocks(*memory_.filter, "{BN}", {features_, taps() * channels_});
  }

  // A matrix in memory, whose rows are all dimensions but the last.
  std::string blocks(const Buffer& buffer, const std::string& tall, const ir::Shape& shape) {
    const Sym rows = ir::product({shape.begin(), shape.end() - 1});
    std::string wish = buffer.role + "_blocks";
    const std::string own = body_.unique(wish);
    out_.blocks.push_back({own, buffer.name, fmt::format("[{}, {}], [{}, 1], [{}, {{BK}}]", rows.text(), shape.back().text(), shape.back().text(), tall)});
    return own;
  }

  Sym taps() const { return ir::product({window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(dims_)}); }

  // How much further on a tap looks, in places.
  Sym shift() const {
    const std::vector<Sym> tap = ir::delinearize(taps().is(1) ? Sym(0) : Sym::index(words_.tap, taps()), {window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(dims_)});
    std::vector<Sym> index, lines;
    for (std::size_t d = 0; d < dims_; ++d) {
      const Sym from = tap[d] * attribute(2, d) - attribute(3, d);
      index.push_back(ir::modulo(from, attribute(1, d)));
      lines.push_back(ir::floor_div(from, attribute(1, d)));
    }
    index.push_back(0);
    index.insert(index.end(), lines.begin(), lines.end());
    return ir::linearize(index, pitches_);
  }

  void products() {
    const auto operand = [](const Sym& sym, const std::string& text) { return sym.is_plain() ? text : "(" + text + ")"; };
    const Words& w = words_;
    body_.line(fmt::format("{} = tl.cdiv({}, BK)", w.steps, values_.text(channels_)));
    body_.line("acc = tl.zeros((BN, BM), tl.float32)");
    body_.line(fmt::format(fmt::runtime("for i in range(0, {} * {}):"), operand(taps(), values_.text(taps())), w.steps));
    body_.indent();
    body_.line(fmt::format("{} = i // {}", w.tap, w.steps));
    body_.line(fmt::format("k = i % {} * BK", w.steps));
    Body inner = values_;
    inner.number(w.tap);
    const Sym from = shift();
    body_.line(fmt::format("{} = {}.load([tl.cast({} + {}, tl.int32), tl.cast(k, tl.int32)])", w.seen, image_, w.top, operand(from, inner.text(from))));
    body_.line(fmt::format("{} = {}.load([tl.cast({}, tl.int32), tl.cast({} * {} + k, tl.int32)])", w.filter, filter_, w.side, w.tap, operand(channels_, values_.text(channels_))));
    body_.line(fmt::format("acc = tl.dot({}, {}.T, acc)", w.filter, w.seen));
    body_.dedent();
  }

  // Which place of which image each column of the tile is; a line has an even number of places, so two neighbours stay neighbours.
  void where() {
    body_.line(fmt::format("m = {} + tl.arange(0, BM)[None, :]", words_.top));
    body_.line(fmt::format("{} = {} + tl.arange(0, BN)", words_.features, words_.side));
    body_.line("if WIDE:");
    for (const std::string& word : {std::string("m"), words_.features}) body_.line(fmt::format("    {0} = {0}.to(tl.int64)", word));
    body_.line(fmt::format("n = {}[:, None]", words_.features));
    const std::string left = "m";
    for (std::size_t d = dims_; d-- > 0;) {
      const std::string pitch = values_.text(pitches_[dims_ + 1 + d]), divisor = pitches_[dims_ + 1 + d].is_plain() ? pitch : fmt::format("({})", pitch);
      const std::string rest = fmt::format("{} % {}", left, divisor), whole = fmt::format("{} // {}", left, divisor);
      const bool last = d + 1 == dims_;
      body_.line(fmt::format(fmt::runtime(last ? "{} = tl.max_contiguous(tl.multiple_of({}, [1, 2]), [1, 2])" : "{} = {}"), name(d), rest));
      body_.line(fmt::format(fmt::runtime(last ? "{} = tl.max_constancy({}, [1, 2])" : "{} = {}"), d == 0 ? words_.image : left, whole));
    }
    values_.variable("n", "n_ok");
    values_.variable(words_.image, words_.image + "_ok");
    values_.variable(words_.features, words_.features + "_ok");
    values_.line("n", Sym::index(words_.features, features_), "[:, None]");
    body_.line(fmt::format("{0}_ok = {0} < {1}", words_.features, values_.text(features_)));
    body_.line(fmt::format("n_ok = {}_ok[:, None]", words_.features));
    body_.line(fmt::format("{0}_ok = {0} < {1}", words_.image, values_.text(images_)));
    for (std::size_t d = 0; d < dims_; ++d) {
      body_.line(fmt::format("{0}_ok = {0} < {1}", name(d), values_.text(attribute(4, d))));
      values_.variable(name(d), fmt::format("{}_ok", name(d)));
    }
  }

  void launch() {
    out_.name = request_.name;
    out_.constants = {{"BM", fmt::format("{}", tiles_.places)}, {"BN", fmt::format("{}", tiles_.features)}, {"BK", fmt::format("{}", tiles_.depth)}, {"GROUP", "8"}};
    const Sym results = ir::product(request_.graph.shape(node_.outputs[0]));
    out_.constants.emplace_back("WIDE", wide_text(results + ir::product(memory_.lines)));
    out_.grid = fmt::format("(triton.cdiv({}, {{BM}}) * triton.cdiv({}, {{BN}}),)", places_.text(), features_.text());
    out_.programs = given_value(request_, ir::ceil_div(places_, tiles_.places) * ir::ceil_div(features_, tiles_.features));
    out_.remark = "blocks by descriptors";
    out_.num_warps = tiles_.warps;
    out_.num_stages = tiles_.stages;
  }

  const EmitRequest& request_;
  const ir::Node& node_;
  const Memory memory_;
  const std::vector<Sym> window_;
  const std::size_t dims_;
  const Sym channels_, features_;
  Sym images_, places_;
  ir::Shape pitches_;
  Tiles tiles_;
  std::string image_, filter_;  // their blocks
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

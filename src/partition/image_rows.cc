#include "partition/image_rows.h"

#include <algorithm>

#include <fmt/format.h>

namespace ka::partition {
namespace {

using ir::Shape;
using ir::Sym;
using ir::ValueId;
using ir::View;
using ir::Window;

constexpr int kHopper = 90;
constexpr std::int64_t kFewChannels = 24;  // a tap is at least a step of 32: with fewer, loads by pointers that see several taps at once do better
constexpr std::int64_t kFewFeatures = 48;  // four warps multiply 64 of them together
constexpr double kMostZeros = 1.5;         // places that are counted, for one that is wanted

// Filled up by a quarter at most where a step is deep.
std::int64_t step_for(std::int64_t channels) {
  const auto reached = [&](std::int64_t step) { return (channels + step - 1) / step * step; };
  return reached(64) * 4 <= reached(32) * 5 ? 64 : 32;
}

// How far before its place a filter sees, in places of the result, and how far behind it.
Sym before(const Window& w, std::size_t d) { return ir::ceil_div(w.padding[d], w.stride[d]); }
Sym behind(const View& view, std::size_t d) {
  const Window& w = view.window;
  const Sym last = w.dilation[d] * (w.taps[d] - 1) - w.padding[d] + view.latest(d);
  return ir::is_at_most(last, 0) ? Sym(0) : ir::maximum(ir::floor_div(last, w.stride[d]), 0);
}

// What the phases of a line have computed is woven into it two by two, each with its own sums in registers.
bool can_be_woven(const Sym& phases) { return phases.is(1) || phases.is(2) || phases.is(4); }

std::string refusal(const Rewriting& here, const View& view, std::int64_t channels, std::int64_t features) {
  const Window& w = view.window;
  if (!here.gpu.cuda || here.gpu.cuda->arch < kHopper) return "the GPU has no engine that copies blocks";
  if (std::any_of(w.stride.begin(), w.stride.end(), [](const Sym& s) { return !s.constant(); })) return "its stride is no number";
  if (view.phases && !can_be_woven(view.phases->count().back())) return fmt::format("the results of {} phases are not woven into each other", view.phases->count().back().text());
  if (channels < kFewChannels) return fmt::format("{} channels are too few for a step", channels);
  if (features < kFewFeatures) return fmt::format("{} features are too few for a tile", features);
  return "";
}

}  // namespace

bool ImageRows::sees_one_place(std::size_t d) const { return given_.taps[d].is(1) && view_.latest(d) == 0; }

std::optional<ImageRows> ImageRows::of(Rewriting& here, ValueId x, ValueId filter, const View& view) {
  if (!here.gpu.writes(ir::Form::conv_tiles)) return std::nullopt;
  const Shape& from = here.builder.shape(x);
  const std::int64_t channels = here.sizes.given(from[1]), features = here.sizes.given(here.builder.shape(filter)[2]);
  const std::string what = "image of a convolution";
  if (const std::string reason = refusal(here, view, channels, features); !reason.empty()) {
    here.decide(what, "not read by descriptors, " + reason);
    return std::nullopt;
  }
  ImageRows out(view);
  Shape lines;
  double counted = 1, wanted = 1;
  Window& w = out.view_.window;
  for (std::size_t d = 0; d < w.dims; ++d) {
    const bool one = out.sees_one_place(d);
    if (one) w.stride[d] = 1, w.padding[d] = 0;
    const Sym extent = one ? w.places[d] : ir::ceil_div(from[d + 2], w.stride[d]);
    Sym reach = ir::maximum(extent + before(w, d), w.places[d] + behind(out.view_, d));
    if (d + 1 == w.dims) reach = 2 * ir::ceil_div(reach, 2);  // the emitter promises the compiler pairs of neighbours
    lines.push_back(here.sizes.size(d + 1 == w.dims ? "pitch" : "lines", reach));
    counted *= static_cast<double>(here.sizes.given(lines.back()));
    wanted *= static_cast<double>(here.sizes.given(w.places[d]));
  }
  if (counted > kMostZeros * wanted) {
    here.decide(what, fmt::format("not read by descriptors, {:.0f} % of its places would be zeros between its lines", 100 * (1 - wanted / counted)));
    return std::nullopt;
  }
  const std::int64_t step = step_for(channels);
  out.shape_ = w.stride;
  out.shape_.push_back(from[0]);
  out.shape_.insert(out.shape_.end(), lines.begin(), lines.end());
  out.shape_.push_back(here.sizes.size("channels", ir::ceil_div(from[1], step) * step));
  here.decide(what, fmt::format("read by descriptors, {} channels at a time, {:.2f} places for each of the result", step, counted / wanted));
  return out;
}

ValueId ImageRows::laid_out(ir::Builder& b, ValueId x) const {
  const Shape& from = b.shape(x);
  const std::size_t dims = given_.dims;
  const std::vector<Sym> at = ir::index_symbols(shape_);
  std::vector<Sym> index{at[dims], at.back()}, valid;
  for (std::size_t d = 0; d < dims; ++d) {
    const Sym line = at[dims + 1 + d];
    const Sym place = sees_one_place(d) ? line * given_.stride[d] - given_.padding[d] : line * given_.stride[d] + at[d];
    index.push_back(place);
    if (!ir::is_nonnegative(place)) valid.push_back(place);
    if (!ir::is_at_most(place, from[d + 2] - 1)) valid.push_back(from[d + 2] - 1 - place);
  }
  if (channels() != from[1]) valid.push_back(from[1] - 1 - at.back());
  return b.remap(x, shape_, index, valid, 0);
}

ValueId ImageRows::of_images(ir::Builder& b, ValueId each) const {
  Shape to(shape_.size(), Sym(1));
  to[given_.dims] = shape_[given_.dims];
  return b.reshape(each, to);
}

ValueId ImageRows::windows(ir::Builder& b, ValueId image) const {
  const Window& w = view_.window;
  const std::size_t dims = w.dims;
  Shape rows{shape_[dims]}, columns = w.taps;
  rows.insert(rows.end(), w.places.begin(), w.places.end());
  columns.push_back(channels());
  const Shape to{view_.products(), ir::product(rows), ir::product(columns)};
  const std::vector<Sym> symbols = ir::index_symbols(to);
  const std::vector<Sym> phase = view_.phase(symbols[0]), row = ir::delinearize(symbols[1], rows), column = ir::delinearize(symbols[2], columns);
  std::vector<Sym> index, valid = view_.known(phase, column);
  for (std::size_t d = 0; d < dims; ++d) index.push_back(ir::modulo(column[d] * w.dilation[d] - w.padding[d], w.stride[d]));
  index.push_back(row[0]);
  for (std::size_t d = 0; d < dims; ++d) {
    const Sym line = row[d + 1] + view_.later(d, phase) + ir::floor_div(column[d] * w.dilation[d] - w.padding[d], w.stride[d]);
    index.push_back(line);
    if (!ir::is_nonnegative(line)) valid.push_back(line);
  }
  index.push_back(column.back());
  return b.remap(image, to, index, valid, 0);
}

}  // namespace ka::partition

// (r + padding - dilation * k) % stride == 0 has solutions k where common = gcd(stride, dilation) divides r + padding. They are first, first + step, ... with
// step = stride / common and first = (r + padding) / common * inverse % step, where inverse * (dilation / common) % step == 1.
#include "ir/window.h"

#include <algorithm>
#include <numeric>

namespace ka::ir {

namespace {

std::vector<Sym> joined(std::initializer_list<const std::vector<Sym>*> parts) {
  std::vector<Sym> out;
  for (const std::vector<Sym>* part : parts) out.insert(out.end(), part->begin(), part->end());
  return out;
}

std::vector<Sym> quarter(const std::vector<Sym>& all, std::ptrdiff_t which) {
  const auto each = static_cast<std::ptrdiff_t>(all.size() / 4);
  return {all.begin() + which * each, all.begin() + (which + 1) * each};
}

std::int64_t inverse_of(std::int64_t number, std::int64_t modulus) {
  std::int64_t out = 0;
  while (out + 1 < modulus && out * number % modulus != 1) ++out;
  return out;
}

}  // namespace

Window::Window(const std::vector<Sym>& all) : dims(all.size() / 5) {
  auto next = all.begin();
  for (std::vector<Sym>* part : {&taps, &stride, &dilation, &padding, &places}) {
    part->assign(next, next + static_cast<std::ptrdiff_t>(dims));
    next += static_cast<std::ptrdiff_t>(dims);
  }
}

std::vector<Sym> Window::all() const { return joined({&taps, &stride, &dilation, &padding, &places}); }

Phases::Phases(const std::vector<Sym>& stride, const std::vector<Sym>& taps, const std::vector<Sym>& dilation, const std::vector<Sym>& padding) : stride_(stride) {
  for (std::size_t d = 0; d < stride.size(); ++d) {
    Dimension out{*stride[d].constant(), *taps[d].constant(), *dilation[d].constant(), *padding[d].constant(), 0, 0, 0, 0};
    out.common = std::gcd(out.stride, out.dilation);
    out.step = out.stride / out.common;
    out.inverse = inverse_of(out.dilation / out.common, out.step);
    out.most = (out.taps + out.step - 1) / out.step;
    each_.push_back(out);
  }
}

Phases::Phases(const std::vector<Sym>& all) : Phases(quarter(all, 0), quarter(all, 1), quarter(all, 2), quarter(all, 3)) {}

std::vector<Sym> Phases::all() const {
  std::vector<Sym> taps, dilation, padding;
  for (const Dimension& x : each_) {
    taps.emplace_back(x.taps);
    dilation.emplace_back(x.dilation);
    padding.emplace_back(x.padding);
  }
  return joined({&stride_, &taps, &dilation, &padding});
}

Sym Phases::Dimension::first(const Sym& r) const { return modulo(floor_div(r + padding, common) * inverse, step); }

// The division has no rest where the phase has taps.
Sym Phases::Dimension::shift(const Sym& r) const {
  const Sym sent = r + padding;
  return dilation == 1 ? floor_div(sent, stride) : floor_div(sent - first(r) * dilation, stride);
}

std::int64_t Phases::earliest(std::size_t d) const {
  std::int64_t out = *each_[d].shift(0).constant();
  for (std::int64_t r = 1; r < each_[d].stride; ++r) out = std::min(out, *each_[d].shift(r).constant());
  return out;
}

Window Phases::window(const std::vector<Sym>& places) const {
  std::vector<Sym> taps, stride(each_.size(), Sym(1)), dilation, padding;
  for (std::size_t d = 0; d < each_.size(); ++d) {
    taps.emplace_back(each_[d].most);
    dilation.emplace_back(each_[d].dilation / each_[d].common);
    padding.emplace_back(dilation[d] * (taps[d] - 1) - earliest(d));
  }
  return Window(joined({&taps, &stride, &dilation, &padding, &places}));
}

Sym Phases::later(std::size_t d, const Sym& r) const { return each_[d].shift(r) - earliest(d); }

std::int64_t Phases::latest(std::size_t d) const {
  std::int64_t out = 0;
  for (std::int64_t r = 0; r < each_[d].stride; ++r) out = std::max(out, *later(d, r).constant());
  return out;
}

Sym Phases::taps_of(std::size_t d, const Sym& r) const {
  const Dimension& x = each_[d];
  const Sym taps = x.most - floor_div(x.first(r) + (x.most * x.step - x.taps), x.step);
  return x.common == 1 ? taps : taps * (1 - minimum(modulo(r + x.padding, x.common), 1));
}

std::int64_t Phases::taps_of_all(std::size_t d) const {
  std::int64_t out = 0;
  for (std::int64_t r = 0; r < each_[d].stride; ++r) out += *taps_of(d, r).constant();
  return out;
}

Sym Phases::tap(std::size_t d, const Sym& r, const Sym& j) const { return each_[d].first(r) + (each_[d].most - 1 - j) * each_[d].step; }

std::vector<Sym> Phases::known(std::size_t d, const Sym& r, const Sym& j) const {
  const Dimension& x = each_[d];
  std::vector<Sym> out;
  if (x.taps % x.step != 0) out.push_back(x.taps - 1 - tap(d, r, j));
  if (x.common != 1) out.push_back(0 - modulo(r + x.padding, x.common));
  return out;
}

View::View(const Node& node) : window(ints_attribute(node, "window")) {
  if (node.attributes.contains("phases")) phases.emplace(ints_attribute(node, "phases"));
}

void View::write(Attributes& to) const {
  to["window"] = window.all();
  if (phases) to["phases"] = phases->all();
}

std::vector<Sym> View::phase(const Sym& product) const { return phases ? delinearize(product, phases->count()) : std::vector<Sym>(window.dims, Sym(0)); }

std::vector<Sym> View::known(const std::vector<Sym>& phase, const std::vector<Sym>& tap) const {
  std::vector<Sym> out;
  for (std::size_t d = 0; phases && d < window.dims; ++d) {
    for (const Sym& condition : phases->known(d, phase[d], tap[d])) out.push_back(condition);
  }
  return out;
}

double View::share() const {
  double out = 1;
  for (std::size_t d = 0; phases && d < window.dims; ++d) {
    out *= static_cast<double>(phases->taps_of_all(d)) / static_cast<double>(*(phases->count()[d] * window.taps[d]).constant());
  }
  return out;
}

}  // namespace ka::ir

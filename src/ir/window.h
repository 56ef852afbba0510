// What the lowering of a convolution writes down about the view of the image that is the first operand of its product, for passes that lay the image out in
// another way: the attributes `window` and, of a transposed convolution with a stride, `phases`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace ka::ir {

// Tap j of place q looks at image place q * stride + j * dilation - padding, in each dimension.
struct Window {
  std::size_t dims;
  std::vector<Sym> taps, stride, dilation, padding, places;
  explicit Window(const std::vector<Sym>& all);
  std::vector<Sym> all() const;
};

// A transposed convolution sends image place i by tap k of its filter to place stride * i + dilation * k - padding. Places stride * q + r of equal remainders r (a
// phase) are sent something by the same taps, so each phase is a convolution of the same image with a part of the filter, and no tap is visited in vain. Stride 2 and three taps:
//
//   phase 0   place 2q      taps 2 0   of image places q - 1, q     taps are counted backwards: tap j of the window is tap first + step * (T - 1 - j) of the filter,
//   phase 1   place 2q + 1  taps . 1                   .    q       where the filter has so many; only the first taps of a window can be none
//
// All phases share one window of stride 1; that of phase r begins `later` places further on.
class Phases {
 public:
  // In each dimension; numbers.
  Phases(const std::vector<Sym>& stride, const std::vector<Sym>& taps, const std::vector<Sym>& dilation, const std::vector<Sym>& padding);
  explicit Phases(const std::vector<Sym>& all);
  std::vector<Sym> all() const;

  const std::vector<Sym>& count() const { return stride_; }
  Window window(const std::vector<Sym>& places) const;
  // In dimension d, for phase r: how much further on its window begins than the first one does; and at most.
  Sym later(std::size_t d, const Sym& r) const;
  std::int64_t latest(std::size_t d) const;
  // How many taps it has in the filter: the last ones of the window.
  Sym taps_of(std::size_t d, const Sym& r) const;
  std::int64_t taps_of_all(std::size_t d) const;
  // Which one of the filter tap j of the window is, and the conditions (>= 0) that there is one.
  Sym tap(std::size_t d, const Sym& r, const Sym& j) const;
  std::vector<Sym> known(std::size_t d, const Sym& r, const Sym& j) const;

 private:
  struct Dimension {
    std::int64_t stride, taps, dilation, padding;
    std::int64_t common;   // divisor of stride and dilation: other remainders than its multiples are sent nothing
    std::int64_t step;     // from one tap of a phase to the next
    std::int64_t inverse;  // of the dilation, modulo the step
    std::int64_t most;     // taps of one phase
    Sym first(const Sym& r) const;  // its first tap
    Sym shift(const Sym& r) const;  // the image place that this sends to its place 0
  };
  std::int64_t earliest(std::size_t d) const;
  std::vector<Dimension> each_;
  std::vector<Sym> stride_;
};

// How a node's product looks at an image, by the attributes that it has: through one window, or through one for each phase.
struct View {
  Window window;
  std::optional<Phases> phases;

  explicit View(const Node& node);
  void write(Attributes& to) const;
  // How many products it is, and which phase a product is in each dimension.
  Sym products() const { return phases ? product(phases->count()) : Sym(1); }
  std::vector<Sym> phase(const Sym& product) const;
  // How much further on a phase begins.
  Sym later(std::size_t d, const std::vector<Sym>& phase) const { return phases ? phases->later(d, phase[d]) : Sym(0); }
  std::int64_t latest(std::size_t d) const { return phases ? phases->latest(d) : 0; }
  // The conditions (>= 0) that a phase has a tap, by dimension: one that is none must not meet a NaN.
  std::vector<Sym> known(const std::vector<Sym>& phase, const std::vector<Sym>& tap) const;
  // Of all taps of all windows, how many there are.
  double share() const;
};

}  // namespace ka::ir

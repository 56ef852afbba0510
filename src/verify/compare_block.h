// The element loops of compare(): a block of elements is decoded to double once, whatever its dtype, and then judged.
//
// Two ways to the same answer. `fast_block` is straight-line arithmetic without branches: it serves blocks whose elements
// are all finite and within tolerance, and says so when one is not. `detailed_block` looks at every element by itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "verify/compare.h"

namespace ka::verify {

// Elements per block: the decoded numbers of five tensors stay in the first-level cache.
inline constexpr std::int64_t kBlockElements = 512;

// Errors against float64, over the elements that are finite everywhere.
struct ErrorSums {
  double candidate = 0, torch = 0, tier = 0, scale = 0;                  // squares
  double max_candidate = 0, max_torch = 0, max_tier = 0, max_scale = 0;  // magnitudes
  double max_relative = 0;
  std::int64_t count = 0;
};

// The element to show: a wrong one before a right one, then the one with the larger error, then the first.
struct WorstElement {
  Mismatch mismatch = Mismatch::none;
  double error = -1;
  std::int64_t index = -1;
  double got = 0, want = 0;
};

// What was seen in a range of elements. Folding ranges in ascending order gives what one pass over all would give.
struct RangeResult {
  ErrorSums sums;
  WorstElement worst;
  std::int64_t wrong_elements = 0;
};

void fold(RangeResult& into, const RangeResult& next);

struct Range {
  std::int64_t begin, end;
};

// How far single elements may be off where large terms cancel: see cancellation_slack in compare.cc.
struct Slack {
  static constexpr int kSmallest = -32, kLargest = 31;  // exponents; what is smaller or larger counts as these
  using Binades = std::array<double, kLargest - kSmallest + 1>;
  double everywhere = 0;
  Binades up_to{};  // elements of this binade

  static std::size_t binade(double magnitude);
  double at(double magnitude) const { return std::max(everywhere, up_to[binade(magnitude)]); }
};

// Adds the range to `result` and returns true, or returns false (and `result` means nothing) when an element is not finite,
// not within tolerance, or not defined.
bool fast_range(const TensorView& candidate, const ReferenceViews& reference, const Tolerance& tolerance, Range range,
                RangeResult& result);

void detailed_range(const TensorView& candidate, const ReferenceViews& reference, const Tolerance& tolerance,
                    const Slack& slack, Range range, RangeResult& result);

// The largest errors of PyTorch's own answer and of the tier's, and the largest magnitude; only those fields are set. `outside`: PyTorch's
// largest errors at elements where its own answer is not within the tolerance, by the binade of the element.
void reference_errors(const ReferenceViews& reference, const Tolerance& tolerance, Range range, ErrorSums& sums, Slack::Binades& outside);

// Integers and bools: every byte must agree.
void exact_range(const TensorView& candidate, const ReferenceViews& reference, Range range, RangeResult& result);

}  // namespace ka::verify

// Comparing an output of the candidate with the reference, on raw bytes, in double precision.
//
// Three questions, in this order: are special values where they must be; is every element within tolerance of
// PyTorch's; and is the error against float64 no larger than a stated multiple of PyTorch's own (docs/precision.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/dtype.h"

namespace ka::verify {

// A dense row-major tensor somewhere in memory.
struct TensorView {
  ir::DType dtype = ir::DType::float32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

struct Tolerance {
  double rtol = 1e-3;
  double atol = 1e-3;
};

// How much larger than PyTorch's own error the candidate's may be.
struct ErrorBudget {
  double rms_multiple = 16;  // of the root mean square error
  double max_multiple = 64;  // of the largest error
};

Tolerance default_tolerance(ir::DType dtype);
ErrorBudget default_budget(ir::DType dtype);

struct ReferenceViews {
  TensorView native;                    // PyTorch in the problem's dtype
  TensorView wide;                      // PyTorch in float64 (int64 for integers)
  std::optional<TensorView> tier;       // PyTorch with operands rounded as the precision tier allows
  std::optional<TensorView> undefined;  // bool: where special values do not define the answer
  std::optional<TensorView> finite;     // float64: the answer there when the special inputs are made finite
};

enum class Mismatch { none, special, value, precision };

struct Comparison {
  Mismatch mismatch = Mismatch::none;
  std::int64_t wrong_elements = 0;
  std::int64_t worst_element = -1;  // flat index, -1 when nothing was compared
  double got = 0, want = 0;
  double max_abs_error = 0;   // against float64, over finite elements
  double max_rel_error = 0;
  double multiple_seen = 0;   // of PyTorch's own error; the larger of rms and max, each scaled to the rms multiple
  double multiple_allowed = 0;
  std::string note;           // for precision: which of the two budgets was exceeded
};

// Shapes and dtypes agree already; `candidate` has the dtype of `reference.native`. The answer does not depend on the number
// of worker threads (0 = as many as pay for the size).
Comparison compare(const TensorView& candidate, const ReferenceViews& reference, const Tolerance& tolerance,
                   const ErrorBudget& budget, unsigned workers = 0);

// Value of element i.
double element(const TensorView& view, std::int64_t i);
std::int64_t element_count(const TensorView& view);
std::vector<std::int64_t> unflatten(std::int64_t flat, const std::vector<std::int64_t>& shape);

}  // namespace ka::verify

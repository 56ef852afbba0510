// One pass over the elements gathers everything: the worst element, the sums for the error budget, the special values.
//
// The budget. Let c be the candidate, t PyTorch's native answer, r its answer with the operands that the precision tier
// allows, w the float64 answer and u the unit roundoff of the dtype:
//   rms(c - w) <= max(rms_multiple * max(rms(t - w), u * rms(w)), tier_multiple * rms(r - w))
//   max|c - w| <= the same with max_multiple and 4 * tier_multiple
// The term with u is what a single correct rounding costs: PyTorch is often exact where a kernel need not be.
#include "verify/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"

namespace ka::verify {
namespace {

// float64 has no wider reference: PyTorch's answer is compared with itself, so only the roundoff term is left, and a
// sum of many terms needs more than one rounding.
constexpr ErrorBudget kBudgetFloat64{4096, 16384};
constexpr ErrorBudget kBudgetFloat32{16, 64};
constexpr ErrorBudget kBudgetHalf{4, 16};
// Sums come in another order, so that a single element may be off by more than the largest error of the emulation.
constexpr double kTierSlack = 4;
constexpr double kOwnSlack = 8;
// A kernel of the tier makes the very errors that the emulation makes; one of the next coarser tier makes four times as large ones.
constexpr double kTierMultiple = 2.5;

template <typename T>
T load(const std::byte* bytes, std::int64_t i) {
  T value;
  std::memcpy(&value, bytes + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

struct Sums {
  double candidate = 0, torch = 0, tier = 0, scale = 0;                  // squares
  double max_candidate = 0, max_torch = 0, max_tier = 0, max_scale = 0;  // magnitudes
  std::int64_t count = 0;
};

bool within(double got, double want, const Tolerance& tolerance) {
  if (got == want) return true;
  if (!std::isfinite(got) || !std::isfinite(want)) return false;
  return std::abs(got - want) <= tolerance.atol + tolerance.rtol * std::abs(want);
}

// An overflow in a narrow dtype may round either way at its edge.
bool overflow_agrees(double got, double native, double wide) {
  if (!std::isinf(native) || !std::isfinite(wide)) return false;
  return std::isfinite(got) && std::abs(got - wide) <= 0.01 * std::abs(wide);
}

enum class Fate { fine, special, value };

// How far single elements may be off where large terms cancel: then the error is that of the terms, not a fraction of the
// small element that is left. Measured by PyTorch's own largest error, and by what the tier's operands cost. The budget
// still bounds the error over the whole output.
double cancellation_slack(const ReferenceViews& reference) {
  const ir::DTypeInfo& dtype = ir::info(reference.native.dtype);
  const bool narrow = dtype.size < sizeof(float);
  double torch = 0, tier = 0, scale = 0;
  for (std::int64_t i = 0; i < element_count(reference.wide); ++i) {
    const double wide = element(reference.wide, i);
    if (!std::isfinite(wide)) continue;
    const double torch_error = std::abs(element(reference.native, i) - wide);
    const double tier_error = reference.tier ? std::abs(element(*reference.tier, i) - wide) : 0;
    scale = std::max(scale, std::abs(wide));
    if (std::isfinite(torch_error)) torch = std::max(torch, torch_error);
    if (std::isfinite(tier_error)) tier = std::max(tier, tier_error);
  }
  const double own = narrow ? 0 : kOwnSlack * std::max(torch, dtype.unit_roundoff * scale);
  return std::max(own, kTierSlack * tier);
}

Fate judge_element(double got, double native, double wide, const Tolerance& tolerance, double slack) {
  if (std::isnan(native)) return std::isnan(got) ? Fate::fine : Fate::special;
  if (std::isnan(got)) return Fate::value;
  if (within(got, native, tolerance) || within(got, wide, tolerance)) return Fate::fine;
  if (slack > 0 && std::abs(got - wide) <= slack) return Fate::fine;
  return overflow_agrees(got, native, wide) ? Fate::fine : Fate::value;
}

void add_errors(Sums& sums, double got, double torch_error, double tier_error, double wide) {
  const double error = std::abs(got - wide);
  sums.candidate += error * error;
  sums.torch += torch_error * torch_error;
  sums.tier += tier_error * tier_error;
  sums.scale += wide * wide;
  sums.max_candidate = std::max(sums.max_candidate, error);
  sums.max_torch = std::max(sums.max_torch, torch_error);
  sums.max_tier = std::max(sums.max_tier, tier_error);
  sums.max_scale = std::max(sums.max_scale, std::abs(wide));
  ++sums.count;
}

void apply_budget(Comparison& result, const Sums& sums, double unit_roundoff, const ErrorBudget& budget) {
  result.multiple_allowed = budget.rms_multiple;
  if (sums.count == 0) return;
  const double n = static_cast<double>(sums.count);
  const double tier_share = kTierMultiple / budget.rms_multiple;
  const double rms_unit = std::max({std::sqrt(sums.torch / n), unit_roundoff * std::sqrt(sums.scale / n),
                                    tier_share * std::sqrt(sums.tier / n)});
  const double max_unit = std::max({sums.max_torch, unit_roundoff * sums.max_scale,
                                    4 * kTierMultiple / budget.max_multiple * sums.max_tier});
  const double rms_seen = rms_unit > 0 ? std::sqrt(sums.candidate / n) / rms_unit : (sums.candidate > 0 ? INFINITY : 0);
  const double max_seen = max_unit > 0 ? sums.max_candidate / max_unit : (sums.max_candidate > 0 ? INFINITY : 0);
  result.multiple_seen = std::max(rms_seen, max_seen * budget.rms_multiple / budget.max_multiple);
  if (result.mismatch != Mismatch::none || result.multiple_seen <= budget.rms_multiple) return;
  result.mismatch = Mismatch::precision;
  result.note = rms_seen > budget.rms_multiple
                    ? fmt::format("root mean square error is {:.3g} times PyTorch's own, {:g} are allowed", rms_seen,
                                  budget.rms_multiple)
                    : fmt::format("largest error is {:.3g} times PyTorch's own, {:g} are allowed", max_seen,
                                  budget.max_multiple);
}

Comparison compare_exact(const TensorView& candidate, const ReferenceViews& reference) {
  const TensorView& native = reference.native;
  Comparison result;
  for (std::int64_t i = 0; i < element_count(candidate); ++i) {
    if (reference.undefined && element(*reference.undefined, i) != 0) continue;
    const double got = element(candidate, i), want = element(native, i);
    const std::size_t size = ir::size_of(candidate.dtype);
    if (std::memcmp(candidate.bytes.data() + static_cast<std::size_t>(i) * size,
                    native.bytes.data() + static_cast<std::size_t>(i) * size, size) == 0)
      continue;
    result.mismatch = Mismatch::value;
    ++result.wrong_elements;
    if (result.worst_element < 0 || std::abs(got - want) > result.max_abs_error) {
      result.worst_element = i;
      result.got = got;
      result.want = want;
      result.max_abs_error = std::abs(got - want);
    }
  }
  return result;
}

}  // namespace

Tolerance default_tolerance(ir::DType dtype) {
  if (dtype == ir::DType::float16 || dtype == ir::DType::bfloat16) return {1e-2, 1e-2};
  if (dtype == ir::DType::float64) return {1e-7, 1e-7};
  return {1e-3, 1e-3};
}

ErrorBudget default_budget(ir::DType dtype) {
  if (dtype == ir::DType::float64) return kBudgetFloat64;
  if (dtype == ir::DType::float32) return kBudgetFloat32;
  return kBudgetHalf;
}

double element(const TensorView& view, std::int64_t i) {
  const std::byte* bytes = view.bytes.data();
  switch (view.dtype) {
    case ir::DType::float64: return load<double>(bytes, i);
    case ir::DType::float32: return static_cast<double>(load<float>(bytes, i));
    case ir::DType::float16: return ir::float16_to_double(load<std::uint16_t>(bytes, i));
    case ir::DType::bfloat16: return ir::bfloat16_to_double(load<std::uint16_t>(bytes, i));
    case ir::DType::int64: return static_cast<double>(load<std::int64_t>(bytes, i));
    case ir::DType::int32: return static_cast<double>(load<std::int32_t>(bytes, i));
    case ir::DType::int16: return static_cast<double>(load<std::int16_t>(bytes, i));
    case ir::DType::int8: return static_cast<double>(load<std::int8_t>(bytes, i));
    case ir::DType::uint8: return static_cast<double>(load<std::uint8_t>(bytes, i));
    case ir::DType::bool_: return load<std::uint8_t>(bytes, i) != 0 ? 1 : 0;
  }
  return 0;
}

std::int64_t element_count(const TensorView& view) {
  return static_cast<std::int64_t>(view.bytes.size() / ir::size_of(view.dtype));
}

std::vector<std::int64_t> unflatten(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(shape[d], 1);
    index[d] = flat % extent;
    flat /= extent;
  }
  return index;
}

Comparison compare(const TensorView& candidate, const ReferenceViews& reference, const Tolerance& tolerance,
                   const ErrorBudget& budget) {
  KA_CHECK(candidate.dtype == reference.native.dtype);
  KA_CHECK(candidate.bytes.size() == reference.native.bytes.size());
  if (!ir::is_float(candidate.dtype)) return compare_exact(candidate, reference);

  Comparison result;
  Sums sums;
  const double slack = cancellation_slack(reference);
  double worst_excess = -1;
  Fate worst_fate = Fate::fine;
  for (std::int64_t i = 0; i < element_count(candidate); ++i) {
    const double got = element(candidate, i);
    const double native = element(reference.native, i);
    const double wide = element(reference.wide, i);
    if (reference.undefined && element(*reference.undefined, i) != 0) {
      const double finite = reference.finite ? element(*reference.finite, i) : wide;
      if (std::isnan(got) || within(got, finite, tolerance) || within(got, native, tolerance)) continue;
    }
    const Fate fate = judge_element(got, native, wide, tolerance, slack);
    const double error = std::isnan(got) || std::isnan(wide) ? INFINITY : std::abs(got - wide);
    if (fate != Fate::fine) ++result.wrong_elements;
    const bool is_worse = static_cast<int>(fate != Fate::fine) > static_cast<int>(worst_fate != Fate::fine) ||
                          ((fate != Fate::fine) == (worst_fate != Fate::fine) && error > worst_excess);
    if (is_worse && !(fate == Fate::fine && std::isinf(error))) {
      worst_excess = error;
      worst_fate = fate;
      result.worst_element = i;
      result.got = got;
      result.want = std::isnan(native) ? native : wide;
    }
    if (!std::isfinite(got) || !std::isfinite(native) || !std::isfinite(wide)) continue;
    const double tier = reference.tier ? element(*reference.tier, i) : wide;
    add_errors(sums, got, std::abs(native - wide), std::isfinite(tier) ? std::abs(tier - wide) : 0, wide);
    result.max_rel_error = std::max(result.max_rel_error, std::abs(got - wide) / std::max(std::abs(wide), 1e-30));
  }
  result.max_abs_error = sums.max_candidate;
  if (result.wrong_elements > 0)
    result.mismatch = worst_fate == Fate::special ? Mismatch::special : Mismatch::value;
  apply_budget(result, sums, ir::info(candidate.dtype).unit_roundoff, budget);
  return result;
}

}  // namespace ka::verify

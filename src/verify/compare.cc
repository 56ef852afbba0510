// One pass over the elements gathers everything: the worst element, the sums for the error budget, the special values.
// The loops are in compare_block.cc; here the ranges are shared out, folded, and measured against the budget.
//
// The budget. Let c be the candidate, t PyTorch's native answer, r its answer with the operands that the precision tier
// allows, w the float64 answer and u the unit roundoff of the dtype:
//   rms(c - w) <= max(rms_multiple * max(rms(t - w), u * rms(w)), tier_multiple * rms(r - w))
//   max|c - w| <= the same with max_multiple and 4 * tier_multiple
// The term with u is what a single correct rounding costs: PyTorch is often exact where a kernel need not be.
#include "verify/compare.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "base/check.h"
#include "verify/compare_block.h"

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
constexpr double kHalfSlack = 2;  // of what PyTorch itself is outside the tolerance by
// A kernel of the tier makes the very errors that the emulation makes; one of the next coarser tier makes four times as large ones.
constexpr double kTierMultiple = 2.5;

// Elements that one worker takes at a time. Ranges do not depend on the number of workers, and their results are folded in
// order: the same bits come out with one worker and with sixty.
constexpr std::int64_t kRangeElements = 64 * 1024;
// Up to here the sums are added from left to right, as one would by hand.
constexpr std::int64_t kSmallElements = kRangeElements;
constexpr std::int64_t kRangesPerWorker = 8;  // a thread costs about as much as comparing that many
constexpr unsigned kMaxWorkers = 32;

Range range_number(std::int64_t k, std::int64_t elements) {
  return {k * kRangeElements, std::min((k + 1) * kRangeElements, elements)};
}

// Calls work(k) for k in [0, count), shared among workers (0 = as many as pay).
template <typename Work>
void for_each_range(std::int64_t count, unsigned workers, const Work& work) {
  const unsigned useful = static_cast<unsigned>(std::clamp<std::int64_t>(count / kRangesPerWorker, 1, kMaxWorkers));
  if (workers == 0) workers = std::min(useful, std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<std::int64_t> next = 0;
  const auto take = [&] {
    for (std::int64_t k = next++; k < count; k = next++) work(k);
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < workers; ++i) others.emplace_back(take);
  take();
}

// How far single elements may be off where large terms cancel: then the error is that of the terms, not a fraction of the
// small element that is left. Measured by PyTorch's own largest error, and by what the tier's operands cost. The budget
// still bounds the error over the whole output. In a half dtype PyTorch's largest error is that of rounding the largest
// element, which says nothing about small ones: there its answer must itself be outside the tolerance at elements that are
// no larger than the one in question.
Slack cancellation_slack(const ReferenceViews& reference, const Tolerance& tolerance, std::int64_t elements, unsigned workers) {
  const std::int64_t count = (elements + kRangeElements - 1) / kRangeElements;
  std::vector<RangeResult> parts(static_cast<std::size_t>(count));
  std::vector<Slack::Binades> outside(static_cast<std::size_t>(count));
  for_each_range(count, workers, [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    reference_errors(reference, tolerance, range_number(k, elements), parts[at].sums, outside[at]);
  });
  RangeResult all;
  for (const RangeResult& part : parts) fold(all, part);
  const ir::DTypeInfo& dtype = ir::info(reference.native.dtype);
  Slack slack;
  slack.everywhere = kTierSlack * all.sums.max_tier;
  if (dtype.size >= sizeof(float)) {
    slack.everywhere = std::max(slack.everywhere, kOwnSlack * std::max(all.sums.max_torch, dtype.unit_roundoff * all.sums.max_scale));
    return slack;
  }
  double so_far = 0;
  for (std::size_t i = 0; i < slack.up_to.size(); ++i) {
    for (const Slack::Binades& part : outside) so_far = std::max(so_far, part[i]);
    slack.up_to[i] = kHalfSlack * so_far;
  }
  return slack;
}

// Most ranges of an honest answer pass the fast way; the others are looked at again, element by element.
RangeResult compare_floats(const TensorView& candidate, const ReferenceViews& reference, const Tolerance& tolerance,
                           unsigned workers) {
  const std::int64_t elements = element_count(candidate);
  const std::int64_t count = (elements + kRangeElements - 1) / kRangeElements;
  std::vector<RangeResult> parts(static_cast<std::size_t>(count));
  std::vector<std::uint8_t> fine(static_cast<std::size_t>(count));
  if (elements > kSmallElements)
    for_each_range(count, workers, [&](std::int64_t k) {
      const auto at = static_cast<std::size_t>(k);
      fine[at] = fast_range(candidate, reference, tolerance, range_number(k, elements), parts[at]);
    });
  if (std::ranges::find(fine, 0) != fine.end()) {
    const Slack slack = cancellation_slack(reference, tolerance, elements, workers);
    for_each_range(count, workers, [&](std::int64_t k) {
      const auto at = static_cast<std::size_t>(k);
      if (fine[at]) return;
      parts[at] = {};
      detailed_range(candidate, reference, tolerance, slack, range_number(k, elements), parts[at]);
    });
  }
  RangeResult all;
  for (const RangeResult& part : parts) fold(all, part);
  return all;
}

void apply_budget(Comparison& result, const ErrorSums& sums, double unit_roundoff, const ErrorBudget& budget) {
  result.multiple_allowed = budget.rms_multiple;
  if (sums.count == 0) return;
  const double n = static_cast<double>(sums.count);
  const double tier_share = kTierMultiple / budget.rms_multiple;
  const double rms_unit = std::max({std::sqrt(sums.torch / n), unit_roundoff * std::sqrt(sums.scale / n),
                                    tier_share * std::sqrt(sums.tier / n)});
  const double max_unit = std::max({sums.max_torch, unit_roundoff * sums.max_scale,
                                    4 * kTierMultiple / budget.max_multiple * sums.max_tier});
  // squares of numbers beyond 1e154 are infinite: then the largest error is all there is
  const bool beyond = !std::isfinite(rms_unit);
  const double rms_seen = beyond ? 0 : rms_unit > 0 ? std::sqrt(sums.candidate / n) / rms_unit : (sums.candidate > 0 ? INFINITY : 0);
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

RangeResult compare_exact(const TensorView& candidate, const ReferenceViews& reference, unsigned workers) {
  const std::int64_t elements = element_count(candidate);
  const std::int64_t count = (elements + kRangeElements - 1) / kRangeElements;
  std::vector<RangeResult> parts(static_cast<std::size_t>(count));
  for_each_range(count, workers, [&](std::int64_t k) {
    exact_range(candidate, reference, range_number(k, elements), parts[static_cast<std::size_t>(k)]);
  });
  RangeResult all;
  for (const RangeResult& part : parts) fold(all, part);
  return all;
}

template <typename T>
T load(const std::byte* bytes, std::int64_t i) {
  T value;
  std::memcpy(&value, bytes + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return value;
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
                   const ErrorBudget& budget, unsigned workers) {
  KA_CHECK(candidate.dtype == reference.native.dtype);
  KA_CHECK(candidate.bytes.size() == reference.native.bytes.size());
  const bool exact = !ir::is_float(candidate.dtype);
  const RangeResult seen = exact ? compare_exact(candidate, reference, workers)
                                 : compare_floats(candidate, reference, tolerance, workers);
  Comparison result;
  result.mismatch = seen.worst.mismatch;
  result.wrong_elements = seen.wrong_elements;
  result.worst_element = seen.worst.index;
  result.got = seen.worst.got;
  result.want = seen.worst.want;
  if (exact) {
    result.max_abs_error = std::max(seen.worst.error, 0.0);
    return result;
  }
  result.max_abs_error = seen.sums.max_candidate;
  result.max_rel_error = seen.sums.max_relative;
  apply_budget(result, seen.sums, ir::info(candidate.dtype).unit_roundoff, budget);
  return result;
}

}  // namespace ka::verify

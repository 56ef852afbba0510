#include "verify/checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"

namespace ka::verify {
namespace {

std::string dims(const std::vector<std::int64_t>& sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

std::span<const std::byte> bytes_of(const RunOutcome& outcome, std::size_t output) {
  const ir::TensorSpec& spec = outcome.outputs[output].spec;
  return outcome.bytes.bytes().subspan(spec.offset, spec.nbytes);
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Strides of dimensions that hold one element mean nothing.
bool same_layout(const ir::TensorSpec& got, const ir::TensorSpec& want) {
  if (ir::is_contiguous(got)) return true;
  for (std::size_t d = 0; d < got.shape.size(); ++d)
    if (got.shape[d] > 1 && got.strides[d] != want.strides[d]) return false;
  return true;
}

}  // namespace

std::optional<Refusal> check_contract(const RunOutcome& outcome, const Draw& draw, const ReferenceFacts& reference) {
  if (outcome.structure != reference.structure)
    return Refusal{"contract.structure",
                   fmt::format("forward returns a {}, the kernel a {}", reference.structure, outcome.structure)};
  if (outcome.outputs.size() != draw.outputs.size())
    return Refusal{"contract.structure", fmt::format("forward returns {} tensors, the kernel {}", draw.outputs.size(),
                                                     outcome.outputs.size())};
  for (std::size_t i = 0; i < outcome.outputs.size(); ++i) {
    const Output& output = outcome.outputs[i];
    const ir::TensorSpec& want = draw.outputs[i];
    if (!output.on_device) return Refusal{"contract.device", fmt::format("output {}", i)};
    if (output.spec.shape != want.shape)
      return Refusal{"contract.shape",
                     fmt::format("output {} is {}, forward returns {}", i, dims(output.spec.shape), dims(want.shape))};
    if (output.spec.dtype != want.dtype)
      return Refusal{"contract.dtype", fmt::format("output {} is {}, forward returns {}", i,
                                                   ir::to_string(output.spec.dtype), ir::to_string(want.dtype))};
    if (output.aliases_input && !reference.outputs_alias_inputs)
      return Refusal{"contract.alias", fmt::format("output {}", i)};
    if (!output.fresh && !output.aliases_input)
      return Refusal{"contract.alias", fmt::format("output {} lies in memory that an earlier call returned or kept", i)};
    if (!same_layout(output.spec, want))
      return Refusal{"contract.layout", fmt::format("output {} has strides {}, forward returns {}", i,
                                                    dims(output.spec.strides), dims(want.strides))};
  }
  for (const std::string& name : outcome.changed_inputs)
    return Refusal{"contract.inputs", fmt::format("{} holds other values after the call", name)};
  return std::nullopt;
}

std::optional<Refusal> check_guard(const RunOutcome& outcome) {
  if (!outcome.denied.empty()) return Refusal{"guard.compute", outcome.denied.front()};
  if (outcome.launched == 0) return Refusal{"guard.launch", ""};
  for (std::size_t i = 0; i < outcome.outputs.size(); ++i)
    if (!outcome.outputs[i].touched_by_kernel && outcome.outputs[i].spec.nbytes > 0)
      return Refusal{"guard.provenance", fmt::format("output {}", i)};
  if (!outcome.races.empty()) return Refusal{"result.race", outcome.races.front()};
  if (!outcome.out_of_bounds.empty()) return Refusal{"result.bounds", outcome.out_of_bounds.front()};
  return std::nullopt;
}

std::optional<Refusal> check_repetition(const RunOutcome& first, const RunOutcome& second, bool bitwise) {
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    const std::int64_t untouched = std::min(first.outputs[i].poisoned, second.outputs[i].poisoned);
    if (untouched > 0)
      return Refusal{"result.unwritten",
                     fmt::format("output {}: {} of {} elements still hold what the memory held before", i, untouched,
                                 ir::numel(first.outputs[i].spec))};
  }
  if (!bitwise) return std::nullopt;
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    const std::span<const std::byte> a = bytes_of(first, i), b = bytes_of(second, i);
    if (same_bytes(a, b)) continue;
    const std::size_t size = ir::size_of(first.outputs[i].spec.dtype);
    std::size_t at = 0;
    while (std::memcmp(a.data() + at, b.data() + at, size) == 0) at += size;
    const auto flat = static_cast<std::int64_t>(at / size);
    return Refusal{"result.repeat", fmt::format("output {}, first at element {}", i,
                                                dims(unflatten(flat, first.outputs[i].spec.shape)))};
  }
  return std::nullopt;
}

std::optional<Refusal> check_fresh(const RunOutcome& now, const Draw& draw, const RunOutcome& before,
                                   const Draw& draw_before) {
  for (std::size_t i = 0; i < now.outputs.size() && i < before.outputs.size(); ++i) {
    const std::span<const std::byte> want = draw.bytes.bytes().subspan(draw.outputs[i].offset, draw.outputs[i].nbytes);
    const std::span<const std::byte> want_before =
        draw_before.bytes.bytes().subspan(draw_before.outputs[i].offset, draw_before.outputs[i].nbytes);
    if (same_bytes(bytes_of(now, i), bytes_of(before, i)) && !same_bytes(want, want_before))
      return Refusal{"result.cached", fmt::format("output {}", i)};
  }
  return std::nullopt;
}

bool buffers_agree(const RunOutcome& outcome, const Draw& draw) {
  return std::ranges::all_of(draw.buffers_after, [&](const auto& entry) {
    const auto found = outcome.buffers_after.find(entry.first);
    if (found == outcome.buffers_after.end()) return false;
    const TensorView got = view_of(found->second, outcome.bytes.bytes()), want = view_of(entry.second, draw.bytes.bytes());
    if (got.dtype != want.dtype || got.shape != want.shape) return false;
    return compare(got, {want, want, {}, {}, {}}, default_tolerance(got.dtype), {1e6, 1e6}).mismatch == Mismatch::none;
  });
}

// An output that is wrong says more than an earlier one that is imprecise: only where every output is within the tolerance is it
// the precision that is refused.
std::optional<Refusal> check_numbers(const RunOutcome& outcome, const Draw& draw, model::Verdict& verdict, double wider) {
  std::optional<Refusal> imprecise;
  for (std::size_t i = 0; i < outcome.outputs.size(); ++i) {
    const TensorView got = view_of(outcome.outputs[i].spec, outcome.bytes.bytes());
    Tolerance tolerance = default_tolerance(got.dtype);
    tolerance.rtol *= wider;
    tolerance.atol *= wider;
    const Comparison seen = compare(got, draw.views(i), tolerance, default_budget(got.dtype));
    model::Precision& precision = verdict.precision;
    precision.rtol = tolerance.rtol;
    precision.atol = tolerance.atol;
    if (draw.request.distribution != "special") {
      precision.multiple_allowed = seen.multiple_allowed;
      precision.multiple_seen = std::max(precision.multiple_seen, seen.multiple_seen);
      precision.max_abs_error = std::max(precision.max_abs_error, seen.max_abs_error);
      precision.max_rel_error = std::max(precision.max_rel_error, seen.max_rel_error);
    }
    if (seen.mismatch == Mismatch::none || (seen.mismatch == Mismatch::precision && imprecise)) continue;
    const std::vector<std::int64_t> index = unflatten(seen.worst_element, got.shape);
    verdict.worst = model::WorstElement{static_cast<int>(i), index, seen.got, seen.want, std::abs(seen.got - seen.want), {}};
    const std::string where = fmt::format("output {} at {}: got {:.9g}, want {:.9g}; inputs \"{}\", seed {}", i,
                                          dims(index), seen.got, seen.want, draw.request.distribution, draw.request.seed);
    if (seen.mismatch == Mismatch::precision) {
      imprecise = Refusal{"result.precision", seen.note + "\n" + where};
      continue;
    }
    const bool special = draw.request.distribution == "special" || draw.request.distribution == "masked" ||
                         seen.mismatch == Mismatch::special;
    return Refusal{special ? "result.special" : "result.mismatch",
                   fmt::format("{} of {} elements are wrong; worst: {}", seen.wrong_elements, element_count(got), where)};
  }
  return imprecise;
}

}  // namespace ka::verify

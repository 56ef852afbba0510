// The loops over lanes are written so that the compiler turns them into vector instructions (this file is compiled with
// -O3): four independent partial sums, no branches, no calls. The function clones for AVX2 compute the very same bits as
// the plain ones: no fused multiply-add, same order of additions.
#include "verify/compare_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"

// Sanitizers instrument function entries before the loader has resolved clones.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define KA_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define KA_CLONES
#endif

namespace ka::verify {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kBlock = static_cast<std::size_t>(kBlockElements);
static_assert(kBlock % kLanes == 0);

using Numbers = std::array<double, kBlock>;

template <typename T>
void decode_as(const std::byte* bytes, std::size_t n, double* into) {
  for (std::size_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    into[i] = static_cast<double>(value);
  }
}

void decode_bfloat16(const std::byte* bytes, std::size_t n, double* into) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, sizeof bits);
    into[i] = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  }
}

// The exponent is moved to its place in a float32 and its bias is corrected by a multiplication, which also makes
// subnormal numbers right. Exponent 31 stands for infinity and NaN: adding 112 to it gives float32's own 255.
void decode_float16(const std::byte* bytes, std::size_t n, double* into) {
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t half;
    std::memcpy(&half, bytes + 2 * i, sizeof half);
    const std::uint32_t bits = half;
    const std::uint32_t magnitude = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
    const std::uint32_t special = (bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    into[i] = static_cast<double>(std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign));
  }
}

void decode_bool(const std::byte* bytes, std::size_t n, double* into) {
  for (std::size_t i = 0; i < n; ++i) into[i] = bytes[i] != std::byte{0} ? 1 : 0;
}

KA_CLONES void decode(const TensorView& view, std::int64_t begin, std::size_t n, Numbers& into) {
  const std::byte* bytes = view.bytes.data() + static_cast<std::size_t>(begin) * ir::size_of(view.dtype);
  switch (view.dtype) {
    case ir::DType::float64: return decode_as<double>(bytes, n, into.data());
    case ir::DType::float32: return decode_as<float>(bytes, n, into.data());
    case ir::DType::float16: return decode_float16(bytes, n, into.data());
    case ir::DType::bfloat16: return decode_bfloat16(bytes, n, into.data());
    case ir::DType::int64: return decode_as<std::int64_t>(bytes, n, into.data());
    case ir::DType::int32: return decode_as<std::int32_t>(bytes, n, into.data());
    case ir::DType::int16: return decode_as<std::int16_t>(bytes, n, into.data());
    case ir::DType::int8: return decode_as<std::int8_t>(bytes, n, into.data());
    case ir::DType::uint8: return decode_as<std::uint8_t>(bytes, n, into.data());
    case ir::DType::bool_: return decode_bool(bytes, n, into.data());
  }
}

// The decoded elements of one block; a missing tier counts as exact.
struct Block {
  Numbers got, native, wide, tier;
  std::int64_t begin = 0;
  std::size_t n = 0;
};

void decode_references(const ReferenceViews& reference, Block& block) {
  decode(reference.native, block.begin, block.n, block.native);
  decode(reference.wide, block.begin, block.n, block.wide);
  if (reference.tier)
    decode(*reference.tier, block.begin, block.n, block.tier);
  else
    std::copy_n(block.wide.data(), block.n, block.tier.data());
}

double larger(double a, double b) { return a > b ? a : b; }

struct LaneSums {
  std::array<double, kLanes> candidate{}, torch{}, tier{}, scale{};
  std::array<double, kLanes> max_candidate{}, max_torch{}, max_tier{}, max_scale{}, max_relative{};
};

double total(const std::array<double, kLanes>& lanes) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}
double largest(const std::array<double, kLanes>& lanes) { return *std::max_element(lanes.begin(), lanes.end()); }

// Returns whether every element is finite and within tolerance. A difference of finite numbers that is within tolerance is
// finite, and x - x is 0 for finite numbers only: one comparison finds NaN and infinity.
KA_CLONES bool add_lanes(const Block& block, const Tolerance& tolerance, LaneSums& into) {
  LaneSums sums = into;  // a copy that nothing else points to stays in registers
  std::array<std::int64_t, kLanes> bad{};
  for (std::size_t i = 0; i < block.n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double got = block.got[i + lane], native = block.native[i + lane], wide = block.wide[i + lane];
      const double tier = block.tier[i + lane];
      const double magnitude = std::fabs(wide), error = std::fabs(got - wide);
      const double torch_error = std::fabs(native - wide), tier_error = std::fabs(tier - wide);
      const bool near_native = std::fabs(got - native) <= tolerance.atol + tolerance.rtol * std::fabs(native);
      const bool near_wide = error <= tolerance.atol + tolerance.rtol * magnitude;
      const double nothing = (got - got) + (native - native) + (wide - wide) + (tier - tier);
      bad[lane] |= static_cast<std::int64_t>(!((near_native | near_wide) & (nothing == 0)));
      sums.candidate[lane] += error * error;
      sums.torch[lane] += torch_error * torch_error;
      sums.tier[lane] += tier_error * tier_error;
      sums.scale[lane] += wide * wide;
      sums.max_candidate[lane] = larger(error, sums.max_candidate[lane]);
      sums.max_torch[lane] = larger(torch_error, sums.max_torch[lane]);
      sums.max_tier[lane] = larger(tier_error, sums.max_tier[lane]);
      sums.max_scale[lane] = larger(magnitude, sums.max_scale[lane]);
      sums.max_relative[lane] = larger(error / larger(magnitude, 1e-30), sums.max_relative[lane]);
    }
  }
  into = sums;
  return std::all_of(bad.begin(), bad.end(), [](std::int64_t lane) { return lane == 0; });
}

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

Mismatch judge_element(double got, double native, double wide, const Tolerance& tolerance, const Slack& slack) {
  if (std::isnan(native)) return std::isnan(got) ? Mismatch::none : Mismatch::special;
  if (std::isnan(got)) return std::isnan(wide) ? Mismatch::none : Mismatch::value;  // PyTorch has both, here and in float64
  if (within(got, native, tolerance) || within(got, wide, tolerance)) return Mismatch::none;
  if (std::isfinite(wide) && std::abs(got - wide) <= slack.at(std::abs(wide))) return Mismatch::none;
  return overflow_agrees(got, native, wide) ? Mismatch::none : Mismatch::value;
}

void add_errors(ErrorSums& sums, double got, double torch_error, double tier_error, double wide) {
  const double error = std::abs(got - wide);
  sums.candidate += error * error;
  sums.torch += torch_error * torch_error;
  sums.tier += tier_error * tier_error;
  sums.scale += wide * wide;
  sums.max_candidate = std::max(sums.max_candidate, error);
  sums.max_torch = std::max(sums.max_torch, torch_error);
  sums.max_tier = std::max(sums.max_tier, tier_error);
  sums.max_scale = std::max(sums.max_scale, std::abs(wide));
  sums.max_relative = std::max(sums.max_relative, error / std::max(std::abs(wide), 1e-30));
  ++sums.count;
}

bool is_worse(const WorstElement& a, const WorstElement& than) {
  const bool wrong = a.mismatch != Mismatch::none, was_wrong = than.mismatch != Mismatch::none;
  return wrong != was_wrong ? wrong : a.error > than.error;
}

void detailed_element(const Block& block, std::size_t i, const Tolerance& tolerance, const Slack& slack, RangeResult& result) {
  const double got = block.got[i], native = block.native[i], wide = block.wide[i], tier = block.tier[i];
  const Mismatch mismatch = judge_element(got, native, wide, tolerance, slack);
  const double error = std::isnan(got) || std::isnan(wide) ? INFINITY : std::abs(got - wide);
  if (mismatch != Mismatch::none) ++result.wrong_elements;
  const WorstElement seen{mismatch, error, block.begin + static_cast<std::int64_t>(i), got, std::isnan(native) ? native : wide};
  if (!(mismatch == Mismatch::none && std::isinf(error)) && is_worse(seen, result.worst)) result.worst = seen;
  if (!std::isfinite(got) || !std::isfinite(native) || !std::isfinite(wide)) return;
  add_errors(result.sums, got, std::abs(native - wide), std::isfinite(tier) ? std::abs(tier - wide) : 0, wide);
}

bool is_all_zero(const TensorView& view, Range range) {
  const std::size_t size = ir::size_of(view.dtype);
  const auto bytes = view.bytes.subspan(static_cast<std::size_t>(range.begin) * size,
                                        static_cast<std::size_t>(range.end - range.begin) * size);
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

// Lanes beyond the end of a block repeat an element that changes nothing.
void pad(Block& block) {
  for (; block.n % kLanes != 0; ++block.n) {
    for (Numbers* numbers : {&block.got, &block.native, &block.wide, &block.tier}) (*numbers)[block.n] = 0;
  }
}

}  // namespace

void fold(RangeResult& into, const RangeResult& next) {
  const ErrorSums& sums = next.sums;
  into.sums.candidate += sums.candidate;
  into.sums.torch += sums.torch;
  into.sums.tier += sums.tier;
  into.sums.scale += sums.scale;
  into.sums.max_candidate = std::max(into.sums.max_candidate, sums.max_candidate);
  into.sums.max_torch = std::max(into.sums.max_torch, sums.max_torch);
  into.sums.max_tier = std::max(into.sums.max_tier, sums.max_tier);
  into.sums.max_scale = std::max(into.sums.max_scale, sums.max_scale);
  into.sums.max_relative = std::max(into.sums.max_relative, sums.max_relative);
  into.sums.count += sums.count;
  into.wrong_elements += next.wrong_elements;
  if (next.worst.index >= 0 && is_worse(next.worst, into.worst)) into.worst = next.worst;
}

bool fast_range(const TensorView& candidate, const ReferenceViews& reference, const Tolerance& tolerance, Range range,
                RangeResult& result) {
  if (reference.undefined && !is_all_zero(*reference.undefined, range)) return false;
  LaneSums sums;
  Block block;
  double worst = -1;
  for (block.begin = range.begin; block.begin < range.end; block.begin += kBlockElements) {
    block.n = static_cast<std::size_t>(std::min(kBlockElements, range.end - block.begin));
    const std::size_t n = block.n;
    decode(candidate, block.begin, n, block.got);
    decode_references(reference, block);
    pad(block);
    if (!add_lanes(block, tolerance, sums)) return false;
    if (largest(sums.max_candidate) <= worst) continue;
    worst = largest(sums.max_candidate);  // of the elements so far; it is in this block, and this is where it came first
    std::size_t at = 0;
    while (at + 1 < n && std::fabs(block.got[at] - block.wide[at]) != worst) ++at;
    result.worst = {Mismatch::none, worst, block.begin + static_cast<std::int64_t>(at), block.got[at], block.wide[at]};
  }
  result.sums = {total(sums.candidate),         total(sums.torch),        total(sums.tier),         total(sums.scale),
                 largest(sums.max_candidate),   largest(sums.max_torch),  largest(sums.max_tier),   largest(sums.max_scale),
                 largest(sums.max_relative),    range.end - range.begin};
  return true;
}

void detailed_range(const TensorView& candidate, const ReferenceViews& reference, const Tolerance& tolerance,
                    const Slack& slack, Range range, RangeResult& result) {
  Block block;
  Numbers undefined, finite;
  for (block.begin = range.begin; block.begin < range.end; block.begin += kBlockElements) {
    block.n = static_cast<std::size_t>(std::min(kBlockElements, range.end - block.begin));
    decode(candidate, block.begin, block.n, block.got);
    decode_references(reference, block);
    if (reference.undefined) {
      decode(*reference.undefined, block.begin, block.n, undefined);
      decode(reference.finite ? *reference.finite : reference.wide, block.begin, block.n, finite);
    }
    for (std::size_t i = 0; i < block.n; ++i) {
      if (reference.undefined && undefined[i] != 0 &&
          (std::isnan(block.got[i]) || within(block.got[i], finite[i], tolerance) ||
           within(block.got[i], block.native[i], tolerance)))
        continue;
      detailed_element(block, i, tolerance, slack, result);
    }
  }
}

std::size_t Slack::binade(double magnitude) {
  const int exponent = magnitude > 0 ? std::ilogb(magnitude) : kSmallest;
  return static_cast<std::size_t>(std::clamp(exponent, kSmallest, kLargest) - kSmallest);
}

void reference_errors(const ReferenceViews& reference, const Tolerance& tolerance, Range range, ErrorSums& sums, Slack::Binades& outside) {
  Block block;
  for (block.begin = range.begin; block.begin < range.end; block.begin += kBlockElements) {
    block.n = static_cast<std::size_t>(std::min(kBlockElements, range.end - block.begin));
    decode_references(reference, block);
    for (std::size_t i = 0; i < block.n; ++i) {
      const double wide = block.wide[i];
      if (!std::isfinite(wide)) continue;
      const double torch_error = std::abs(block.native[i] - wide), tier_error = std::abs(block.tier[i] - wide);
      sums.max_scale = std::max(sums.max_scale, std::abs(wide));
      if (std::isfinite(torch_error)) sums.max_torch = std::max(sums.max_torch, torch_error);
      if (std::isfinite(torch_error) && !within(block.native[i], wide, tolerance)) {
        double& largest = outside[Slack::binade(std::abs(wide))];
        largest = std::max(largest, torch_error);
      }
      if (std::isfinite(tier_error)) sums.max_tier = std::max(sums.max_tier, tier_error);
    }
  }
}

void exact_range(const TensorView& candidate, const ReferenceViews& reference, Range range, RangeResult& result) {
  const std::size_t size = ir::size_of(candidate.dtype);
  const std::byte* got = candidate.bytes.data();
  const std::byte* want = reference.native.bytes.data();
  const auto differs = [&](std::int64_t begin, std::int64_t end) {
    const std::size_t at = static_cast<std::size_t>(begin) * size;
    return std::memcmp(got + at, want + at, static_cast<std::size_t>(end - begin) * size) != 0;
  };
  if (range.begin == range.end || !differs(range.begin, range.end)) return;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    if (!differs(i, i + 1) || (reference.undefined && element(*reference.undefined, i) != 0)) continue;
    ++result.wrong_elements;
    const double a = element(candidate, i), b = element(reference.native, i);
    const WorstElement seen{Mismatch::value, std::abs(a - b), i, a, b};
    if (is_worse(seen, result.worst)) result.worst = seen;
  }
}

}  // namespace ka::verify

// The facts about a GPU that decide how work is cut into programs and which way of computing it is taken. Those of an H200; others
// differ little, and what is compared are ratios.
#pragma once

#include <cstdint>

namespace ka::partition::gpu {

inline constexpr std::int64_t kMultiprocessors = 132;
inline constexpr std::int64_t kWantedPrograms = 4 * kMultiprocessors;  // enough to hide how long memory takes

// What our own kernels reach (bench/results/h200_families.tsv), in operations and bytes per second.
inline constexpr double kFloatProducts = 30e12;     // float32, no tensor cores
inline constexpr double kThreeProducts = 180e12;    // float32 as three products of float16 parts
inline constexpr double kGatheredProducts = 55e12;  // TF32, operands gathered element by element
inline constexpr double kHalfProducts = 450e12;     // float16
inline constexpr double kBytesPerSecond = 3e12;
inline constexpr double kLaunchSeconds = 4e-6;

}  // namespace ka::partition::gpu

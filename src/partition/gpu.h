// The facts about a GPU that decide how work is cut into programs. Those of an H200; others differ little.
#pragma once

#include <cstdint>

namespace ka::partition::gpu {

inline constexpr std::int64_t kMultiprocessors = 132;
inline constexpr std::int64_t kWantedPrograms = 4 * kMultiprocessors;  // enough to hide how long memory takes

}  // namespace ka::partition::gpu

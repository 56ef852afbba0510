// Registers are given to whole warps in units of 256, and to warps by fours; shared memory in units of 128 bytes, and from compute capability
// 8.0 on the driver keeps 1 KiB of it per program.
#include "profile/occupancy.h"

#include <algorithm>
#include <array>

namespace ka::profile {
namespace {

constexpr std::int64_t kWarp = 32, kRegisterUnit = 256, kWarpUnit = 4, kSharedUnit = 128, kReservedShared = 1024;
constexpr std::int64_t kMostRegisters = 255, kMostWarps = 32;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

std::int64_t blocks_by_registers(const Needs& needs, const ir::CudaLimits& limits) {
  const std::int64_t of_a_warp = round_up(std::max<std::int64_t>(needs.registers, 1) * kWarp, kRegisterUnit);
  const std::int64_t warps = limits.registers / of_a_warp / kWarpUnit * kWarpUnit;
  return warps / needs.warps;
}

std::int64_t blocks_by_shared(const Needs& needs, const ir::CudaLimits& limits) {
  const std::int64_t reserved = limits.arch >= 80 ? kReservedShared : 0;
  const std::int64_t used = round_up(needs.shared_bytes + reserved, kSharedUnit);
  return used == 0 ? limits.blocks : limits.shared_bytes / used;
}

}  // namespace

std::optional<Occupancy> occupancy(const Needs& needs, const ir::CudaLimits& limits) {
  const bool sensible = needs.warps >= 1 && needs.warps <= kMostWarps && needs.registers >= 0 && needs.registers <= kMostRegisters &&
                        needs.shared_bytes >= 0 && needs.shared_bytes <= limits.shared_bytes;
  if (!sensible) return std::nullopt;
  struct Bound {
    const char* name;
    std::int64_t blocks;
  };
  const std::array bounds = {Bound{"registers", blocks_by_registers(needs, limits)}, Bound{"shared memory", blocks_by_shared(needs, limits)},
                             Bound{"threads", limits.threads / (needs.warps * kWarp)}, Bound{"blocks", limits.blocks}};
  Occupancy out;
  out.blocks = std::min_element(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) { return a.blocks < b.blocks; })->blocks;
  if (out.blocks < 1) return std::nullopt;
  for (const Bound& bound : bounds)
    if (bound.blocks == out.blocks) out.limit += (out.limit.empty() ? "" : " and ") + std::string(bound.name);
  out.warps_pct = 100.0 * static_cast<double>(out.blocks * needs.warps * kWarp) / static_cast<double>(limits.threads);
  return out;
}

}  // namespace ka::profile

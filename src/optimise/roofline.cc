#include "optimise/roofline.h"

#include <algorithm>

#include <fmt/format.h>

namespace ka::optimise {
namespace {

constexpr double kAtRooflinePct = 95, kProductsForFloat32 = 3;

}  // namespace

Peaks data_sheet_peaks(const ir::Gpu& gpu) { return {gpu.peak_bytes, gpu.peak_float32, gpu.peak_half, "by the data sheet"}; }

Floor floor_of(const Work& work, const Peaks& peaks, std::string_view tier) {
  const bool half = tier == "tf32" || tier == "half";
  const double products = half ? peaks.half : std::max(peaks.float32, peaks.half / kProductsForFloat32);
  return {work.bytes / peaks.bytes, std::max(work.product_flops / products + work.half_flops / peaks.half, work.other_flops / peaks.float32), peaks.basis};
}

model::Roofline roofline(const Floor& floor, double measured_seconds, bool uses_tensor_cores) {
  model::Roofline out;
  out.uses_tensor_cores = uses_tensor_cores;
  if (!floor.basis.empty()) out.basis = floor.basis;
  if (!(measured_seconds > 0)) {
    out.warnings.push_back("no roofline: no time was measured");
    return out;
  }
  out.compute_pct = 100 * floor.compute_seconds / measured_seconds;
  out.memory_pct = 100 * floor.memory_seconds / measured_seconds;
  out.efficiency_pct = std::max(out.compute_pct, out.memory_pct);
  out.headroom_pct = std::max(0.0, 100 - out.efficiency_pct);
  out.at_roofline = out.efficiency_pct >= kAtRooflinePct;
  if (out.efficiency_pct > 100)
    out.warnings.push_back(fmt::format("{:.0f} % of what the GPU can do{}{}: the kernel does less than the program, or the time is wrong", out.efficiency_pct,
                                       floor.basis.empty() ? "" : " ", floor.basis));
  return out;
}

}  // namespace ka::optimise

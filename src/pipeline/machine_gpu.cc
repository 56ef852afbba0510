#include "pipeline/machine_gpu.h"

#include <algorithm>

#include "os/environment.h"

namespace ka::pipeline {

optimise::Peaks measured_peaks(const bench::Ceilings& ceilings) {
  const auto better = [&](const char* one, const char* other) { return std::max(ceilings.value(one), ceilings.value(other)); };
  return {better("copy_bytes", "read_bytes"), ceilings.value("float32_flops"), better("float16_flops", "bfloat16_flops"), "by measured ceilings"};
}

MachineGpu machine_gpu(const os::Gpu& device, const std::optional<bench::Ceilings>& ceilings) {
  MachineGpu out;
  out.device = device;
  const ir::Gpu* const known = ir::gpu_by_title(device.name);
  out.is_known = known != nullptr && known->cuda;
  out.facts = out.is_known ? *known : ir::default_gpu();
  if (out.is_known) out.sheet = optimise::data_sheet_peaks(*known);
  if (ceilings) out.measured = measured_peaks(*ceilings);
  return out;
}

std::optional<MachineGpu> machine_gpu() {
  const Result<std::vector<os::Gpu>> gpus = os::query_gpus(os::Deadline::in(std::chrono::seconds(10)));
  if (!gpus || gpus->empty()) return std::nullopt;
  const std::optional<std::vector<int>> visible = os::visible_gpus(*gpus, os::get_env("CUDA_VISIBLE_DEVICES"));
  if (visible && visible->empty()) return std::nullopt;
  const int number = visible ? visible->front() : gpus->front().index;
  const os::Gpu& device = *std::find_if(gpus->begin(), gpus->end(), [&](const os::Gpu& one) { return one.index == number; });
  return machine_gpu(device, bench::kept_ceilings(device));
}

}  // namespace ka::pipeline

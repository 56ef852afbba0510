// Which GPUs this machine has, as its driver tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/clock.h"

namespace ka::os {

struct Gpu {
  int index = 0;
  std::string name;                // "NVIDIA H200"
  std::string compute_capability;  // "9.0"
  std::uint64_t memory_bytes = 0;
  std::string driver;  // "580.159.04"
  double power_limit_watts = 0;  // 0: it does not tell
};

// Asks nvidia-smi. Empty when there is none, when it fails or when it does not answer in time: a machine
// without a usable GPU is an ordinary machine.
Result<std::vector<Gpu>> query_gpus(Deadline deadline);

// Of these, the numbers of those that CUDA_VISIBLE_DEVICES (nothing: it is not set) leaves to programs, in its order; like CUDA, as far
// as the first entry that names none. Nothing where it names them otherwise than by number ("GPU-5fa1...").
std::optional<std::vector<int>> visible_gpus(const std::vector<Gpu>& gpus, const std::optional<std::string>& visible);

// The lines "index, name, capability, MiB, driver, watts" of nvidia-smi; the last may be missing. Lines of another form are left out.
std::vector<Gpu> parse_gpu_table(std::string_view text);

}  // namespace ka::os

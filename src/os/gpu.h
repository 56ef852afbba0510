// Which GPUs this machine has, as its driver tells.
#pragma once

#include <cstdint>
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
};

// Asks nvidia-smi. Empty when there is none, when it fails or when it does not answer in time: a machine
// without a usable GPU is an ordinary machine.
Result<std::vector<Gpu>> query_gpus(Deadline deadline);

// The lines "index, name, capability, MiB, driver" of nvidia-smi; lines of another form are left out.
std::vector<Gpu> parse_gpu_table(std::string_view text);

}  // namespace ka::os

// What must be the same for two times to be comparable at all: the GPU, its driver and power limit, and the versions of PyTorch and Triton.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "bridge/warm_interpreter.h"

namespace ka::bench {

struct Fingerprint {
  std::string gpu;  // "NVIDIA H200"; "cpu, 8 cores" where none takes part
  std::string driver, power_limit;  // empty where they are not told
  std::string torch, triton;
  bool operator==(const Fingerprint&) const = default;
};

Json to_json(const Fingerprint& fingerprint);

// `device`: cuda or cpu. `gpu`: its number; nothing: the first.
Result<Fingerprint> fingerprint_of(const std::string& device, std::optional<int> gpu, const bridge::InterpreterFacts& facts);

}  // namespace ka::bench

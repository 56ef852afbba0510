// How many programs of a kernel a multiprocessor can hold at once, from what the compiled code needs. A bound: the hardware may hold fewer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/gpu.h"

namespace ka::profile {

struct Needs {
  std::int64_t warps = 0;         // of one program
  std::int64_t registers = 0;     // of one thread
  std::int64_t shared_bytes = 0;  // of one program
};

struct Occupancy {
  std::int64_t blocks = 0;  // programs on one multiprocessor
  double warps_pct = 0;     // of the warps that it holds
  std::string limit;        // what is used up first: "registers", "shared memory", "threads", "blocks"; two of them joined by "and"
};

// Nothing when not even one program fits, or when the needs make no sense.
std::optional<Occupancy> occupancy(const Needs& needs, const ir::CudaLimits& limits);

}  // namespace ka::profile

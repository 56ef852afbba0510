// How rows that are too long for one program are cut into chunks for several, all of which are on the GPU at once with their chunk in registers.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/gpu.h"
#include "ir/graph.h"

namespace ka::ir {

struct SharedRows {
  std::int64_t chunk;      // columns of a program, a power of two
  std::int64_t residents;  // programs that are on the GPU at once
  int warps, registers;    // of a program, and of each of its threads: the compiler is held to it, or fewer programs would be resident
};

// Nothing where one program does as well, where a row is more than the whole GPU holds, or where the GPU is not to be given this form.
std::optional<SharedRows> shared_rows(const Gpu& gpu, std::int64_t rows, std::int64_t columns);

// A sum, a maximum or a minimum along the last dimensions, in at most 32 bits: what programs can put together from what each has found in its chunk.
bool can_be_shared(const Graph& graph, const Node& reduction);

}  // namespace ka::ir

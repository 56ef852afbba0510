// Equal kernels are written once. Two kernels are equal when their texts differ in the names of sizes and in numbers only; the
// numbers that differ become constexpr parameters, so that each launch is compiled for its own numbers as before.
//
//   a: i // 56 ... 3136      b: i // 28 ... 784      ->  i // N0 ... (N0*N0), launched with N0=56 and N0=28
#pragma once

#include <cstddef>
#include <vector>

#include "synth/codegen/family.h"

namespace ka::codegen {

// Gives the kernels their final texts and names (made unique by `names`) and the parameters that they have come to share.
// Returns for each kernel the number of the first one that has the same text.
std::vector<std::size_t> share_kernels(std::vector<EmittedKernel>& kernels, Source& names);

}  // namespace ka::codegen

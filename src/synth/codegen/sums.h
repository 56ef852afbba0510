// An extent that is a sum of sizes (the channels of joined images) is one number to a kernel that needs these sizes for nothing else.
// So it is the same kernel, compiled once, for every such sum.
//
//   row < 2*n + 64 ... 64*col + 2*col*n + row      ->  row < extent ... col*extent + row, launched with extent = 2*n + 64
#pragma once

#include <vector>

#include "synth/codegen/family.h"

namespace ka::codegen {

// The kernel, with the sums as numbers for which it needs no more parameters than without. `sums` are those of the file so far; new ones
// get a name among `names`.
EmittedKernel emit_with_sums(EmitRequest request, std::vector<NamedSum>& sums, Source& names);

}  // namespace ka::codegen

// Index expressions as Triton text.
#pragma once

#include <string>

#include "ir/sym.h"

namespace ka::codegen {

// Integers are divided towards zero in a kernel, towards minus infinity in Sym and in Python: a dividend that may be negative
// is lifted by a multiple of the divisor first.
std::string kernel_text(const ir::Sym& sym);

}  // namespace ka::codegen

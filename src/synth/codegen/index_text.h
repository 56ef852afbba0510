// Index expressions as Triton text.
#pragma once

#include <functional>
#include <string>

#include "ir/sym.h"

namespace ka::codegen {

// Integers are divided towards zero in a kernel, towards minus infinity in Sym and in Python: a dividend that may be negative
// is lifted by a multiple of the divisor first.
std::string kernel_text(const ir::Sym& sym);

// The same; a quotient or remainder, whose text is given, may be written under a name.
using NameAtom = std::function<std::string(const ir::Atom& atom, const std::string& text)>;
std::string kernel_text(const ir::Sym& sym, const NameAtom& named);

}  // namespace ka::codegen

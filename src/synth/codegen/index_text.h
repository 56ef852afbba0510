// Index expressions as Triton text.
#pragma once

#include <functional>
#include <string>

#include "ir/sym.h"

namespace ka::codegen {

// Integers are divided towards zero in a kernel, towards minus infinity in Sym and in Python: a dividend that may be negative
// is lifted by a multiple of the divisor first.
std::string kernel_text(const ir::Sym& sym);

// An extent that is a sum of sizes, and the name under which a kernel may take it as one number.
struct NamedSum {
  ir::Sym sum;
  std::string name;
};

// The expression with the name in place of the sum and of its multiples: 64*col + 2*col*n + row, where 2*n + 64 is "extent", is col*extent + row.
ir::Sym with_sum(const ir::Sym& sym, const NamedSum& sum);

// The same text; a quotient or remainder, whose text is given, may be written under a name, and sums may be taken together.
struct KernelNames {
  std::function<std::string(const ir::Atom& atom, const std::string& text)> atom;
  std::function<ir::Sym(const ir::Sym& sym)> sums;
};
std::string kernel_text(const ir::Sym& sym, const KernelNames& names);

}  // namespace ka::codegen

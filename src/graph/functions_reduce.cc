// Reductions and scans. In terms the reduced dimensions stay with extent 1 unless keepdim=false says otherwise.
#include <algorithm>

#include "graph/term_functions.h"

namespace ka::graph {
namespace {

Arg reduced(Operands& in, const std::string& kind) {
  ir::Builder& b = in.builder();
  const ir::ValueId x = in.tensor("x");
  const std::vector<int> dims = in.dims("dim", b.rank(x));
  if (b.rank(x) == 0) return tensor_arg(kind == "argmax" || kind == "argmin" ? b.constant(0, ir::DType::int64) : x);
  const ir::ValueId out = b.reduce(kind, x, dims);
  return tensor_arg(in.flag("keepdim", true) ? out : b.reshape(out, without(b.shape(out), dims)));
}

Arg sum(Operands& in) { return reduced(in, "sum"); }
Arg prod(Operands& in) { return reduced(in, "prod"); }
Arg amax(Operands& in) { return reduced(in, "max"); }
Arg amin(Operands& in) { return reduced(in, "min"); }
Arg any(Operands& in) { return reduced(in, "any"); }
Arg all(Operands& in) { return reduced(in, "all"); }

// Without dim PyTorch counts in row-major order over all elements.
Arg argument_of(Operands& in, const std::string& kind) {
  ir::Builder& b = in.builder();
  if (in.has("dim")) return reduced(in, kind);
  ir::ValueId x = in.tensor("x");
  x = b.reshape(x, {ir::product(b.shape(x))});
  return tensor_arg(b.reshape(b.reduce(kind, x, {0}), {}));
}

Arg argmax(Operands& in) { return argument_of(in, "argmax"); }
Arg argmin(Operands& in) { return argument_of(in, "argmin"); }

Arg count(Operands& in) {
  const ir::ValueId x = in.tensor("x");
  return Arg{extent_of(in.builder().shape(x), in.dims("dim", in.builder().rank(x)))};
}

Arg scanned(Operands& in) {
  ir::Builder& b = in.builder();
  const ir::ValueId x = in.tensor("x");
  if (b.rank(x) == 0) return tensor_arg(x);
  return tensor_arg(b.scan(in.text("kind", "sum"), x, in.dim("dim", b.rank(x)), in.flag("reverse", false)));
}

constexpr Function kFunctions[] = {
    {"all", "x, dim, keepdim", all},       {"amax", "x, dim, keepdim", amax}, {"amin", "x, dim, keepdim", amin},
    {"any", "x, dim, keepdim", any},       {"argmax", "x, dim, keepdim", argmax}, {"argmin", "x, dim, keepdim", argmin},
    {"count", "x, dim", count},            {"prod", "x, dim, keepdim", prod}, {"scan", "kind, x, dim, reverse", scanned},
    {"sum", "x, dim, keepdim", sum},
};

}  // namespace

std::span<const Function> reduce_functions() {
  return kFunctions;
}

}  // namespace ka::graph

// The functions of the term language that are not elementwise primitives: one row each, grouped by kind in a file each.
#pragma once

#include <span>
#include <string_view>

#include "graph/term.h"

namespace ka::graph {

// What ends a function of the language: thrown by Operands, caught by call_function.
struct Refusal {
  Error error;
};

// Operands of a function by parameter name. A wrong one ends the function, so that it reads as straight code.
class Operands {
 public:
  Operands(Names names, ir::Builder& builder) : names_(std::move(names)), builder_(builder) {}

  bool has(const std::string& name) const;
  const Arg& arg(const std::string& name) const;
  ir::ValueId tensor(const std::string& name, int least_rank = 0);
  std::vector<ir::ValueId> tensors(const std::string& name);
  ir::Sym integer(const std::string& name);
  ir::Sym integer_or(const std::string& name, const ir::Sym& otherwise);
  // A number that is known when the graph is built.
  std::int64_t fixed(const std::string& name, std::int64_t otherwise);
  // A single integer counts as a list of one.
  std::vector<ir::Sym> integers(const std::string& name);
  // One for each of n; one or none stands for all.
  std::vector<ir::Sym> integers(const std::string& name, std::size_t n, const std::vector<ir::Sym>& otherwise);
  std::vector<ir::Sym> positive(const std::string& name, std::size_t n, const std::vector<ir::Sym>& otherwise);
  double number(const std::string& name, double otherwise);
  bool flag(const std::string& name, bool otherwise);
  std::string text(const std::string& name, const std::string& otherwise);
  // Dimensions of a tensor of this rank, none = all of them; negative ones count from the end.
  std::vector<int> dims(const std::string& name, int rank);
  int dim(const std::string& name, int rank);

  // What PyTorch can and this cannot.
  [[noreturn]] void fail(const std::string& what) const;
  // What PyTorch would have refused.
  void need(bool fits, const std::string& otherwise) const;
  // The tensor that another function gives.
  static ir::ValueId tensor_of(const Result<Arg>& called);
  ir::Builder& builder() { return builder_; }

 private:
  Names names_;
  ir::Builder& builder_;
};

struct Function {
  std::string_view name;
  std::string_view parameters;  // "x, dim, keepdim": all optional as far as the language is concerned
  Arg (*run)(Operands& in);
};

std::span<const Function> reduce_functions();
std::span<const Function> view_functions();
std::span<const Function> contraction_functions();
std::span<const Function> index_functions();
std::span<const Function> network_functions();
std::span<const Function> recurrent_functions();
std::span<const Function> resample_functions();
std::span<const Function> scatter_functions();
std::span<const Function> sort_functions();

struct Macro {
  std::string_view name;
  std::string_view parameters;
  std::string_view term;
};
std::span<const Macro> all_macros();
std::span<const Macro> scatter_macros();
std::span<const Macro> sort_macros();

inline Arg tensor_arg(ir::ValueId id) { return Arg{Tensor{id}}; }
// Less than nothing whatever the sizes are: minus a size, say. Such a position counts from the end.
inline bool is_negative(const ir::Sym& stated) { return stated.constant() ? *stated.constant() < 0 : ir::is_nonnegative(ir::Sym(0) - stated); }
// Row-major product of some extents of a shape.
ir::Sym extent_of(const ir::Shape& shape, const std::vector<int>& dims);
// What dimension k of n spatial ones is called: height, width.
const char* extent_name(std::size_t k, std::size_t n);
// The shape without these dimensions.
ir::Shape without(const ir::Shape& shape, const std::vector<int>& dims);

}  // namespace ka::graph

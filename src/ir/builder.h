// Builds a graph node by node: types are inferred, equal nodes are made once, constants are folded into sizes where they
// are sizes. Operands that do not fit are a Misfit (ir/misfit.h): here every operator of a program passes, whoever wrote the program.
// Types, shapes and nodes that it returns by reference are good until the next node is made: copy what is needed longer.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace ka::ir {

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  // Where the nodes made from now on come from.
  void set_origin(std::string op, std::string where);

  ValueId argument(ArgumentKind kind, const std::string& name, const std::string& keyword, Type type);

  // An elementwise primitive; operands are broadcast as PyTorch does it.
  ValueId elementwise(const std::string& op, std::vector<ValueId> operands);
  ValueId cast(ValueId x, DType dtype);
  ValueId constant(double value, DType dtype);
  // int64 of this shape; the expression is over i0, i1, ...
  ValueId index(Shape shape, const Sym& expression);

  ValueId reshape(ValueId x, Shape shape);
  ValueId permute(ValueId x, const std::vector<int>& dims);
  // `index` and `valid` over i0, i1, ...
  ValueId remap(ValueId x, Shape shape, std::vector<Sym> index, std::vector<Sym> valid = {}, double fill = 0, Attributes more = {});
  ValueId expand(ValueId x, const Shape& shape);
  ValueId cat(std::vector<ValueId> parts, int dim);
  // `index` over i0, i1, ... and t0, t1, ..., the elements of the index operands; these are broadcast to `shape`.
  ValueId gather(ValueId x, std::vector<ValueId> indices, Shape shape, std::vector<Sym> index);
  // The reduced dimensions stay with extent 1.
  ValueId reduce(const std::string& kind, ValueId x, std::vector<int> dims);
  ValueId scan(const std::string& kind, ValueId x, int dim, bool reverse = false);
  // [b, m, k] x [b, k, n], the batch extents equal. Integers and float64 become a sum of products.
  ValueId matmul(ValueId a, ValueId b);
  // Any node, with its result types stated.
  std::vector<ValueId> node(const std::string& op, std::vector<ValueId> inputs, Attributes attributes,
                            std::vector<Type> types);

  // A size of its own for an extent that is a sum, a quotient or the like ("height_1 = (height - 1) // 2 + 1"): every index into
  // what follows would repeat the expression otherwise, and products of sums are long. Multiples of a size stay what they are.
  // Equal extents are one size.
  Sym named_extent(const std::string& wish, const Sym& extent);

  const Type& type(ValueId value) const { return graph_.type(value); }
  const Shape& shape(ValueId value) const { return graph_.shape(value); }
  int rank(ValueId value) const { return static_cast<int>(shape(value).size()); }
  Graph& graph() { return graph_; }

 private:
  ValueId single(const std::string& op, std::vector<ValueId> inputs, Attributes attributes, Type type);

  Graph& graph_;
  std::string origin_, where_;
  std::map<std::string, int> known_;  // text of a node -> its number
  std::map<std::string, Sym> extents_;    // text of an extent without named sizes -> its size
  std::map<std::string, Sym> expansions_;  // named size -> the extent without named sizes
};

// i0, i1, ... with these extents: the index of an element of such a tensor.
std::vector<Sym> index_symbols(const Shape& shape);
// As PyTorch's: the broadcast of two shapes. The extents must be equal, or one of them 1.
Shape broadcast(const Shape& a, const Shape& b);
DType promote(DType a, DType b);

}  // namespace ka::ir

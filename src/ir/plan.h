// Which values are kept in memory, and which kernel computes them. Everything else is recomputed where it is needed: a
// pointwise value that no kernel owns is `inlined` into every kernel that reads it.
//
// A kernel has a domain, the points that it visits: for a row kernel the elements of the tensor that it reduces, for a
// matmul kernel the elements of the product. A value that belongs to a kernel knows its own index at a point of the domain,
// so an epilogue may go through reshapes and permutations as long as nothing has to be looked up at another point.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace ka::ir {

enum class KernelKind { pointwise, row, matmul, attention, scan, recurrence, order, opaque };
const char* to_string(KernelKind kind);

struct PlannedKernel {
  KernelKind kind = KernelKind::pointwise;
  std::vector<int> nodes;             // owned by it, in order: reductions, the contraction, its epilogue
  std::vector<ValueId> outputs;   // kept in memory
  Shape domain;                   // extents; point p of the domain is (p0, p1, ...)
  std::vector<int> reduced;           // row: the dimensions of the domain that are reduced
  std::map<ValueId, std::vector<Sym>> index;  // of owned values, over p0, p1, ...
  std::set<ValueId> computed;         // values of other kernels that it computes again instead of reading them
  std::set<int> needs;                // kernels whose outputs it reads
  std::map<std::string, ValueId> roles;  // attention: which value is the query, the scores, ...
};

// A node that could have joined a kernel and did not.
struct FusionRefusal {
  int node = -1;
  int kernel = -1;
  std::string reason;
};

struct Plan {
  std::vector<PlannedKernel> kernels;        // in an order in which they can run
  std::vector<ValueId> randoms;   // values that PyTorch draws, in program order
  std::vector<FusionRefusal> refusals;
};

// The points of a domain as symbols p0, p1, ...
std::vector<Sym> points(const Shape& domain);

// The index of what a reshape or a permutation makes, from that of its operand.
std::vector<Sym> moved_index(const Graph& graph, const Node& node, const std::vector<Sym>& index);

// A remap that takes the first elements along each dimension: every element keeps its index.
bool is_crop(const Graph& graph, const Node& remap);

// What float32 operands of a contraction are multiplied as, at a tier (default, fp32, tf32, half): "ieee" or "tf32". PyTorch's default
// for convolutions is TF32.
std::string contraction_precision(const std::string& tier, const Node& contraction);

// One line per kernel: its kind, its nodes, what it keeps.
std::string to_text(const Plan& plan, const Graph& graph);

}  // namespace ka::ir

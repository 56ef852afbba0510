// What must hold for every graph and every plan, checked after each pass in debug builds (the presets dev, asan and tsan), so that a pass that
// breaks something is found where it did it and not three stages later. Tests and the import call the checks in every build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace ka::ir {

#ifdef KA_CHECK_PASSES
inline constexpr bool kChecksPasses = true;
#else
inline constexpr bool kChecksPasses = false;
#endif

// The first thing that is wrong, as an internal error: "node 12 (reduce, aten.mean.dim, p.py:9): dimension 3 of 2 is reduced".
//   values     belong to a node or an argument; their extents are made of declared sizes
//   sizes      are found at an argument that has them, or follow from earlier sizes
//   operands   exist and were made before; as many as the primitive takes
//   attributes are those of the primitive (ir/primitives.h), of the right type, over i0, i1, ... and declared sizes
//   types      follow from the operands as the primitive says; extents are compared at the given sizes
//   views      read elements that exist: corners of the result are tried
Status check_graph(const Graph& graph);
// The same of the nodes from `first` on only.
Status check_nodes(const Graph& graph, std::size_t first);

// Every kernel computes what it says from arguments, draws and what earlier kernels keep; a value is kept by one kernel; what the program
// returns is kept.
Status check_plan(const Graph& graph, const Plan& plan);

// In debug builds: print what is wrong with the name of the pass, and abort. Otherwise nothing is done.
void after_pass(std::string_view pass, const Graph& graph);
void after_pass(std::string_view pass, const Graph& graph, const Plan& plan);
// The same in the middle of a pass: of the nodes from `first` on.
void after_rewrite(std::string_view rule, const Graph& graph, std::size_t first);

// What is wrong with the attributes and the result types of one node whose operands exist, empty for nothing. `given` are the sizes.
std::string wrong_about(const Graph& graph, const Node& node, const std::map<std::string, std::int64_t>& given);

}  // namespace ka::ir

// A kernel family: from a planned kernel to the text of one Triton kernel and the way it is launched.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ir/gpu.h"
#include "ir/graph.h"
#include "ir/plan.h"
#include "synth/codegen/body.h"

namespace ka::codegen {

// Blocks of a matrix that a kernel is handed as a tensor descriptor, or as None where the matrix cannot be fetched so.
struct Blocks {
  std::string name;    // of the parameter
  std::string buffer;  // in the wrapper
  std::string text;    // Python text of extents, strides and block; a constant stands in it as {BM}
};

struct EmittedKernel {
  std::string name;
  std::string text;                     // decorator and function
  std::vector<std::string> pointers;    // buffers, in the order of the parameters
  std::vector<std::string> roles;       // what the kernel calls them
  std::vector<std::string> sizes;       // size symbols
  std::set<std::string> fixed_sizes;    // of which the compiler is told the number
  std::vector<Blocks> blocks;           // all or none of them; the grid names constants as their text does
  std::vector<std::pair<std::string, std::string>> constants;  // constexpr parameters and their Python text in the wrapper
  std::string grid;                     // Python text of the tuple
  std::int64_t programs = 0;            // of a grid of one dimension, at the given sizes
  std::string loop, loop_count;         // launched once per value of this variable, which it is handed; empty: once
  std::string remark;                   // for the head of the file
  int num_warps = 4, num_stages = 2;
  int registers = 0;  // that a thread may have; 0: as many as the compiler wants
  bool uses_libdevice = false;
  std::string counters;  // how many int32 counters it is handed as `arrived`, zero at first; its programs wait for each other, so they are all there at once
  std::string partials;  // how many float32 numbers it is handed as `partials`, for its programs to tell each other
};

struct EmitRequest {
  const ir::Graph& graph;
  const ir::PlannedKernel& kernel;
  const std::map<ir::ValueId, Buffer>& buffers;
  const std::map<std::string, std::int64_t>& given;  // values of the size symbols in the given program
  std::string name;
  std::string precision;  // of contractions: ieee or tf32
  const ir::Gpu& gpu;
  std::vector<NamedSum> sums = {};  // extents that the kernel takes as one number
};

EmittedKernel emit_pointwise(const EmitRequest& request);
EmittedKernel emit_row(const EmitRequest& request);
// Of the row kernels, those whose windows overlap; nothing for the others.
std::optional<EmittedKernel> emit_window(const EmitRequest& request);
// Of the row kernels, those whose rows several programs keep together, where the GPU is to be given that form; nothing for the others.
std::optional<EmittedKernel> emit_shared_rows(const EmitRequest& request);
EmittedKernel emit_matmul(const EmitRequest& request);
EmittedKernel emit_attention(const EmitRequest& request);
EmittedKernel emit_scan(const EmitRequest& request);
EmittedKernel emit_recurrence(const EmitRequest& request);
// Of the recurrences, those that run all steps in one launch, where the GPU is to be given that form and the weights fit; nothing for the others.
std::optional<EmittedKernel> emit_persistent(const EmitRequest& request);
EmittedKernel emit_order(const EmitRequest& request);
// By the family of its kind, which is not opaque.
EmittedKernel emit(const EmitRequest& request);

KernelContext context_of(const EmitRequest& request);
// The index of each dimension of the domain in terms of a family's own variables, put into an owned value's index.
std::vector<ir::Sym> at_points(const std::vector<ir::Sym>& index, const std::vector<ir::Sym>& points);
// Puts signature and body together.
std::string function_text(const EmittedKernel& kernel, const std::string& body);
std::int64_t given_value(const EmitRequest& request, const ir::Sym& sym);
// Whether offsets need 64 bits, as Python text.
std::string wide_text(const ir::Sym& largest);
// Fills in what the body has used, and the text.
void finish(EmittedKernel& out, KernelContext& context, const Source& body);

}  // namespace ka::codegen

// The whole kernel file: prelude, kernels, and kernel_function, which allocates, launches and returns.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/gpu.h"
#include "ir/graph.h"
#include "ir/plan.h"

namespace ka::codegen {

struct GenerateOptions {
  std::string precision = "default";  // default, fp32, tf32, half
  std::string title;                  // what the file computes, for its first line
  std::string version;                // of the generator
  ir::Gpu gpu = ir::default_gpu();    // whose tiles are chosen
  std::string platform = "cuda";      // the device where no argument tells: cuda, xpu
  std::string entry = "kernel_function";
  std::vector<std::string> imports;   // further lines after the file's own imports
};

struct WeightArgument {
  std::string name;     // in state_dict
  std::string keyword;  // of the entry
  bool is_buffer = false;
};

struct KernelFile {
  std::string text;
  std::vector<std::string> kernels;  // names, by kernel of the plan
  std::vector<std::vector<std::size_t>> launches;  // in order: the kernels of the plan that each runs, several side by side
  std::vector<std::int64_t> programs;              // by kernel, at the given sizes; 0 where it does not matter
  std::vector<std::string> inputs;   // of the entry, in order
  std::vector<WeightArgument> weights;
};

Result<KernelFile> write_module(const ir::Graph& graph, const ir::Plan& plan, const GenerateOptions& options);

}  // namespace ka::codegen

// The facts about a GPU that decide how work is cut into programs and which way of computing it is taken: data/gpus.json, which travels
// inside the program.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/forms.h"

namespace ka::ir {

// What one multiprocessor of an NVIDIA GPU holds at once.
struct CudaLimits {
  int arch = 0;  // compute capability, 90 for 9.0
  std::int64_t threads = 0, blocks = 0, shared_bytes = 0, registers = 0;
};

struct Gpu {
  std::string name;    // "h200"
  std::string title;   // "NVIDIA H200 SXM"
  std::string source;  // measured, or data sheet: then what kernels reach is estimated
  std::int64_t multiprocessors = 0, memory_bytes = 0, l2_bytes = 0, shared_bytes = 0;  // shared memory of one program
  double peak_bytes = 0, peak_float32 = 0, peak_tf32 = 0, peak_half = 0;
  // What generated kernels reach, in operations and bytes per second.
  double bytes = 0;
  double float_products = 0;     // float32, no tensor cores
  double three_products = 0;     // float32 as three products of float16 parts
  double gathered_products = 0;  // TF32, operands gathered element by element
  double half_products = 0;      // float16
  double launch_seconds = 0;         // what a kernel costs on the GPU besides its work
  double python_launch_seconds = 0;  // how often Python can launch one
  std::set<Form> forms = {};            // of kernels, that win on it
  std::optional<CudaLimits> cuda = {};  // nothing: no NVIDIA GPU

  bool writes(Form form) const { return forms.contains(form); }
  std::int64_t wanted_programs() const { return 4 * multiprocessors; }  // enough to hide how long memory takes
};

// The rows of a text like data/gpus.json. A row without measured rates has the first one's share of its own peaks.
Result<std::vector<Gpu>> read_gpus(std::string_view text);
// The rows of the built-in table; the first is what programs are written for unless somebody says otherwise.
std::span<const Gpu> all_gpus();
inline const Gpu& default_gpu() { return all_gpus()[0]; }
// Bad input names the GPUs that are known.
Result<Gpu> find_gpu(std::string_view name);
// The row for a name that a driver gives ("NVIDIA H100 80GB HBM3"), or nothing.
const Gpu* gpu_by_title(std::string_view title);

}  // namespace ka::ir

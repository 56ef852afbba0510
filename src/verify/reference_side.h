// The reference: the original program in a sandboxed child of its own. It is loaded once, then asked for draws: fresh
// inputs and weights together with what PyTorch answers for them, in the problem's dtype and in float64.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "ir/tensor_spec.h"
#include "verify/arena.h"

namespace ka::verify {

struct ProblemSource {
  std::string path;    // as the user gave it, for messages
  std::string object;  // NAME of path.py:NAME, or empty
  std::string text;
  std::string mode = "train";
};

struct Weight {
  std::string name;      // state_dict name
  std::string argument;  // keyword of kernel_function
  bool is_buffer = false;
};

// What loading the problem told.
struct ReferenceFacts {
  std::string kind;
  std::vector<Argument> inputs;
  std::vector<Weight> weights;
  std::string init_arguments;  // JSON list for ModelNew
  std::vector<ir::TensorSpec> outputs;
  std::string structure;
  std::map<std::string, std::int64_t> given_sizes, verified_sizes;
  bool scaled = false;
  bool draws_random = false;
  bool outputs_alias_inputs = false;
  bool has_contraction = false;
  std::string default_tier;
  std::vector<std::string> updated_buffers;
  std::vector<std::string> variants;
  std::vector<std::string> more_distributions;  // those that suit only some programs
};

struct DrawRequest {
  std::uint64_t seed = 0;
  std::uint64_t call_seed = 0;
  std::string distribution = "given";
  std::string variant;   // empty = the problem's own sizes
  std::string tier;      // "fp32", "tf32", "half"; "last_bits": as fp32, and what inputs that are off by their last bit would give
};

struct Draw {
  DrawRequest request;
  bool applicable = true;
  std::string why_not;
  os::Mapping bytes;
  ArgumentSet arguments;
  std::vector<ir::TensorSpec> outputs, outputs_wide, outputs_tier, undefined, finite;
  std::map<std::string, ir::TensorSpec> buffers_after;

  ReferenceViews views(std::size_t output) const;
};

enum class Scale {
  none,         // the given sizes, for one draw
  gpu,          // what many draws cost little on a GPU; the given sizes where the program has no smaller ones
  interpreter,  // what Triton's interpreter can do
};

// The program's arguments at the sizes that were given, where smaller ones are verified (python/bridge/given_sizes.py).
struct GivenDraw {
  DrawRequest request;
  std::string arguments;               // JSON; empty when they cannot be told
  std::optional<os::MemoryFile> file;  // what was drawn of them
  std::string outputs = "[]";          // shapes and dtypes, JSON
  std::string why;                     // why answers for these sizes are not known, or empty
  std::string unfit;                   // why kernels cannot be tried there, or empty
};

// Elements of an output that a candidate computed, by their row-major positions (int64).
struct SampledValues {
  std::size_t output = 0;
  ir::DType dtype = ir::DType::float32;
  std::int64_t count = 0;
  std::span<const std::byte> positions, values;
};

struct ReferenceOptions {
  std::string device = "cpu";
  bool exports = false;        // export_graphs() will be asked for
  Scale scale = Scale::interpreter;
  std::uint64_t seed = 0;
  os::SandboxRequest sandbox;
  std::chrono::milliseconds limit{60'000};
};

class ReferenceSide {
 public:
  // Errors are the user's (bad problem file, one clear sentence) or the world's.
  static Result<ReferenceSide> load(const ProblemSource& problem, const ReferenceOptions& options,
                                    bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);
  const ReferenceFacts& facts() const { return facts_; }
  Result<Draw> draw(const DrawRequest& request, const os::CancelToken& cancel);
  // The program as graphs of PyTorch operators at several sizes, as JSON text; for a side loaded with `exports`. Operators
  // other than the given ones are replaced by what PyTorch says they mean, where it says so.
  Result<std::string> export_graphs(std::span<const std::string> operators, const os::CancelToken& cancel);
  // The arguments at the sizes that were given. What cannot be found out is not there; no error of ours.
  Result<GivenDraw> draw_given(const DrawRequest& request, const os::CancelToken& cancel);
  // What the program gives for these elements; outputs in the order of `values`.
  Result<Draw> given_answers(const std::vector<SampledValues>& values, const os::CancelToken& cancel);
  // What the text of the problem tells, as JSON: `features` for the route, `constructor` for a file that builds the module again.
  Result<std::string> source_facts(const os::CancelToken& cancel);
  // What is wrong with a text as Python, with its line, or an empty text. Nothing is executed.
  Result<std::string> syntax_error(const std::string& text, const os::CancelToken& cancel);
  // Executes a text that defines `forward(*inputs, **weights)` beside the program; how they differ, or an empty text.
  Result<std::string> compare_refactored(const std::string& text, std::uint64_t seed, std::chrono::milliseconds limit, const os::CancelToken& cancel);

 private:
  ReferenceSide(bridge::Child child, ReferenceFacts facts, std::string path, std::chrono::milliseconds limit);
  bridge::Child child_;
  ReferenceFacts facts_;
  std::string path_;
  std::chrono::milliseconds limit_;
};

}  // namespace ka::verify

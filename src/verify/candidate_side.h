// The candidate: the suspect kernel in a sandboxed child of its own. Nothing it says is believed without a check, and
// whatever it does ends in a Refusal or a RunOutcome, never in an error of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "verify/arena.h"
#include "verify/given_sizes.h"
#include "verify/reference_side.h"

namespace ka::verify {

struct KernelSource {
  std::string path;
  std::string text;
};

// A rule of the judge that did not hold, with what was seen.
struct Refusal {
  std::string rule;    // a name of rules.cc
  std::string detail;  // what exactly, for the author
};

// Not a rule: the programs of a launch wait for one another, so they cannot run in the order that was asked for.
inline constexpr std::string_view kOrderImpossible = "order";

// What reading the source told (python/bridge/policy.py).
struct KernelFacts {
  std::vector<std::string> kernels;
  std::string entry;
  bool uses_atomics = false;
  bool captures_launches = false;  // and replays them
};

struct Output {
  ir::TensorSpec spec;
  bool touched_by_kernel = false;
  bool aliases_input = false;
  bool on_device = true;
  bool fresh = true;          // allocated in this call
  std::int64_t poisoned = 0;  // elements that hold the value that fresh memory was filled with
};

struct RunOutcome {
  std::string structure;
  std::vector<Output> outputs;
  os::Mapping bytes;
  std::string launches;  // JSON list, for the compiler
  std::int64_t launched = 0;
  std::int64_t replays = 0;  // of captured launches, so far
  std::vector<std::string> denied;          // "aten.add.Tensor (kernel.py:12)"
  std::vector<std::string> changed_inputs;  // "input 0", "weight fc_bias"
  std::map<std::string, ir::TensorSpec> buffers_after;
  std::vector<std::string> out_of_bounds;
  std::vector<std::string> races;  // programs of one launch that depend on each other's order
  std::vector<std::string> state;  // what the file keeps that differs between equal calls
  int configs = 1;                 // autotune configurations left after pruning
  double seconds = 0;
  int threads = 1;
};

struct RunRequest {
  const Draw* draw = nullptr;
  std::string poison = "nan";
  int config = 0;
  bool reuse = false;
  std::string order = "forward";  // in which the interpreter runs the programs of a launch
  bool hidden = false;            // `config` counts the configurations that pruning keeps for the given sizes alone
  bool other_rounding = false;    // interpreted kernels round, and add, as a GPU may (interp_rounding.py)
};

struct CandidateOptions {
  std::string device = "cpu";
  bool interpret = true;
  std::string mode = "train";
  os::SandboxRequest sandbox;
  std::chrono::milliseconds limit{60'000};
};

// One child, asked in this order: check (as often as wanted), prepare, import, run. Nothing foreign runs in it before import,
// so that the source can be read where it will run and no other process is needed for it.
class CandidateSide {
 public:
  static Result<CandidateSide> start(const KernelSource& kernel, const CandidateOptions& options,
                                     bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);
  // Reads the source. `entry` empty: kernel_function, else ModelNew.
  Result<std::variant<KernelFacts, Refusal>> check(const std::string& entry, bool allow_random,
                                                   const os::CancelToken& cancel);
  // Does ahead what import would do first; it may run while the reference is still loading.
  Status prepare(const os::CancelToken& cancel);
  Result<std::optional<Refusal>> import(const KernelFacts& facts, const ReferenceFacts& reference,
                                        const os::CancelToken& cancel);
  Result<std::variant<RunOutcome, Refusal>> run(const RunRequest& request, const os::CancelToken& cancel);
  // Runs the host code for the given sizes, without its kernels; then, when asked to, with some programs of each launch.
  Result<std::variant<GivenSizes, Refusal>> at_given_sizes(const GivenDraw& drawn, const os::CancelToken& cancel);
  Result<std::variant<SampledPrograms, Refusal>> sample_given_sizes(const os::CancelToken& cancel);
  // Threads and processes of the child beyond the one it started with, seen from outside.
  int extra_tasks() const { return child_.live_tasks() - tasks_at_start_; }

 private:
  CandidateSide(bridge::Child child, os::MemoryFile source, std::string path, CandidateOptions options);
  Refusal ended(const bridge::Answer& answer) const;
  Result<std::variant<Json, Refusal>> ask(const Json& message, std::span<const int> fds, const os::CancelToken& cancel);

  bridge::Child child_;
  os::MemoryFile source_;
  std::string path_;
  ReferenceFacts reference_;  // as given to import
  CandidateOptions options_;
  int tasks_at_start_ = 1;
};

// Compiles the recorded launches for `arch` with Triton's own compiler; needs no GPU. `compiler` is a child that runs
// compile_check and has not been asked anything.
struct CompileReport {
  int kernels = 0;
  std::optional<Refusal> refusal;
};
Result<CompileReport> check_compiles(bridge::Child& compiler, const KernelSource& kernel, const std::string& launches,
                                     int arch, const CandidateOptions& options, const os::CancelToken& cancel);

}  // namespace ka::verify

// Times a verified kernel file against PyTorch, in one sandboxed child that has the GPU.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "model/timing.h"
#include "os/memory_file.h"
#include "os/turns.h"

namespace ka::bench {

struct Subject {
  std::string problem_path, problem_object, problem_text, mode;
  std::string kernel_path, kernel_text, entry;
  std::string tier;  // of the verdict, for the record
};

// Another kernel file for the same problem, in the same process: the contender "kernel_1", "kernel_2", ...
struct Rival {
  std::string path, text, entry;
};
std::string rival_name(std::size_t number);

// Several subjects on one GPU: they are opened and prepared side by side, which is mostly work for compilers, and each takes its samples alone.
struct SharedGpu {
  SharedGpu(os::MemoryFile lock, std::size_t count) : tuning(std::move(lock)), subjects(count) {}
  static Result<std::unique_ptr<SharedGpu>> of(std::size_t subjects);

  os::Turns turns;
  const os::MemoryFile tuning;  // locked by the process that compares configurations: the others leave the GPU alone meanwhile, as far as they can
  const std::size_t subjects;   // at most so many at a time
};

struct TimingOptions {
  std::string device = "cuda";           // cpu: the interpreter and the CPU's clock, to try the command
  std::vector<std::string> contenders;   // of kContenders, in the order of the table
  std::uint64_t seed = 0;
  int warmup = 20;                       // calls per contender
  int rounds = 100;
  double seconds = 60;                   // for all rounds
  double warmup_seconds = 5;             // for each contender, once every draw of the inputs was tried
  std::chrono::milliseconds limit{600'000};  // for everything, compilation of the baselines included
  std::optional<std::chrono::milliseconds> step_limit = {};  // for each step: to open the problem, to prepare a contender, to take the samples
  os::SandboxLimits limits;
  std::optional<int> only_gpu = {};  // that the contenders see
  std::vector<Rival> rivals = {};
  SharedGpu* shared = nullptr;  // with others; null: alone from the beginning
};

// As in model/timing.h: "kernel", "eager", "compile", "compile_reduce_overhead", "compile_max_autotune". The word of the command
// line for a baseline ("reduce-overhead") or, empty, none.
std::string contender_of(const std::string& baseline);

// Samples that were taken while the GPU held its clocks back (heat, power).
struct HeldBack {
  bool watched = false;                // somebody could tell
  std::int64_t again = 0;              // taken once more for that
  std::map<std::string, int> kept = {};  // that stand all the same, by reason
};
Json to_json(const HeldBack& held);
std::string in_words(const HeldBack& held);  // empty: it never did

// Seconds since 1970.
struct Span {
  double begin = 0, end = 0;
};

struct Timed {
  std::vector<model::Timing> timings;         // one per contender that ran, the kernel first
  std::map<std::string, std::string> failed;  // baselines and rivals that did not, and why
  std::map<std::string, double> warm_up_seconds;  // compilation included
  std::string device;
  Span prepared, sampled;  // when
  HeldBack held_back;
  std::optional<std::string> degenerate;  // why the program's results say nothing about its inputs, empty where they do; nothing: nobody has looked
};

// The contender whose turn it was when the process ended, kBenchProblem while the problem was opened, kBenchSamples while samples were taken.
inline constexpr const char* kBenchProblem = "problem";
inline constexpr const char* kBenchSamples = "samples";

// `guilty`, where given, is filled in when there is an error.
Result<Timed> time_contenders(const Subject& subject, const TimingOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel,
                              std::string* guilty = nullptr);

}  // namespace ka::bench

// One problem of a suite: its kernel and the judge's word, as a row of results.jsonl.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/json.h"
#include "os/turns.h"
#include "pipeline/generate.h"
#include "pipeline/machine_gpu.h"
#include "pipeline/winners.h"

namespace ka::os {
class GpuPool;
}

namespace ka::pipeline {

struct SuiteOptions {
  std::string folder, out, mode;
  std::string route;  // direct, fuse, auto
  verify::JudgeOptions options;
  GenerateChoices choices;
  std::optional<MachineGpu> gpu = {};  // for whose ceilings floors are; nothing: none is known
  std::uint64_t jobs = 2;   // problems at a time
  std::uint64_t parts = 1;  // of a problem at a time
  bool verifies = true;
  bool takes_winners = false;  // of the store
  WinnerSide winners = {};     // where they are, for this machine
};

// What a row was made with; another one is about something else.
Json asked_of(const SuiteOptions& suite);
// Whether the row is about the problem and the kernel file that lie there now.
bool is_about_these_files(const Json& row, const SuiteOptions& suite);

// Whether a faster kernel of the row is still to be looked for: a verified row whose kernel was not searched on this device, or whose search was broken off. One that failed
// has cost its time.
bool wants_search(const Json& row, const SuiteOptions& suite);

// The row without seconds; a failure of any kind is one. An error, beside cancellation, means that the suite cannot go on.
class SuiteJudge {
 public:
  // `gpus`: whoever judges on a GPU takes a place of it. Null: no GPU takes part, or nobody knows which. `turns`: problems go side by side; a kernel that needs the memory of the others is
  // alone.
  SuiteJudge(const SuiteOptions& suite, const std::string& name, bridge::WarmInterpreter& interpreter, os::CancelToken cancel, os::GpuPool* gpus, os::Turns& turns)
      : suite_(suite), name_(name), interpreter_(interpreter), cancel_(std::move(cancel)), gpus_(gpus), turns_(turns) {}

  // Fills in the row as far as it gets; an error is why it got no further.
  Status run(Json& row);

 private:
  Result<model::Verdict> ask(const verify::KernelSource& kernel) const;
  Result<bool> from_store(const Generated& made, os::Turns::Turn& beside, Json& row);
  Status direct(const Generated& made, os::Turns::Turn beside, Json& row);
  Status routed(Json& row);
  Status judged(const verify::KernelSource& kernel, Result<model::Verdict> verdict, os::Turns::Turn beside, Json& row);
  void tell(const Generated& made, Json& row) const;
  void tell_work(const Generated& made, Json& row) const;

  const SuiteOptions& suite_;
  const std::string& name_;
  verify::ProblemSource problem_;
  bridge::WarmInterpreter& interpreter_;
  os::CancelToken cancel_;
  os::GpuPool* gpus_;
  os::Turns& turns_;
};

// "refused", "timeout", ... for an error that ended a problem.
const char* row_status_of(const Error& error);

}  // namespace ka::pipeline

// The judge within limits: how many kernels it may be handed, for how long a run may go on, and on which GPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/event_log.h"
#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "os/cancel.h"
#include "os/gpu_pool.h"
#include "verify/judge.h"

namespace ka::pipeline {

// What a run may use up. At a limit the work that is asked for is `cancelled`, as it is when the user interrupts; is_end_of() tells
// the two apart. Threads may share it.
class Budget {
 public:
  Budget() = default;  // no limit
  // `is_late`: the time is up, and that is why the work is cancelled. `minutes` is for people.
  Budget(std::optional<std::uint64_t> attempts, double minutes, std::function<bool()> is_late);

  // For each kernel that is handed to the judge, before it is.
  Status take_attempt();
  // "the limit of 2 attempts (--max-attempts)", "the limit of 5 minutes (--max-minutes)"; empty while neither has stopped anything.
  std::string reached() const;
  bool is_end_of(const Error& error) const { return error.kind == ErrorKind::cancelled && !reached().empty(); }

 private:
  std::optional<std::uint64_t> attempts_;
  double minutes_ = 0;
  std::function<bool()> is_late_;
  std::atomic<std::uint64_t> taken_ = 0;
};

struct ModelSide;  // workers.h

// What the work is done with, beside what it is done to.
struct Means {
  bridge::WarmInterpreter& interpreter;
  const os::CancelToken& cancel;
  EventLog* log = nullptr;
  Budget* budget = nullptr;     // null: no limit
  os::GpuPool* gpus = nullptr;  // null: no GPU takes part, or nobody knows which
  const ModelSide* models = nullptr;  // null: no language model takes part
};

// verify::judge() for one attempt of the budget, with a place on a GPU where one takes part and else at the interpreter, however many are at work. `log`: where its steps are told, if anywhere.
Result<model::Verdict> ask_judge(const verify::ProblemSource& problem, const verify::KernelSource& kernel, const verify::JudgeOptions& options, const Means& means, EventLog* log);

}  // namespace ka::pipeline

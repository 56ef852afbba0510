#include "pipeline/judging.h"

#include <fmt/format.h>

namespace ka::pipeline {

Budget::Budget(std::optional<std::uint64_t> attempts, double minutes, std::function<bool()> is_late)
    : attempts_(attempts), minutes_(minutes), is_late_(std::move(is_late)) {}

Status Budget::take_attempt() {
  if (attempts_ && taken_++ >= *attempts_) return cancelled_error(reached());
  return ok();
}

std::string Budget::reached() const {
  if (attempts_ && taken_ > *attempts_) return fmt::format("the limit of {} attempt{} (--max-attempts)", *attempts_, *attempts_ == 1 ? "" : "s");
  if (is_late_ && is_late_()) return fmt::format("the limit of {:g} minute{} (--max-minutes)", minutes_, minutes_ == 1 ? "" : "s");
  return "";
}

Result<model::Verdict> ask_judge(const verify::ProblemSource& problem, const verify::KernelSource& kernel, const verify::JudgeOptions& options, const Means& means, EventLog* log) {
  if (means.budget != nullptr) KA_TRY(means.budget->take_attempt());
  if (log != nullptr) log->debug("verify", "start");
  verify::JudgeContext context{means.interpreter, means.cancel, log};
  if (means.gpus == nullptr || options.device != "cuda") {
    KA_ASSIGN(const os::Places::Place place, means.interpreter.places().take(means.cancel));
    return verify::judge(problem, kernel, options, context);
  }
  KA_ASSIGN(const os::GpuPool::Slot slot, means.gpus->take(means.cancel));
  verify::JudgeOptions there = options;
  there.only_gpu = slot.gpu();
  return verify::judge(problem, kernel, there, context);
}

}  // namespace ka::pipeline

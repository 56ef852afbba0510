#include "app/cli/recordings.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/wall_time.h"

namespace ka::app {
namespace {

constexpr std::string_view kRecorded = "recorded:";

}  // namespace

Result<std::optional<optimise::Recording>> recording_of(const Arguments& arguments, const verify::ProblemSource& problem) {
  const std::string device = arguments.text("--device");
  if (!device.starts_with(kRecorded)) return std::optional<optimise::Recording>();
  if (arguments.has("--record")) return invalid_input("--record: what a recording answers is not recorded again");
  const std::string path = device.substr(kRecorded.size());
  Result<optimise::Recording> out = optimise::read_recording(path);
  if (!out) return out.error().with("--device");
  if (out->head.problem_sha256 != sha256_hex(problem.text))
    return invalid_input(fmt::format("--device: {} is a recording of another problem than {} (or of another version of it)", path, problem.path));
  return std::optional(std::move(*out));
}

Result<optimise::RecordingHead> recording_head(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const std::optional<pipeline::MachineGpu>& gpu,
                                               bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  KA_ASSIGN(const bridge::InterpreterFacts facts, interpreter.start(cancel));
  optimise::RecordingHead out;
  out.device = judge.device;
  if (gpu) {
    out.gpu = gpu->device.name;
    out.driver = gpu->device.driver;
    out.power_limit_watts = gpu->device.power_limit_watts;
  }
  out.recorded = utc_timestamp(system_wall_clock()());
  out.problem_sha256 = sha256_hex(problem.text);
  out.precision = judge.precision;
  out.mode = problem.mode;
  out.versions = {{"kernelagent", KA_VERSION}, {"python", facts.python}, {"torch", facts.torch}, {"triton", facts.triton}};
  return out;
}

Result<model::Verdict> recorded_verdict(const optimise::Recording& recording, const verify::ProblemSource& problem, const verify::KernelSource& kernel) {
  optimise::RecordedDevice device(recording);
  KA_ASSIGN(const std::vector<optimise::Judged> judged, device.judge({kernel.text}, {}));
  const auto version = [&](const char* name) {
    const auto found = recording.head.versions.find(name);
    return found == recording.head.versions.end() ? std::string() : found->second;
  };
  model::Verdict out;
  out.accepted = judged[0].accepted;
  out.reason = judged[0].reason;
  out.kernel.path = kernel.path;
  out.kernel.sha256 = sha256_hex(kernel.text);
  out.problem.path = problem.path;
  out.problem.mode = problem.mode;
  out.problem.text_sha256 = sha256_hex(problem.text);
  out.versions.kernelagent = version("kernelagent");
  out.versions.python = version("python");
  out.versions.torch = version("torch");
  out.versions.triton = version("triton");
  return out;
}

}  // namespace ka::app

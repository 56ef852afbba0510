#include "app/cli/profile.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/request.h"
#include "app/cli/run_output.h"
#include "app/cli/verify.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "optimise/diagnose.h"
#include "optimise/roofline.h"
#include "os/environment.h"
#include "os/gpu_pool.h"
#include "pipeline/machine_gpu.h"
#include "pipeline/program_work.h"
#include "problem/problem_file.h"
#include "profile/ncu.h"
#include "profile/static_facts.h"
#include "profile/text.h"

namespace ka::app {
namespace {

struct ProfileRequest {
  profile::Subject subject;
  profile::StaticOptions options;
  bool present = false;  // a GPU
  optimise::Peaks peaks;  // of the GPU that is compiled for: measured, where it is this machine's and they were
  std::string command;
};

// The one that is named, else this machine's (nothing: it has none), else the default.
Result<ir::Gpu> target_gpu(const Arguments& arguments, const std::optional<pipeline::MachineGpu>& here) {
  if (arguments.has("--gpu")) {
    KA_ASSIGN(const std::string name, arguments.required("--gpu"));
    Result<ir::Gpu> found = ir::find_gpu(name);
    if (!found) return found.error().with("--gpu");
    if (!found->cuda) return invalid_input(fmt::format("--gpu: {} is no NVIDIA GPU; profiles are of NVIDIA GPUs alone", name));
    return found;
  }
  return here ? here->facts : ir::default_gpu();
}

Result<ProfileRequest> profile_request(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  if (!arguments.positional().empty())
    return invalid_input(fmt::format("unexpected argument \"{}\"; the problem is given with --problem", arguments.positional()[0]));
  ProfileRequest request;
  KA_ASSIGN(const std::string problem, arguments.required("--problem"));
  KA_ASSIGN(const std::string kernel, arguments.required("--kernel"));
  KA_ASSIGN(const problem::ProblemFile file, problem::read_problem(problem));
  KA_ASSIGN(const std::string text, problem::read_source(kernel));
  KA_ASSIGN(const std::string mode, arguments.choice("--mode", "train", modes));
  KA_ASSIGN(const verify::JudgeOptions judging, judge_options(arguments));
  request.subject = {file.path, file.object, file.text, mode, kernel, text, arguments.text("--entry")};
  request.present = judging.device == "cuda";
  const std::optional<pipeline::MachineGpu> here = request.present ? pipeline::machine_gpu() : std::nullopt;
  KA_ASSIGN(request.options.gpu, target_gpu(arguments, here));
  request.peaks = here && here->facts.name == request.options.gpu.name && here->peaks() ? *here->peaks() : optimise::data_sheet_peaks(request.options.gpu);
  request.options.limit = judging.limit;
  request.options.limits = judging.limits;
  request.command = fmt::format("kernelagent profile --problem {} --kernel {}", quote_shell(problem), quote_shell(kernel));
  return request;
}

// A program that was named is asked even where no GPU is seen: nvidia-smi may be what is missing.
bool has_named_ncu() { return !os::get_env("KERNELAGENT_NCU").value_or("").empty(); }

using Counted = std::vector<model::KernelProfile>;

// Kernels with counters, or why there are none (any error but cancellation and the user's own).
Result<Counted> counted(const Arguments& arguments, const ProfileRequest& request, bridge::WarmInterpreter& interpreter, EventLog& log, AppContext& context) {
  if (arguments.has("--static")) return environment_error("they were not asked for (--static)");
  if (!request.present && !has_named_ncu())
    return environment_error("this machine has no NVIDIA GPU; run the command where there is one, with Nsight Compute (ncu)");
  profile::CounterOptions options;
  options.limits = request.options.limits;
  if (arguments.has("--timeout")) options.limit = request.options.limit;
  KA_ASSIGN(options.ncu, profile::find_ncu());
  // Nobody else on the GPU: what others do would be counted, or at least felt.
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> gpus, gpus_for(request.present ? "cuda" : "cpu", "profile", 1, log));
  std::optional<os::GpuPool::Slot> alone;
  if (gpus) {
    KA_ASSIGN(os::GpuPool::Slot slot, gpus->take(context.cancel));
    alone.emplace(std::move(slot));
    options.only_gpu = alone->gpu();
  }
  log.info("profile", "counters", fmt::format("running {} below {}", request.subject.kernel_path, options.ncu));
  return profile::counted_kernels(request.subject, options, interpreter, context.cancel);
}

Result<model::Profile> profiled(const Arguments& arguments, const ProfileRequest& request, bridge::WarmInterpreter& interpreter, EventLog& log, AppContext& context) {
  KA_ASSIGN(model::Profile out, profile::static_profile(request.subject, request.options, interpreter, context.cancel, &log));
  Result<Counted> kernels = counted(arguments, request, interpreter, log, context);
  if (kernels) return profile::with_counters(std::move(out), std::move(*kernels));
  if (kernels.error().kind == ErrorKind::cancelled || kernels.error().message.starts_with("KERNELAGENT_NCU")) return kernels.error();
  out.limits += fmt::format("{}no times and no hardware counters: {}", out.limits.empty() ? "" : "; ", kernels.error().message);
  return out;
}

// Against the work of the program as the graph tells it, without rewrites that change it; a warning where that cannot be found out.
Result<model::Roofline> roofline_of(const model::Profile& profile, const ProfileRequest& request, const model::Roofline& plain, const std::string& tier,
                                    bridge::WarmInterpreter& interpreter, EventLog& log, AppContext& context) {
  double all_ms = 0;
  for (const model::KernelProfile& kernel : profile.kernels) all_ms += kernel.time_ms.value_or(0);
  if (all_ms <= 0) return plain;
  const verify::ProblemSource problem{request.subject.problem_path, request.subject.problem_object, request.subject.problem_text, request.subject.mode};
  verify::JudgeOptions judging;
  judging.limit = request.options.limit;
  judging.limits = request.options.limits;
  const Result<optimise::Work> work = pipeline::program_work(problem, judging, request.options.gpu, interpreter, context.cancel, &log);
  if (!work && work.error().kind == ErrorKind::cancelled) return work.error();
  if (work) return optimise::roofline(optimise::floor_of(*work, request.peaks, tier), all_ms / 1e3, plain.uses_tensor_cores);
  model::Roofline out = plain;
  out.warnings = {"no roofline: the work of the program is not known: " + elide_middle(work.error().message, 200)};
  return out;
}

}  // namespace

Result<int> run_profile(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(const ProfileRequest request, profile_request(arguments));
  KA_ASSIGN(RunOutput output, RunOutput::plan(arguments, request.command));
  KA_ASSIGN(const std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  KA_ASSIGN(const model::Profile profile, profiled(arguments, request, interpreter, output.log(), context));
  const std::string asked = arguments.text("--precision", "default");  // judge_options has checked it
  const std::string tier = asked == "default" ? "" : asked;
  model::Diagnosis diagnosis = optimise::diagnose(profile, tier);
  KA_ASSIGN(diagnosis.roofline, roofline_of(profile, request, diagnosis.roofline, tier, interpreter, output.log(), context));
  const Json result = {{"profile", model::to_json(profile)}, {"diagnosis", model::to_json(diagnosis)}};
  if (arguments.has("--out")) {
    KA_TRY(output.open());
    KA_TRY(output.keep("profile", {{"profile.json", to_pretty_json_text(model::to_json(profile))}, {"diagnosis.json", to_pretty_json_text(model::to_json(diagnosis))}}));
  }
  output.settle();
  fmt::print("{}", arguments.has("--json") ? to_pretty_json_text(result) : profile::profile_text(profile) + optimise::diagnosis_text(diagnosis));
  return 0;
}

}  // namespace ka::app

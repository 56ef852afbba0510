#include "app/cli/stages.h"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/model_side.h"
#include "app/cli/progress.h"
#include "app/cli/request.h"
#include "base/hash.h"
#include "base/json_fields.h"
#include "os/files.h"
#include "pipeline/ask_composer.h"
#include "pipeline/ask_cut.h"
#include "pipeline/dispatch.h"
#include "pipeline/extract.h"
#include "pipeline/run.h"
#include "problem/problem_file.h"

namespace ka::app {
namespace {

// What a stage writes for a large network is larger than what people write.
constexpr std::size_t kMaxStageFileBytes = std::size_t{16} << 20;

Result<std::vector<model::Subgraph>> parts_of_file(const std::string& path) {
  KA_ASSIGN(const std::string text, problem::read_source(path, kMaxStageFileBytes));
  return pipeline::read_parts(text, path);
}

Status write_files(const std::string& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) {
    const std::string path = folder + "/" + name;
    KA_TRY(os::make_dirs(path.substr(0, path.rfind('/'))));
    KA_TRY(os::write_file_atomic(path, text));
  }
  return ok();
}

}  // namespace

Result<int> run_extract(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(const Request request, request_of(arguments, "extract"));
  const std::string folder = arguments.text("--out", ".");
  Progress progress(arguments);
  EventLog& log = progress.log();
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  const pipeline::DispatchOptions options{request.options, request.choices, true, {}};
  Result<pipeline::OpenProgram> program = pipeline::plan_program(request.problem, options, interpreter, context.cancel, &log);
  if (!program && program.error().kind == ErrorKind::unsupported) {
    progress.settle();
    return not_achieved("extract", program.error());
  }
  if (!program) return program.error();
  KA_ASSIGN(const RunModels models, open_models(arguments.settings(), 1, [&] { return Result<pipeline::Artifacts>(pipeline::artifacts_in(folder)); }, log));
  std::map<std::string, std::string> further;
  if (models.cutter) {
    pipeline::RunOptions asked;
    asked.problem = request.problem;
    asked.dispatch = options;
    KA_ASSIGN(const std::unique_ptr<os::GpuPool> gpus, gpus_for(options.judge.device, "extract", 1, log));
    KA_ASSIGN(further[pipeline::kCutFile], pipeline::ask_cut(asked, *program, {interpreter, context.cancel, &log, nullptr, gpus.get(), &*models.cutter}));
  }
  Result<pipeline::ExtractFiles> made = pipeline::extract_files(request.problem, options, *program, context.cancel, &log);
  if (!made) return made.error();
  made->files.merge(further);
  KA_TRY(write_files(folder, made->files));
  progress.settle();
  std::vector<std::string> ids;
  for (const model::Subgraph& subgraph : made->extracted.subgraphs) ids.push_back(subgraph.id);
  if (arguments.has("--json")) {
    fmt::print("{}", to_pretty_json_text({{"subgraphs", folder + "/subgraphs.json"}, {"code", folder + "/orchestrator/code.py.tgz"}, {"ids", ids}}));
  } else {
    fmt::print("{}/subgraphs.json: {} subgraph{}\n", folder, ids.size(), ids.size() == 1 ? "" : "s");
    for (const model::Subgraph& subgraph : made->extracted.subgraphs)
      fmt::print("  {:<40} {:>4} operator{} {:>4} call{}\n", subgraph.id, subgraph.ops.size(), subgraph.ops.size() == 1 ? " " : "s", subgraph.calls.size(), subgraph.calls.size() == 1 ? "" : "s");
  }
  return 0;
}

Result<int> run_dispatch(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(const std::string path, arguments.required("--subgraphs"));
  KA_ASSIGN(const std::vector<model::Subgraph> subgraphs, parts_of_file(path));
  KA_ASSIGN(const Request request, options_of(arguments));
  pipeline::DispatchOptions options{request.options, request.choices, !arguments.has("--no-verify"), {}};
  KA_ASSIGN(std::size_t jobs, jobs_of(arguments));
  const std::string folder = arguments.text("--out-dir", "kernels_out");
  Progress progress(arguments);
  EventLog& log = progress.log();
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> gpus, gpus_for(options.judge.device, "dispatch", pipeline::kPartsPerGpu, log));
  if (jobs == 0) jobs = pipeline::jobs_for(subgraphs.size(), options.judge, gpus.get());
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  KA_ASSIGN(ModelChoice choice, choose_model(arguments.settings(), "dispatch_model", log));
  KA_ASSIGN(const std::unique_ptr<Models> models, Models::open(arguments.settings(), std::move(choice), pipeline::artifacts_in(folder), log));
  std::map<std::string, model::SubgraphResult> results;
  std::mutex mutex;
  for (const model::Subgraph& subgraph : subgraphs) pipeline::tell_waiting(subgraph, log);
  KA_TRY(pipeline::for_each_part(subgraphs, jobs, context.cancel, [&](const model::Subgraph& subgraph) -> Status {
    KA_ASSIGN(const pipeline::PartKernel part, pipeline::make_part(subgraph, options, {interpreter, context.cancel, &log, nullptr, gpus.get(), models ? models->side() : nullptr}));
    const std::lock_guard lock(mutex);
    results[subgraph.id] = part.result;
    return write_files(folder, pipeline::files_of(part));
  }));
  std::vector<model::SubgraphResult> in_order;
  int failed = 0;
  for (const model::Subgraph& subgraph : subgraphs) {
    in_order.push_back(results.at(subgraph.id));
    if (!in_order.back().success) ++failed;
  }
  const std::string summary = pipeline::summary_text(in_order);
  KA_TRY(write_files(folder, {{"summary.json", summary}}));
  log.info("dispatch", "done", fmt::format("{} of {} parts have a kernel", in_order.size() - static_cast<std::size_t>(failed), in_order.size()));
  progress.settle();
  if (arguments.has("--json")) fmt::print("{}", summary);
  else {
    for (const model::SubgraphResult& result : in_order) fmt::print("{:<8} {:<40} {}\n", result.success ? "ok" : "failed", result.id, result.message);
    fmt::print("{}/summary.json: {} of {} subgraphs have a kernel\n", folder, in_order.size() - static_cast<std::size_t>(failed), in_order.size());
    if (models) fmt::print("{}\n", bill(models->conversations().spent()));
  }
  return failed == 0 ? 0 : 1;
}

namespace {

// The kernels that a summary speaks of, each from the folder of its subgraph beside the summary; what it says of their content must hold.
Result<std::map<std::string, std::string>> kernels_of(const std::string& path, const std::vector<model::Subgraph>& subgraphs) {
  KA_ASSIGN(const std::string text, problem::read_source(path, kMaxStageFileBytes));
  KA_ASSIGN(const std::vector<model::SubgraphResult> results, pipeline::read_kernels_summary(text, path));
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  std::map<std::string, std::string> out;
  for (const model::SubgraphResult& result : results) {
    const auto is_it = [&](const model::Subgraph& subgraph) { return subgraph.id == result.id; };
    if (std::none_of(subgraphs.begin(), subgraphs.end(), is_it)) return invalid_input(fmt::format("{}: \"{}\" is the id of no subgraph", path, result.id));
    if (!result.success) continue;
    const std::string kernel = fmt::format("{}/{}/kernel.py", folder, result.id);
    KA_ASSIGN(std::string source, problem::read_source(kernel));
    if (sha256_hex(source) != result.kernel_sha256) return invalid_input(fmt::format("{}: {} is not the file that it speaks of (its content is another)", path, kernel));
    if (!out.emplace(result.id, std::move(source)).second) return invalid_input(fmt::format("{}: \"{}\" is there twice", path, result.id));
  }
  return out;
}

}  // namespace

Result<int> run_compose(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(const Request request, request_of(arguments, "compose"));
  KA_ASSIGN(const std::string path, arguments.required("--subgraphs"));
  KA_ASSIGN(const std::vector<model::Subgraph> subgraphs, parts_of_file(path));
  KA_ASSIGN(const auto kernels, kernels_of(arguments.text("--kernels-summary", "kernels_out/summary.json"), subgraphs));
  const std::string folder = arguments.text("--out-dir", "compose_out");
  KA_ASSIGN(const int rounds, compose_rounds(arguments));
  Progress progress(arguments);
  EventLog& log = progress.log();
  KA_ASSIGN(const RunModels models, open_models(arguments.settings(), rounds, [&] { return Result<pipeline::Artifacts>(pipeline::artifacts_in(folder)); }, log));
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  pipeline::RunOptions options;
  options.problem = request.problem;
  options.dispatch = {request.options, request.choices, true, {}};
  options.verify = arguments.has("--verify");
  options.allow_torch = arguments.has("--allow-torch-fallback");
  KA_ASSIGN(const std::unique_ptr<os::GpuPool> gpus, gpus_for(request.options.device, "compose", 1, log));
  KA_ASSIGN(const pipeline::OpenProgram program, pipeline::plan_program(request.problem, options.dispatch, interpreter, context.cancel, &log));
  const pipeline::Frame frame = pipeline::frame_of(program.whole.exported, subgraphs);
  KA_ASSIGN(pipeline::ComposeFiles made, pipeline::compose_files(options, subgraphs, frame, kernels, {interpreter, context.cancel, &log, nullptr, gpus.get()}));
  if (models.composer) {
    KA_ASSIGN(made, pipeline::ask_composer(std::move(made), options, subgraphs, frame, kernels, program.whole.exported, {interpreter, context.cancel, &log, nullptr, gpus.get(), &*models.composer}));
  }
  KA_TRY(write_files(folder, made.files));
  progress.settle();
  if (arguments.has("--json")) fmt::print("{}", to_pretty_json_text(model::to_json(made.composition)));
  else if (made.verdict) fmt::print("{}/composed_kernel.py\n{}", folder, verify::verdict_text(pipeline::moved(*made.verdict, made.verdict->problem.path, folder + "/composed_kernel.py")));
  else fmt::print("{}{}\n", made.program.empty() ? "" : folder + "/composed_kernel.py: ", made.composition.message);
  return made.composition.success ? 0 : 1;
}

}  // namespace ka::app

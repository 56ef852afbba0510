#include "app/cli/generate.h"

#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/verify.h"
#include "base/ids.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "bridge/warm_interpreter.h"
#include "graph/import.h"
#include "os/files.h"
#include "partition/plan.h"
#include "partition/prepare.h"
#include "problem/problem_file.h"
#include "synth/codegen/module.h"
#include "verify/judge.h"

namespace ka::app {
namespace {

std::string explanation(const Generated& made) {
  std::string out = ir::to_text(made.program.graph) + "\n" + ir::to_text(made.plan, made.program.graph);
  for (const ir::FusionRefusal& refusal : made.plan.refusals) {
    const ir::Node& node = made.program.graph.nodes[static_cast<std::size_t>(refusal.node)];
    out += fmt::format("not fused: {} ({}) with kernel {}: {}\n", node.op, node.where, refusal.kernel, refusal.reason);
  }
  for (const std::string& refusal : made.program.refusals) out += fmt::format("not exported: {}\n", refusal);
  return out;
}

}  // namespace

Result<Generated> generate(const verify::ProblemSource& problem, const verify::JudgeOptions& options,
                           bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  verify::ReferenceOptions reference;
  reference.exports = true;
  reference.seed = options.seed;
  reference.sandbox.limits = options.limits;
  reference.limit = options.limit;
  KA_ASSIGN(verify::ReferenceSide side, verify::ReferenceSide::load(problem, reference, interpreter, cancel));
  const auto begin = std::chrono::steady_clock::now();
  KA_ASSIGN(std::string text, side.export_graphs(cancel));
  KA_ASSIGN(Json document, parse_json(text, problem.path));
  KA_ASSIGN(graph::Exported exported, graph::read_exported(document));
  Generated out;
  KA_ASSIGN(out.program, graph::import_program(exported));
  out.program.graph = partition::prepared(out.program.graph);
  KA_ASSIGN(out.plan, partition::partition(out.program.graph));
  const std::string name = problem.path.substr(problem.path.rfind('/') + 1);
  KA_ASSIGN(out.file, codegen::write_module(out.program.graph, out.plan,
                                            {options.precision, fmt::format("Triton kernels for {}.", name), KA_VERSION}));
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

Result<int> run_generate(const Arguments& arguments, AppContext& context) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  if (!arguments.positional().empty())
    return invalid_input(fmt::format("unexpected argument \"{}\"; the problem is given with --problem", arguments.positional()[0]));
  KA_ASSIGN(std::string problem_argument, arguments.required("--problem"));
  KA_ASSIGN(problem::ProblemFile file, problem::read_problem(problem_argument));
  KA_ASSIGN(std::string mode, arguments.choice("--mode", "train", modes));
  KA_ASSIGN(verify::JudgeOptions options, judge_options(arguments));
  KA_ASSIGN(std::string python, bridge::find_interpreter());
  const std::string folder = arguments.text("--out", fmt::format(".fuse/{}", new_run_id()));

  bridge::WarmInterpreter interpreter({python});
  const verify::ProblemSource problem{file.path, file.object, file.text, mode};
  Result<Generated> result = generate(problem, options, interpreter, context.cancel);
  if (!result && result.error().kind == ErrorKind::unsupported) {  // not the user's mistake: the job was not achieved
    fmt::print(stderr, "kernelagent: generate: {}\n", result.error().message);
    return 1;
  }
  KA_ASSIGN(Generated made, std::move(result));
  KA_TRY(os::make_dirs(folder));
  const std::string kernel_path = folder + "/kernel.py";
  KA_TRY(os::write_file_atomic(kernel_path, made.file.text));
  KA_TRY(os::write_file_atomic(folder + "/graph.txt", explanation(made)));
  if (arguments.has("--explain")) fmt::print("{}\n", explanation(made));
  if (!arguments.has("--json"))
    fmt::print("{}: {} kernel{} in {:.2f} s\n", kernel_path, made.file.kernels.size(), made.file.kernels.size() == 1 ? "" : "s", made.seconds);
  if (arguments.has("--no-verify")) return 0;

  verify::JudgeContext judge_context{interpreter, context.cancel};
  KA_ASSIGN(model::Verdict verdict, verify::judge(problem, {kernel_path, made.file.text}, options, judge_context));
  KA_TRY(os::write_file_atomic(folder + "/verdict.json", to_pretty_json_text(model::to_json(verdict))));
  if (arguments.has("--json")) fmt::print("{}", to_pretty_json_text(model::to_json(verdict)));
  else fmt::print("{}", verify::verdict_text(verdict));
  return verdict.accepted ? 0 : 1;
}

}  // namespace ka::app

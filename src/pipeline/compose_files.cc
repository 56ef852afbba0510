#include "pipeline/compose_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "graph/fragment.h"
#include "graph/reference_text.h"
#include "pipeline/captured_launches.h"

namespace ka::pipeline {
namespace {

// A part that stays PyTorch: its operators, as the refactored program has them.
Result<std::string> torch_text(const model::Subgraph& subgraph) {
  KA_ASSIGN(const graph::Exported exported, graph::exported_of(subgraph));
  KA_ASSIGN(const graph::Imported imported, graph::import_program(exported));
  return graph::function_text(subgraph, imported, "kernel_function");
}

void say(EventLog* log, const std::string& message) {
  if (log != nullptr) log->info("compose", "done", message);
}

}  // namespace

compose::Program program_of(const RunOptions& options, const std::vector<model::Subgraph>& subgraphs, const Frame& frame) {
  compose::Program out;
  const verify::ProblemSource& problem = options.problem;
  out.problem_name = problem.path.substr(problem.path.rfind('/') + 1);
  out.version = KA_VERSION;
  out.inputs = frame.inputs;
  out.returns = frame.returns;
  out.problem_text = problem.text;
  out.problem_object = problem.object;
  out.mode = problem.mode;
  std::map<std::string, std::string> keyword;
  for (const auto& [name, word] : frame.weights) {
    out.weights.push_back(word);
    keyword[name] = word;
  }
  std::vector<std::pair<std::int64_t, compose::Call>> calls;
  for (const model::Subgraph& subgraph : subgraphs) {
    for (const model::SubgraphCall& call : subgraph.calls) {
      compose::Call one{subgraph.id, call.inputs, {}, call.outputs};
      for (std::size_t i = 0; i < call.weights.size(); ++i) {
        if (subgraph.weights[i].role == "constant") continue;
        const auto found = keyword.find(call.weights[i]);
        one.weights.emplace_back(subgraph.weights[i].name, found == keyword.end() ? call.weights[i] : found->second);
      }
      calls.emplace_back(call.order, std::move(one));
    }
  }
  std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, call] : calls) out.calls.push_back(std::move(call));
  return out;
}

Status judge_composed(const RunOptions& options, ComposeFiles& made, const Means& means) {
  const std::string place = options.dispatch.folder.empty() ? "" : options.dispatch.folder + "/";
  verify::JudgeOptions judge = options.dispatch.judge;
  judge.test = options.test;
  model::Composition& composition = made.composition;
  KA_ASSIGN(made.verdict, ask_judge(options.problem, {place + composition.path, made.program}, judge, means, means.log));
  composition.verified = composition.success = made.verdict->accepted;
  composition.message = made.verdict->accepted ? made.verdict->reason : fmt::format("{}: {}", made.verdict->rule, made.verdict->reason);
  made.files["verdict.json"] = lasting_text(*made.verdict, options.problem.path, composition.path);
  return ok();
}

Result<ComposeFiles> compose_files(const RunOptions& options, const std::vector<model::Subgraph>& subgraphs, const Frame& frame,
                                   const std::map<std::string, std::string>& kernels, const Means& means) {
  EventLog* const log = means.log;
  ComposeFiles out;
  std::vector<compose::Part> parts;
  std::vector<std::string> missing;
  for (const model::Subgraph& subgraph : subgraphs) {
    const auto found = kernels.find(subgraph.id);
    if (found != kernels.end()) {
      parts.push_back({subgraph.id, found->second, false});
      continue;
    }
    missing.push_back(subgraph.id);
    if (!options.allow_torch) continue;
    KA_ASSIGN(std::string text, torch_text(subgraph));
    parts.push_back({subgraph.id, std::move(text), true});
  }
  const auto finish = [&] {
    out.files["summary.json"] = to_pretty_json_text(model::to_json(out.composition));
    return std::move(out);
  };
  if (!missing.empty() && !options.allow_torch) {
    out.composition.message = fmt::format("these parts have no kernel that the judge accepts: {} (--allow-torch-fallback would leave them PyTorch)", fmt::join(missing, ", "));
    say(log, out.composition.message);
    return finish();
  }
  const compose::Program program = program_of(options, subgraphs, frame);
  KA_ASSIGN(compose::Composed composed, compose::compose(program, parts, {}, means.interpreter, means.cancel));
  const GenerateChoices& choices = options.dispatch.choices;
  const std::string launches = capture_launches(composed, program, subgraphs, choices.platform, choices.gpu);
  out.program = std::move(composed.text);
  out.files["composed_kernel.py"] = out.program;
  out.composition.path = "compose_out/composed_kernel.py";
  out.composition.sha256 = sha256_hex(out.program);
  out.composition.torch_parts = missing;
  out.composition.success = true;
  out.composition.message = missing.empty() ? "composed and not verified" : fmt::format("composed and not verified; still PyTorch: {}", fmt::join(missing, ", "));
  say(log, fmt::format("{} parts joined{}", parts.size(), missing.empty() ? "" : fmt::format(", {} of them PyTorch", missing.size())));
  if (!launches.empty()) say(log, launches);
  if (!options.verify) return finish();
  if (!missing.empty()) {  // the judge refuses every file that computes with PyTorch: nothing is called verified that is not
    out.composition.message = fmt::format("not verified as a whole, for these parts are still PyTorch: {}", fmt::join(missing, ", "));
    return finish();
  }
  KA_TRY(judge_composed(options, out, means));
  return finish();
}

}  // namespace ka::pipeline

#include "pipeline/ask_composer.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "model/candidate.h"

namespace ka::pipeline {
namespace {

constexpr std::size_t kMaxParts = 400'000;  // bytes of all kernels: more is more than a model reads

using Rows = std::vector<prompt::ComposePrompt::Part>;

// Each part once, with all its calls, numbered in the order in which they run.
Rows rows_of(const compose::Program& program, const std::map<std::string, std::string>& kernels) {
  Rows out;
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const compose::Call& call = program.calls[i];
    std::vector<std::string> given = call.inputs;
    for (const auto& [keyword, weight] : call.weights) given.push_back(fmt::format("{}={}", keyword, weight));
    const std::string line = fmt::format("step {}: {}{}kernel_function({})", i + 1, fmt::join(call.outputs, ", "), call.outputs.empty() ? "" : " = ", fmt::join(given, ", "));
    const auto found = std::find_if(out.begin(), out.end(), [&](const prompt::ComposePrompt::Part& row) { return row.id == call.part; });
    if (found != out.end()) found->calls += "\n" + line;
    else out.push_back({call.part, line, kernels.at(call.part)});
  }
  return out;
}

std::size_t bytes_of(const Rows& rows) {
  std::size_t out = 0;
  for (const prompt::ComposePrompt::Part& row : rows) out += row.source.size() + row.calls.size();
  return out;
}

// The same files with another message.
ComposeFiles saying(ComposeFiles made, const std::string& message) {
  made.composition.message = message;
  made.files["summary.json"] = to_pretty_json_text(model::to_json(made.composition));
  return made;
}

model::Candidate candidate_of(const Contender& better) {
  model::Candidate out;
  out.id = "compose";
  out.producer = better.producer;
  out.path = "compose_out/composed_kernel.py";
  out.entry = better.verdict->kernel.entry;
  out.round = better.rounds;
  out.worker = better.worker;
  out.note = better.message;
  return out;
}

}  // namespace

Result<ComposeFiles> ask_composer(ComposeFiles by_rules, const RunOptions& options, const std::vector<model::Subgraph>& subgraphs, const Frame& frame,
                                  const std::map<std::string, std::string>& kernels, const graph::Exported& exported, const Means& means) {
  if (!by_rules.verdict) return by_rules;  // a part without a kernel, or nothing is judged at all
  const compose::Program program = program_of(options, subgraphs, frame);
  Rows rows = rows_of(program, kernels);
  if (const std::size_t bytes = bytes_of(rows); bytes > kMaxParts) {
    if (means.log != nullptr) means.log->warning("compose", "model_ignored", fmt::format("{} is not asked: the kernels of the parts have {} bytes, more than {}", means.models->model, bytes, kMaxParts));
    return by_rules;
  }
  const std::string place = options.dispatch.folder.empty() ? "" : options.dispatch.folder + "/";
  ModelWork work{"compose", place + "compose_out/", {}, options.problem, options.dispatch.judge, std::move(rows)};
  work.judge.test = options.test;
  KA_ASSIGN(work.task, task_of(options.problem, exported, work.judge, options.dispatch.choices, means));
  KA_ASSIGN(Contender better, contest(std::move(work), {by_rules.program, by_rules.verdict, "rules", 0, 0, by_rules.composition.message}, means));
  by_rules.files.merge(better.attempts);
  if (better.producer != "model") return saying(std::move(by_rules), better.message);

  ComposeFiles out = by_rules;
  out.program = compose::with_self_test(program, better.kernel);
  out.composition.sha256 = sha256_hex(out.program);
  KA_TRY(judge_composed(options, out, means));  // the file as it is kept: with the test of itself
  if (!out.verdict->accepted) return saying(std::move(by_rules), fmt::format("{}; with its test of itself that program is refused ({}): that of the rules stays", better.message, out.verdict->rule));
  model::Candidate candidate = candidate_of(better);
  candidate.sha256 = out.composition.sha256;
  out.files["composed_by_rules.py"] = by_rules.program;
  out.files["composed_kernel.py"] = out.program;
  out.files[kComposerFile] = to_pretty_json_text(model::to_json(candidate));
  return saying(std::move(out), better.message);
}

}  // namespace ka::pipeline

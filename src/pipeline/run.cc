#include "pipeline/run.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "compose/compose.h"
#include "graph/fragment.h"
#include "graph/reference_text.h"

namespace ka::pipeline {
namespace {

// Seconds of a stage, added up over what was done of it.
class Stopwatch {
 public:
  Stopwatch(std::map<std::string, double>& times, const char* stage) : times_(times), stage_(stage) {}
  ~Stopwatch() { times_[stage_] += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::map<std::string, double>& times_;
  const char* stage_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void say(EventLog* log, const char* stage, const std::string& message) {
  if (log != nullptr) log->info(stage, "done", message);
}

Status keep(model::RunDirectory& directory, const std::string& step, const std::string& key, const std::string& folder, const std::map<std::string, std::string>& files) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files) {
    KA_TRY(directory.write_artifact(folder + name, text));
    names.push_back(folder + name);
  }
  return directory.record(step, key, names);
}

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

// A part that stays PyTorch: its operators, as the refactored program has them.
Result<std::string> torch_text(const model::Subgraph& subgraph) {
  KA_ASSIGN(const graph::Exported exported, graph::exported_of(subgraph));
  KA_ASSIGN(const graph::Imported imported, graph::import_program(exported));
  return graph::function_text(subgraph, imported, "kernel_function");
}

class Run {
 public:
  Run(const RunOptions& options, RunContext& context) : options_(options), context_(context) {}

  Result<RunResult> run() {
    if (const Status done = stages(); !done) {
      if (context_.budget == nullptr || !context_.budget->is_end_of(done.error())) return done.error();
      KA_TRY(stop_at_limit());
    }
    return std::move(out_);
  }

 private:
  Status stages() {
    KA_TRY(extract_step());
    KA_TRY(dispatch_step());
    return compose_step();
  }

  Means means() const { return {context_.interpreter, context_.cancel, context_.log, context_.budget, context_.gpus, context_.models}; }

  bool is_done(const char* step, const std::string& key = "") const { return context_.directory.finished(step, key); }

  Status extract_step() {
    const Stopwatch watch(out_.times, "extract");
    if (is_done("extract")) {
      KA_ASSIGN(const std::string subgraphs, context_.directory.read_artifact(kSubgraphsFile));
      KA_ASSIGN(out_.subgraphs, model::read_subgraphs(subgraphs, kSubgraphsFile));
      KA_ASSIGN(const std::string program, context_.directory.read_artifact(kProgramFile));
      KA_ASSIGN(frame_, read_frame(program, kProgramFile));
      return ok();
    }
    if (!context_.program) {
      KA_ASSIGN(context_.program, plan_program(options_.problem, options_.dispatch, context_.interpreter, context_.cancel, context_.log));
    }
    KA_ASSIGN(ExtractFiles made, extract_files(options_.problem, options_.dispatch, *context_.program, context_.cancel, context_.log));
    for (const auto& [stage, seconds] : context_.program->whole.times) out_.times[stage] += seconds;
    if (is_done("route")) made.files.erase("route.json");  // that of the run, which may have been remembered
    KA_TRY(keep(context_.directory, "extract", "", "", made.files));
    out_.subgraphs = std::move(made.extracted.subgraphs);
    frame_ = std::move(made.extracted.frame);
    return ok();
  }

  Status dispatch_step() {
    const Stopwatch watch(out_.times, "dispatch");
    const std::size_t jobs = options_.jobs > 0 ? options_.jobs : jobs_for(out_.subgraphs.size(), options_.dispatch.judge, context_.gpus);
    for (const model::Subgraph& subgraph : out_.subgraphs) {
      if (context_.log != nullptr && !is_done("dispatch", subgraph.id)) tell_waiting(subgraph, *context_.log);
    }
    std::mutex mutex;
    KA_TRY(for_each_part(out_.subgraphs, jobs, context_.cancel, [&](const model::Subgraph& subgraph) -> Status {
      if (is_done("dispatch", subgraph.id)) return ok();
      KA_ASSIGN(const PartKernel part, make_part(subgraph, options_.dispatch, means()));
      const std::lock_guard lock(mutex);
      return keep(context_.directory, "dispatch", subgraph.id, "kernels_out/", files_of(part));
    }));
    for (const model::Subgraph& subgraph : out_.subgraphs) {
      KA_ASSIGN(model::SubgraphResult result, read_part(subgraph.id));
      if (result.success) {
        KA_ASSIGN(kernels_[subgraph.id], context_.directory.read_artifact("kernels_out/" + subgraph.id + "/kernel.py"));
      }
      out_.parts.push_back(std::move(result));
    }
    if (!is_done("dispatch")) KA_TRY(keep(context_.directory, "dispatch", "", "kernels_out/", {{"summary.json", summary_text(out_.parts)}}));
    say(context_.log, "dispatch", fmt::format("{} of {} parts have a kernel", kernels_.size(), out_.parts.size()));
    return ok();
  }

  Result<model::SubgraphResult> read_part(const std::string& id) const {
    const std::string path = "kernels_out/" + id + "/result.json";
    KA_ASSIGN(const std::string text, context_.directory.read_artifact(path));
    KA_ASSIGN(std::vector<model::SubgraphResult> result, read_kernels_summary(text, path));
    if (result.size() != 1) return invalid_input(path + ": one result was expected");
    return std::move(result[0]);
  }

  // Says how far it came. Nothing of it is recorded, for no step is finished by it: a run that goes on writes these files anew.
  Status stop_at_limit() {
    out_.limit = context_.budget->reached();
    out_.parts.clear();
    std::size_t reached = 0, verified = 0;
    for (const model::Subgraph& subgraph : out_.subgraphs) {
      model::SubgraphResult result;
      result.id = subgraph.id;
      result.message = "not reached: " + out_.limit;
      if (is_done("dispatch", subgraph.id)) {
        KA_ASSIGN(result, read_part(subgraph.id));
        ++reached;
        if (result.success && (!options_.dispatch.verify || context_.directory.read_artifact("kernels_out/" + subgraph.id + "/verdict.json"))) ++verified;
      }
      out_.parts.push_back(std::move(result));
    }
    const std::size_t all = out_.parts.size();
    if (all > 0 && !is_done("dispatch")) KA_TRY(context_.directory.write_artifact("kernels_out/summary.json", summary_text(out_.parts)));
    out_.composition.message = all == 0 ? out_.limit + " was reached before the program was cut into parts"
                                        : fmt::format("{} was reached: {} of {} parts {}{}", out_.limit, verified, all, options_.dispatch.verify ? "are verified" : "have a kernel",
                                                      reached == all ? ", the program as a whole is not" : "");
    if (context_.log != nullptr) context_.log->info(all == 0 ? "extract" : reached < all ? "dispatch" : "compose", "failed", out_.composition.message);
    return ok();
  }

  Status compose_step() {
    const Stopwatch watch(out_.times, "compose");
    if (is_done("compose")) return read_composed();
    KA_ASSIGN(ComposeFiles made, compose_files(options_, out_.subgraphs, frame_, kernels_, means()));
    KA_TRY(keep(context_.directory, "compose", "", "compose_out/", made.files));
    out_.composition = std::move(made.composition);
    out_.program = std::move(made.program);
    out_.verdict = std::move(made.verdict);
    if (out_.verdict) out_.times["verify"] += out_.verdict->times["total"];
    return ok();
  }

  Status read_composed() {
    KA_ASSIGN(const std::string text, context_.directory.read_artifact("compose_out/summary.json"));
    KA_ASSIGN(const Json json, parse_json(text, "compose_out/summary.json"));
    KA_ASSIGN(out_.composition, model::composition_from_json(json));
    if (out_.composition.path.empty()) return ok();
    KA_ASSIGN(out_.program, context_.directory.read_artifact("compose_out/composed_kernel.py"));
    if (const Result<std::string> verdict = context_.directory.read_artifact("compose_out/verdict.json")) {
      KA_ASSIGN(const Json told, parse_json(*verdict, "compose_out/verdict.json"));
      KA_ASSIGN(out_.verdict, model::verdict_from_json(told));
    }
    return ok();
  }

  const RunOptions& options_;
  RunContext& context_;
  RunResult out_;
  Frame frame_;
  std::map<std::string, std::string> kernels_;  // by id
};

}  // namespace

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
    say(log, "compose", out.composition.message);
    return finish();
  }
  KA_ASSIGN(compose::Composed composed, compose::compose(program_of(options, subgraphs, frame), parts, {}, means.interpreter, means.cancel));
  out.program = std::move(composed.text);
  out.files["composed_kernel.py"] = out.program;
  out.composition.path = "compose_out/composed_kernel.py";
  out.composition.sha256 = sha256_hex(out.program);
  out.composition.torch_parts = missing;
  out.composition.success = true;
  out.composition.message = missing.empty() ? "composed and not verified" : fmt::format("composed and not verified; still PyTorch: {}", fmt::join(missing, ", "));
  say(log, "compose", fmt::format("{} parts joined{}", parts.size(), missing.empty() ? "" : fmt::format(", {} of them PyTorch", missing.size())));
  if (!options.verify) return finish();
  if (!missing.empty()) {  // the judge refuses every file that computes with PyTorch: nothing is called verified that is not
    out.composition.message = fmt::format("not verified as a whole, for these parts are still PyTorch: {}", fmt::join(missing, ", "));
    return finish();
  }
  const std::string place = options.dispatch.folder.empty() ? "" : options.dispatch.folder + "/";
  verify::JudgeOptions judge = options.dispatch.judge;
  judge.test = options.test;
  KA_ASSIGN(out.verdict, ask_judge(options.problem, {place + out.composition.path, out.program}, judge, means, log));
  out.composition.verified = out.verdict->accepted;
  out.composition.success = out.verdict->accepted;
  out.composition.message = out.verdict->accepted ? out.verdict->reason : fmt::format("{}: {}", out.verdict->rule, out.verdict->reason);
  out.files["verdict.json"] = lasting_text(*out.verdict, options.problem.path, out.composition.path);
  return finish();
}

int launches_of(const RunResult& result) {
  int out = 0;
  for (std::size_t i = 0; i < std::min(result.subgraphs.size(), result.parts.size()); ++i) out += static_cast<int>(result.subgraphs[i].calls.size()) * result.parts[i].launches.value_or(0);
  return out;
}

Result<RunResult> run(const RunOptions& options, RunContext& context) { return Run(options, context).run(); }

}  // namespace ka::pipeline

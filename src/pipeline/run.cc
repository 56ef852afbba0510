#include "pipeline/run.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "pipeline/ask_composer.h"
#include "pipeline/ask_cut.h"

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

  // With the language model that is asked, if one is.
  Means means(const ModelSide* models = nullptr) const { return {context_.interpreter, context_.cancel, context_.log, context_.budget, context_.gpus, models}; }

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
    std::map<std::string, std::string> further;
    if (context_.models.cutter != nullptr) {
      KA_ASSIGN(further[kCutFile], ask_cut(options_, *context_.program, means(context_.models.cutter)));
    }
    KA_ASSIGN(ExtractFiles made, extract_files(options_.problem, options_.dispatch, *context_.program, context_.cancel, context_.log));
    for (const auto& [stage, seconds] : context_.program->whole.times) out_.times[stage] += seconds;
    made.files.merge(further);
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
      KA_ASSIGN(const PartKernel part, make_part(subgraph, options_.dispatch, means(context_.models.parts)));
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
    if (context_.models.composer != nullptr && made.verdict) {
      const Means asking = means(context_.models.composer);
      std::optional<graph::Exported> exported;  // of a run that goes on: it was not planned again
      if (!context_.program) {
        KA_ASSIGN(exported, export_program(options_.problem, options_.dispatch.judge, options_.dispatch.choices, context_.interpreter, context_.cancel, context_.log));
      }
      KA_ASSIGN(made, ask_composer(std::move(made), options_, out_.subgraphs, frame_, kernels_, exported ? *exported : context_.program->whole.exported, asking));
    }
    KA_TRY(keep(context_.directory, "compose", "", "compose_out/", made.files));
    out_.by_model = made.files.contains(kComposerFile);
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
    out_.by_model = static_cast<bool>(context_.directory.read_artifact(std::string("compose_out/") + kComposerFile));
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

int launches_of(const RunResult& result) {
  int out = 0;
  for (std::size_t i = 0; i < std::min(result.subgraphs.size(), result.parts.size()); ++i) out += static_cast<int>(result.subgraphs[i].calls.size()) * result.parts[i].launches.value_or(0);
  return out;
}

Result<RunResult> run(const RunOptions& options, RunContext& context) { return Run(options, context).run(); }

}  // namespace ka::pipeline

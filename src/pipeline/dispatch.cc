#include "pipeline/dispatch.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "graph/fragment.h"
#include "graph/reference_text.h"
#include "os/files.h"
#include "pipeline/contest.h"

namespace ka::pipeline {
namespace {

void tell(EventLog* log, const std::string& id, const char* state, const std::string& message, double seconds) {
  if (log == nullptr) return;
  log->write({LogLevel::info, "dispatch", state, fmt::format("{}: {}", id, message), {{"id", id}, {"state", std::string(state)}, {"seconds", seconds}}});
}

double seconds_since(std::chrono::steady_clock::time_point begin) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }

// A part as a program of PyTorch's.
struct PartProgram {
  graph::Exported exported;
  graph::Imported imported;
};

Result<PartProgram> program_of(const model::Subgraph& subgraph) {
  PartProgram out;
  KA_ASSIGN(out.exported, graph::exported_of(subgraph));
  KA_ASSIGN(out.imported, graph::import_program(out.exported));
  return out;
}

Result<WrittenPart> write_kernel(const model::Subgraph& subgraph, const graph::Exported& exported, const DispatchOptions& options) {
  codegen::GenerateOptions writing;
  writing.precision = options.judge.precision;
  writing.title = fmt::format("{} ({}).", subgraph.id, subgraph.where);
  writing.version = KA_VERSION;
  writing.platform = options.choices.platform;
  writing.gpu = options.choices.gpu;
  Generated made;
  KA_TRY(write_kernels(exported, options.choices, writing, [](const char*, const std::string&) {}, made));
  const auto launches = static_cast<int>(made.file.launches.size());
  return WrittenPart{std::move(made.file.text), launches, std::move(made.cost)};
}

// Whether an error says that the part cannot be judged by itself; the whole program is judged in any case.
bool is_of_the_part(const Error& error) { return error.kind == ErrorKind::invalid_input || error.kind == ErrorKind::unsupported; }

}  // namespace

namespace {

// One part: the built-in generator, the judge, and the language models of the run.
class PartWork {
 public:
  PartWork(const model::Subgraph& subgraph, const DispatchOptions& options, const Means& means)
      : subgraph_(subgraph), options_(options), means_(means), folder_("kernels_out/" + subgraph.id), place_(options.folder.empty() ? "" : options.folder + "/") {
    out_.result.id = subgraph.id;
    out_.result.producer = "codegen";
  }

  Result<PartKernel> run() {
    say("writing", subgraph_.type);
    const Result<PartProgram> program = program_of(subgraph_);
    if (!program) return failed(program.error());
    out_.problem = graph::problem_text(subgraph_, program->imported);
    KA_TRY(take_winner(program->exported));
    if (out_.kernel.empty() && (means_.models == nullptr || means_.models->codegen)) {
      Result<WrittenPart> written = write_kernel(subgraph_, program->exported, options_);
      if (!written && (means_.models == nullptr || written.error().kind == ErrorKind::internal)) return failed(written.error());
      if (!written) {
        out_.result.message = written.error().message;
      } else {
        out_.kernel = std::move(written->text);
        out_.result.launches = written->launches;
      }
    }
    if (!out_.kernel.empty() && !is_winner()) KA_TRY(take_kernel());
    if (means_.models != nullptr && options_.verify && !is_winner()) KA_TRY(ask_models(program->exported));
    out_.seconds = seconds();
    say(!out_.result.success ? "refused" : out_.verdict ? "verified" : "written", out_.result.message);
    return std::move(out_);
  }

 private:
  double seconds() const { return seconds_since(begin_); }
  void say(const char* state, const std::string& message) const { tell(means_.log, subgraph_.id, state, message, seconds()); }

  Result<PartKernel> failed(const Error& error) {
    if (error.kind == ErrorKind::internal) return error.with(subgraph_.id);
    out_.result.message = error.message;
    say("failed", out_.result.message);
    return std::move(out_);
  }

  verify::ProblemSource problem() const { return {place_ + folder_ + "/problem.py", "", out_.problem, "train"}; }

  verify::JudgeOptions judging() const {
    verify::JudgeOptions out = options_.judge;
    out.sample_given = false;  // the whole program is judged at the given sizes
    return out;
  }

  void note_kernel() {
    out_.result.kernel_path = folder_ + "/kernel.py";
    out_.result.kernel_sha256 = sha256_hex(out_.kernel);
  }

  bool is_winner() const { return out_.result.producer == kFromStore; }

  // What an earlier search has found for such a part. One that is refused is told, and the generator writes its own.
  Status take_winner(const graph::Exported& exported) {
    if (options_.winners.path.empty() || !options_.verify) return ok();
    Result<std::optional<TakenWinner>> taken = try_winner(problem(), exported, place_ + folder_ + "/kernel.py", judging(), true, options_.winners, {means_.interpreter, means_.cancel, nullptr, means_.budget, means_.gpus});
    if (!taken && is_of_the_part(taken.error())) return ok();
    if (!taken) return taken.error().with(subgraph_.id);
    if (!*taken) return ok();
    say((*taken)->accepted() ? "taken" : "winner_refused", (*taken)->message);
    if (!(*taken)->accepted()) return ok();
    out_.kernel = std::move((*taken)->text);
    out_.verdict = std::move((*taken)->verdict);
    out_.result.producer = kFromStore;
    out_.result.rounds = 1;
    out_.result.success = true;
    out_.result.message = (*taken)->message;
    note_kernel();
    return ok();
  }

  // The built-in generator's.
  Status take_kernel() {
    note_kernel();
    out_.result.rounds = 1;
    out_.result.success = true;
    out_.result.message = "written and not verified";
    if (!options_.verify) return ok();
    say("verifying", "the judge is asked");
    Result<model::Verdict> verdict = ask_judge(problem(), {place_ + out_.result.kernel_path, out_.kernel}, judging(), means_, nullptr);
    if (!verdict && !is_of_the_part(verdict.error())) return verdict.error().with(subgraph_.id);
    if (!verdict) {
      out_.result.message = "not judged by itself: " + verdict.error().message;
      return ok();
    }
    out_.result.success = verdict->accepted;
    out_.result.message = verdict->accepted ? verdict->reason : fmt::format("{}: {}", verdict->rule, verdict->reason);
    out_.verdict = std::move(*verdict);
    return ok();
  }

  Status ask_models(const graph::Exported& exported) {
    if (!out_.kernel.empty() && !out_.verdict) return ok();  // it cannot be judged by itself, and neither could theirs
    say("asking", means_.models->model);
    ModelWork work{"dispatch/" + subgraph_.id, place_ + folder_ + "/", {}, problem(), judging()};
    KA_ASSIGN(work.task, task_of(work.problem, exported, work.judge, options_.choices, means_));
    Result<Contender> better = contest(work, {out_.kernel, out_.verdict, "codegen", 0, out_.result.rounds, out_.result.message}, means_);
    if (!better) return better.error().with(subgraph_.id);
    if (better->producer == "model" || out_.result.kernel_path.empty()) out_.result.launches.reset();
    out_.kernel = std::move(better->kernel);
    out_.verdict = std::move(better->verdict);
    out_.attempts = std::move(better->attempts);
    out_.result.producer = better->producer;
    out_.result.rounds = better->rounds;
    out_.result.message = better->message;
    out_.result.success = out_.verdict && out_.verdict->accepted;
    if (better->worker > 0) out_.result.worker = better->worker;
    if (!out_.kernel.empty()) note_kernel();
    return ok();
  }

  const model::Subgraph& subgraph_;
  const DispatchOptions& options_;
  const Means& means_;
  const std::string folder_, place_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  PartKernel out_;
};

}  // namespace

Result<WrittenPart> write_part(const model::Subgraph& subgraph, const DispatchOptions& options) {
  KA_ASSIGN(const PartProgram program, program_of(subgraph));
  return write_kernel(subgraph, program.exported, options);
}

Result<PartKernel> make_part(const model::Subgraph& subgraph, const DispatchOptions& options, const Means& means) { return PartWork(subgraph, options, means).run(); }

Result<std::vector<model::Subgraph>> read_parts(std::string_view text, const std::string& path) {
  KA_ASSIGN(std::vector<model::Subgraph> out, model::read_subgraphs(text, path));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::string where = fmt::format("{}: entry {} ({})", path, i, out[i].id);
    const Result<graph::Exported> exported = graph::exported_of(out[i]);
    if (!exported) return exported.error().with(where);
    const Result<graph::Imported> imported = graph::import_program(*exported);
    if (!imported && imported.error().kind != ErrorKind::unsupported) return imported.error().with(where);
  }
  return out;
}

void tell_waiting(const model::Subgraph& subgraph, EventLog& log) { log.write({LogLevel::debug, "dispatch", "queued", subgraph.id, {{"id", subgraph.id}, {"state", std::string("queued")}}}); }

std::size_t jobs_for(std::size_t subgraphs, const os::Machine& machine, std::uint64_t memory_limit, std::optional<std::size_t> places) {
  const std::uint64_t memory_each = std::clamp<std::uint64_t>(memory_limit, 1, kPartMemory);
  std::uint64_t jobs = std::min(static_cast<std::uint64_t>(std::max(1, machine.cores)), machine.memory_available / memory_each);
  if (places) jobs = std::min<std::uint64_t>(jobs, *places);
  return static_cast<std::size_t>(std::max<std::uint64_t>(1, std::min<std::uint64_t>(jobs, subgraphs)));
}

std::size_t jobs_for(std::size_t subgraphs, const verify::JudgeOptions& judge, const os::GpuPool* gpus) {
  const Result<os::Machine> machine = os::query_machine("/");
  if (!machine) return 1;
  std::optional<std::size_t> places;
  if (judge.device == "cuda") places = gpus == nullptr ? kPartsPerGpu : gpus->capacity();
  return jobs_for(subgraphs, *machine, judge.limits.memory_bytes, places);
}

Status for_each_part(const std::vector<model::Subgraph>& subgraphs, std::size_t jobs, const os::CancelToken& cancel,
                     const std::function<Status(const model::Subgraph&)>& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  Status result = ok();
  const auto worker = [&] {
    while (!stopped && !cancel.cancelled()) {
      const std::size_t i = next++;
      if (i >= subgraphs.size()) return;
      if (Status done = work(subgraphs[i]); !done) {
        const std::lock_guard lock(mutex);
        if (result) result = done;
        stopped = true;
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(jobs, subgraphs.size()); ++i) threads.emplace_back(worker);
  worker();
  for (std::thread& thread : threads) thread.join();
  if (result && cancel.cancelled()) return cancelled_error("interrupted");
  return result;
}

std::string lasting_text(model::Verdict verdict, const std::string& problem, const std::string& kernel) {
  verdict.times.clear();
  const bool has_object = verdict.problem.path.starts_with(problem + ":");
  return to_pretty_json_text(model::to_json(moved(verdict, has_object ? verdict.problem.path : problem, kernel)));
}

model::Verdict moved(model::Verdict verdict, const std::string& problem, const std::string& kernel) {
  const auto put = [&](const char* flag, std::string& path, const std::string& to) {
    const std::string before = fmt::format("{} {} ", flag, quote_shell(path));
    if (const std::size_t at = verdict.reproduce.find(before); at != std::string::npos) verdict.reproduce.replace(at, before.size(), fmt::format("{} {} ", flag, quote_shell(to)));
    path = to;
  };
  put("--problem", verdict.problem.path, problem);
  put("--kernel", verdict.kernel.path, kernel);
  return verdict;
}

model::Verdict found_in(model::Verdict verdict, const std::string& folder) {
  const auto here = [&](const std::string& path) {
    const std::string below = folder + "/" + path;
    return path.empty() || path.starts_with('/') || !os::exists(below) ? path : below;
  };
  const std::string problem = verdict.problem.path.starts_with("kernels_out/") ? here(verdict.problem.path) : verdict.problem.path;
  const std::string kernel = here(verdict.kernel.path);
  return moved(std::move(verdict), problem, kernel);
}

std::map<std::string, std::string> files_of(const PartKernel& part) {
  std::map<std::string, std::string> out;
  const std::string folder = part.result.id + "/";
  if (!part.problem.empty()) out[folder + "problem.py"] = part.problem;
  if (!part.kernel.empty()) out[folder + "kernel.py"] = part.kernel;
  if (part.verdict) out[folder + "verdict.json"] = lasting_text(*part.verdict, "kernels_out/" + folder + "problem.py", "kernels_out/" + folder + "kernel.py");
  for (const auto& [name, text] : part.attempts) out[folder + name] = text;
  out[folder + "result.json"] = summary_text({part.result});
  return out;
}

std::string summary_text(const std::vector<model::SubgraphResult>& results) {
  Json out = Json::array();
  for (const model::SubgraphResult& result : results) out.push_back(model::to_json(result));
  return to_pretty_json_text(out);
}

Result<std::vector<model::SubgraphResult>> read_kernels_summary(std::string_view text, const std::string& path) {
  KA_ASSIGN(const Json json, parse_json(text, path));
  if (!json.is_array()) return invalid_input(fmt::format("{}: a list of results was expected, as kernelagent dispatch writes it", path));
  std::vector<model::SubgraphResult> out;
  for (std::size_t i = 0; i < json.size(); ++i) {
    Result<model::SubgraphResult> read = model::subgraph_result_from_json(json[i]);
    if (!read) return read.error().with(fmt::format("{}: entry {}", path, i));
    out.push_back(std::move(*read));
  }
  return out;
}

}  // namespace ka::pipeline

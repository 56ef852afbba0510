#include "pipeline/dispatch.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "graph/fragment.h"
#include "graph/reference_text.h"

namespace ka::pipeline {
namespace {

void tell(EventLog* log, const std::string& id, const char* state, const std::string& message, double seconds) {
  if (log == nullptr) return;
  log->write({LogLevel::info, "dispatch", state, fmt::format("{}: {}", id, message), {{"id", id}, {"state", std::string(state)}, {"seconds", seconds}}});
}

double seconds_since(std::chrono::steady_clock::time_point begin) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }

// Problem and kernel of a part.
Status write_part(const model::Subgraph& subgraph, const DispatchOptions& options, PartKernel& out) {
  KA_ASSIGN(const graph::Exported exported, graph::exported_of(subgraph));
  KA_ASSIGN(const graph::Imported imported, graph::import_program(exported));
  out.problem = graph::problem_text(subgraph, imported);
  codegen::GenerateOptions writing;
  writing.precision = options.judge.precision;
  writing.title = fmt::format("{} ({}).", subgraph.id, subgraph.where);
  writing.version = KA_VERSION;
  writing.platform = options.choices.platform;
  writing.gpu = options.choices.gpu;
  Generated made;
  KA_TRY(write_kernels(exported, options.choices, writing, [](const char*, const std::string&) {}, made));
  out.kernel = made.file.text;
  out.result.launches = static_cast<int>(made.file.launches.size());
  return ok();
}

// Whether an error says that the part cannot be judged by itself; the whole program is judged in any case.
bool is_of_the_part(const Error& error) { return error.kind == ErrorKind::invalid_input || error.kind == ErrorKind::unsupported; }

}  // namespace

Result<PartKernel> make_part(const model::Subgraph& subgraph, const DispatchOptions& options, const Means& means) {
  const auto begin = std::chrono::steady_clock::now();
  EventLog* const log = means.log;
  const std::string folder = "kernels_out/" + subgraph.id, place = options.folder.empty() ? "" : options.folder + "/";
  PartKernel out;
  out.result.id = subgraph.id;
  out.result.producer = "codegen";
  tell(log, subgraph.id, "writing", subgraph.type, 0);
  if (const Status written = write_part(subgraph, options, out); !written) {
    if (written.error().kind == ErrorKind::internal) return written.error().with(subgraph.id);
    out.result.message = written.error().message;
    tell(log, subgraph.id, "failed", out.result.message, seconds_since(begin));
    return out;
  }
  out.result.kernel_path = folder + "/kernel.py";
  out.result.kernel_sha256 = sha256_hex(out.kernel);
  out.result.rounds = 1;
  out.result.success = true;
  if (options.verify) {
    tell(log, subgraph.id, "verifying", "the judge is asked", seconds_since(begin));
    verify::JudgeOptions judging = options.judge;
    judging.sample_given = false;  // the whole program is judged at the given sizes
    const verify::KernelSource kernel{place + out.result.kernel_path, out.kernel};
    Result<model::Verdict> verdict = ask_judge({place + folder + "/problem.py", "", out.problem, "train"}, kernel, judging, means, nullptr);
    if (!verdict && !is_of_the_part(verdict.error())) return verdict.error().with(subgraph.id);
    if (!verdict) {
      out.result.message = "not judged by itself: " + verdict.error().message;
    } else {
      out.result.success = verdict->accepted;
      out.result.message = verdict->accepted ? verdict->reason : fmt::format("{}: {}", verdict->rule, verdict->reason);
      out.verdict = std::move(*verdict);
    }
  } else {
    out.result.message = "written and not verified";
  }
  out.seconds = seconds_since(begin);
  tell(log, subgraph.id, !out.result.success ? "refused" : out.verdict ? "verified" : "written", out.result.message, out.seconds);
  return out;
}

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
  const auto put = [&](std::string& path, const std::string& lasting) {
    if (const std::size_t at = path.empty() ? std::string::npos : verdict.reproduce.find(path); at != std::string::npos) verdict.reproduce.replace(at, path.size(), lasting);
    path = lasting;
  };
  verdict.times.clear();
  put(verdict.problem.path, problem);
  put(verdict.kernel.path, kernel);
  return to_pretty_json_text(model::to_json(verdict));
}

std::map<std::string, std::string> files_of(const PartKernel& part) {
  std::map<std::string, std::string> out;
  const std::string folder = part.result.id + "/";
  if (!part.problem.empty()) out[folder + "problem.py"] = part.problem;
  if (!part.kernel.empty()) out[folder + "kernel.py"] = part.kernel;
  if (part.verdict) out[folder + "verdict.json"] = lasting_text(*part.verdict, "kernels_out/" + folder + "problem.py", "kernels_out/" + folder + "kernel.py");
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

#include "profile/ncu.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/memory_file.h"
#include "profile/ncu_csv.h"
#include "profile/ncu_metrics.h"

namespace ka::profile {
namespace {

constexpr std::uint64_t kScratchBytes = std::uint64_t{4} << 30;  // what compilers write
constexpr std::uint64_t kCpuSeconds = 3600;
constexpr std::size_t kQuotedText = 300;
constexpr const char* kTableMark = "\"Kernel Name\"";
constexpr std::chrono::seconds kGrace{20};  // for the child to tell that ncu was killed at the limit

// Where the packages of NVIDIA put it, the newest version last in the order of names.
std::vector<std::string> packaged_places() {
  std::vector<std::string> out = {"/usr/local/cuda/bin/ncu"};
  Result<std::vector<std::string>> versions = os::list_dir("/opt/nvidia/nsight-compute");
  if (!versions) return out;
  std::sort(versions->rbegin(), versions->rend());
  for (const std::string& version : *versions) out.push_back("/opt/nvidia/nsight-compute/" + version + "/ncu");
  return out;
}

bool is_executable(const std::string& path) { return !os::is_directory(path) && ::access(path.c_str(), X_OK) == 0; }

constexpr const char* kPackages = "/opt/nvidia";  // where the script in the toolkit's bin folder looks for the program itself

// The folder of the program, and that of the installation around a bin folder: ncu starts helpers that lie beside it.
std::vector<std::string> folders_of(const std::string& program) {
  std::vector<std::string> out;
  if (os::is_directory(kPackages)) out.emplace_back(kPackages);
  std::error_code error;
  for (const std::filesystem::path& path : {std::filesystem::path(program), std::filesystem::canonical(program, error)}) {
    if (path.empty()) continue;
    const std::filesystem::path folder = path.parent_path();
    out.push_back(folder.string());
    if (folder.filename() == "bin" && folder.parent_path() != "/") out.push_back(folder.parent_path().string());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

struct Written {
  std::string table;
  std::string failure;  // of the program that was watched, or empty
};

Result<Written> run_ncu(const Subject& subject, const CounterOptions& options, const std::vector<std::string>& command, bridge::WarmInterpreter& interpreter,
                        const os::CancelToken& cancel) try {
  os::SandboxRequest sandbox;
  sandbox.limits = options.limits;
  sandbox.limits.scratch_bytes = kScratchBytes;
  sandbox.limits.cpu_seconds = kCpuSeconds;
  sandbox.gpu = true;
  sandbox.only_gpu = options.only_gpu;
  sandbox.readable = folders_of(options.ncu);
  KA_ASSIGN(os::MemoryFile problem, os::MemoryFile::create("ka_profile"));
  KA_TRY(problem.write(subject.problem_text));
  KA_ASSIGN(os::MemoryFile kernel, os::MemoryFile::create("ka_profile"));
  KA_TRY(kernel.write(subject.kernel_text));
  KA_ASSIGN(bridge::Child child, interpreter.spawn("profile_counters", sandbox, cancel));
  Json target = {{"filename", subject.problem_path}, {"name", nullptr}, {"mode", subject.mode}, {"device", "cuda"}, {"seed", 0}, {"budget", nullptr},
                 {"kernel_filename", subject.kernel_path}, {"entry", subject.entry}, {"contenders", {"kernel"}}};
  if (!subject.problem_object.empty()) target["name"] = subject.problem_object;
  const double seconds = std::chrono::duration<double>(options.limit).count();
  const std::array fds = {problem.fd(), kernel.fd()};
  KA_ASSIGN(const bridge::Answer answer, child.ask({{"command", command}, {"seconds", seconds}, {"target", target}}, fds, os::Deadline::in(options.limit + kGrace), cancel));
  if (answer.end != bridge::ChildEnd::alive) return environment_error("the process that runs Nsight Compute was killed, or ended before it answered");
  KA_ASSIGN(const Json json, parse_json(answer.text, "ncu"));
  if (!json.value("ok", false)) return environment_error("Nsight Compute cannot be started: " + elide_middle(json.at("error").value("message", ""), kQuotedText));
  if (json.at("code").is_null()) return environment_error(fmt::format("Nsight Compute was killed after {:g} s", seconds));
  Written out;
  out.table = json.at("table").get<std::string>();
  if (json.at("failure").is_string()) out.failure = elide_middle(json["failure"].get<std::string>(), kQuotedText);
  if (out.table.find(kTableMark) == std::string::npos) out.table += (out.table.empty() ? "" : "\n") + json.value("said", "");  // the reason may be there
  return out;
} catch (const Json::exception& error) {
  return internal_error(fmt::format("the process that runs Nsight Compute answered nonsense ({})", error.what()));
}

int likeness(const model::KernelProfile& counted, const model::KernelProfile& compiled) {
  return (counted.num_warps == compiled.num_warps ? 2 : 0) + (counted.registers == compiled.registers ? 1 : 0);
}

}  // namespace

Result<std::string> find_ncu(const std::function<std::optional<std::string>(const std::string&)>& variable, const std::function<bool(const std::string&)>& is_program) {
  if (const std::optional<std::string> named = variable("KERNELAGENT_NCU"); named && !named->empty()) {
    if (is_program(*named)) return *named;
    return invalid_input(fmt::format("KERNELAGENT_NCU: {} is no program that can be started", *named));
  }
  for (const std::string& folder : split(variable("PATH").value_or(""), ':'))
    if (!folder.empty() && is_program(folder + "/ncu")) return folder + "/ncu";
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::optional<std::string> home = variable(name); home && !home->empty() && is_program(*home + "/bin/ncu")) return *home + "/bin/ncu";
  for (const std::string& place : packaged_places())
    if (is_program(place)) return place;
  return environment_error("Nsight Compute (ncu) is not found: install it (it is part of the CUDA toolkit), or name it with KERNELAGENT_NCU");
}

Result<std::string> find_ncu() { return find_ncu(os::get_env, is_executable); }

std::vector<std::string> ncu_command(const std::string& ncu, const std::vector<std::string>& without) {
  std::string metrics;
  for (const Metric& metric : kMetrics)
    if (std::find(without.begin(), without.end(), metric.name) == without.end()) metrics += (metrics.empty() ? "" : ",") + std::string(metric.name);
  return {ncu,           "--csv",        "--page",   "raw",      "--print-units", "base", "--print-kernel-base", "function", "--target-processes", "all",
          "--replay-mode", "kernel", "--profile-from-start", "off", "--metrics", metrics};
}

Result<std::vector<model::KernelProfile>> counted_kernels(const Subject& subject, const CounterOptions& options, bridge::WarmInterpreter& interpreter,
                                                          const os::CancelToken& cancel) {
  KA_ASSIGN(Written written, run_ncu(subject, options, ncu_command(options.ncu), interpreter, cancel));
  Result<std::vector<CountedLaunch>> launches = parse_ncu(written.table);
  if (const std::vector<std::string> unknown = unknown_metrics(written.table); !launches && !unknown.empty()) {
    KA_ASSIGN(written, run_ncu(subject, options, ncu_command(options.ncu, unknown), interpreter, cancel));
    launches = parse_ncu(written.table);
  }
  if (!launches && !written.failure.empty()) return environment_error("the profiled program failed: " + written.failure);
  if (!launches) return launches.error();
  return aggregated(*launches);
}

model::Profile with_counters(model::Profile profile, std::vector<model::KernelProfile> counted) {
  for (model::KernelProfile& kernel : counted) {
    const model::KernelProfile* best = nullptr;
    for (const model::KernelProfile& compiled : profile.kernels)
      if (compiled.name == kernel.name && (best == nullptr || likeness(kernel, compiled) > likeness(kernel, *best))) best = &compiled;
    if (best == nullptr) continue;
    if (!kernel.registers) kernel.registers = best->registers;
    kernel.shared_bytes = best->shared_bytes ? best->shared_bytes : kernel.shared_bytes;
    kernel.spills = best->spills;
    kernel.stack_bytes = best->stack_bytes;
    kernel.occupancy_pct = best->occupancy_pct;
    kernel.occupancy_limit = best->occupancy_limit;
    if (!kernel.waves) kernel.waves = best->waves;
    kernel.instructions = best->instructions;
    kernel.num_stages = best->num_stages;
  }
  profile.kernels = std::move(counted);
  profile.source = "ncu";
  return profile;
}

}  // namespace ka::profile

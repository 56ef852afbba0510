#include "profile/static_facts.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "os/memory_file.h"
#include "profile/instruction_mix.h"
#include "profile/occupancy.h"

namespace ka::profile {
namespace {

constexpr std::size_t kForeignText = 300;
constexpr std::int64_t kMostLaunches = 1 << 20;

Result<os::MemoryFile> text_file(const std::string& text) {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_profile"));
  KA_TRY(file.write(text));
  return file;
}

std::string how_it_ended(const bridge::Answer& answer) {
  switch (answer.end) {
    case bridge::ChildEnd::timed_out: return "was killed at the time limit (--timeout)";
    case bridge::ChildEnd::memory: return "needs more memory than it is given (--memory)";
    case bridge::ChildEnd::signalled: return fmt::format("was killed by signal {}", answer.status.signal);
    default: return "ended before it answered";
  }
}

std::string word_of(const Json& object, const char* field) {
  if (!object.is_object() || !object.contains(field) || !object[field].is_string()) return "";
  return object[field].get<std::string>();
}

std::optional<std::int64_t> number_of(const Json& object, const char* field) {
  if (!object.is_object() || !object.contains(field) || !object[field].is_number_integer()) return std::nullopt;
  const std::int64_t value = object[field].get<std::int64_t>();
  return value < 0 ? std::nullopt : std::optional(value);
}

// What a child says about a file that cannot be used is the file's fault, but for what is ours.
Error error_from(const Json& answer) {
  const Json error = answer.is_object() && answer.contains("error") ? answer["error"] : Json::object();
  const std::string kind = word_of(error, "kind"), type = word_of(error, "type");
  std::string text = elide_middle(word_of(error, "message"), kForeignText);
  if (kind == "harness" || kind == "protocol") return internal_error("the launches cannot be found out: " + text);
  const bool foreign = kind == "import" || kind == "raised";
  if (foreign && !type.empty()) text = fmt::format("the kernel file raises {}: {}", type, text);
  const std::optional<std::int64_t> line = number_of(error, "line");
  if (line && *line > 0 && kind != "denied" && type != "SyntaxError") text += fmt::format(" (line {})", *line);  // those name it themselves
  return invalid_input(text.empty() ? "the launches cannot be found out" : text);
}

Result<Json> ask(bridge::Child& child, const Json& message, std::span<const int> fds, const StaticOptions& options, const char* what,
                 const os::CancelToken& cancel) {
  KA_ASSIGN(bridge::Answer answer, child.ask(message, fds, os::Deadline::in(options.limit), cancel));
  if (answer.end != bridge::ChildEnd::alive) return environment_error(fmt::format("the process that {} {}", what, how_it_ended(answer)));
  KA_ASSIGN(Json json, parse_json(answer.text, what));
  if (!json.is_object() || !json.contains("ok") || !json["ok"].is_boolean()) return internal_error(fmt::format("the process that {} answered nonsense", what));
  if (!json["ok"].get<bool>()) return error_from(json);
  return json;
}

Result<Json> find_launches(const Subject& subject, const StaticOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  os::SandboxRequest sandbox;
  sandbox.limits = options.limits;
  KA_ASSIGN(os::MemoryFile problem, text_file(subject.problem_text));
  KA_ASSIGN(os::MemoryFile kernel, text_file(subject.kernel_text));
  KA_ASSIGN(bridge::Child child, interpreter.spawn("profile_launches", sandbox, cancel));
  Json message = {{"filename", subject.problem_path}, {"name", nullptr}, {"mode", subject.mode}, {"kernel_filename", subject.kernel_path}, {"entry", subject.entry}};
  if (!subject.problem_object.empty()) message["name"] = subject.problem_object;
  const std::array fds = {problem.fd(), kernel.fd()};
  KA_ASSIGN(Json answer, ask(child, message, fds, options, "finds the launches", cancel));
  if (!answer.contains("launches") || !answer["launches"].is_array()) return internal_error("the process that finds the launches answered nonsense");
  return answer;
}

struct Compiled {
  std::vector<model::KernelProfile> kernels;
  std::vector<std::string> failed;  // "name: why"
  bool tuned = false;
};

// One launch per question: the text of the code comes back with the answer. Launches with the same code are one kernel.
Result<Compiled> compile_launches(const Json& launches, const Subject& subject, const StaticOptions& options, bridge::WarmInterpreter& interpreter,
                                  const os::CancelToken& cancel, EventLog* log) {
  os::SandboxRequest sandbox;
  sandbox.limits = options.limits;
  KA_ASSIGN(os::MemoryFile source, text_file(subject.kernel_text));
  const std::array fds = {source.fd()};
  KA_ASSIGN(bridge::Child child, interpreter.spawn("profile_code", sandbox, cancel));
  Compiled out;
  std::map<std::string, std::size_t> known;
  for (const Json& launch : launches) {
    const std::string name = elide_middle(word_of(launch, "kernel"), kForeignText);
    if (log != nullptr) log->info("profile", "compile", fmt::format("compiling {} for sm_{}", name, options.gpu.cuda->arch));
    const Json message = {{"cmd", "compile"}, {"filename", subject.kernel_path}, {"target", {{"backend", "cuda"}, {"arch", options.gpu.cuda->arch}, {"warp_size", 32}}},
                          {"launches", Json::array({launch})}};
    KA_ASSIGN(const Json answer, ask(child, message, fds, options, "compiles the kernels", cancel));
    if (!answer.contains("kernels") || !answer["kernels"].is_array() || answer["kernels"].size() != 1 || !answer["kernels"][0].is_object())
      return internal_error("the process that compiles the kernels answered nonsense");
    const Json& row = answer["kernels"][0];
    if (!row.value("ok", false)) out.failed.push_back(fmt::format("{}: {}", name, elide_middle(word_of(row, "error"), kForeignText)));
    out.tuned = out.tuned || (launch.contains("config") && !launch["config"].is_null());
    model::KernelProfile kernel = kernel_from(launch, row, options.gpu);
    const std::string key = fmt::format("{}\n{}\n{}", name, kernel.num_warps, word_of(row, "code"));
    const auto [place, fresh] = known.try_emplace(word_of(row, "code").empty() ? fmt::format("{}", known.size()) : sha256_hex(key), out.kernels.size());
    if (fresh) out.kernels.push_back(std::move(kernel));
    else out.kernels[place->second].launches += kernel.launches;
  }
  return out;
}

std::string limits_of(const Compiled& compiled, const Json& found) {
  std::vector<std::string> said;
  if (!compiled.failed.empty()) said.push_back("not compiled: " + join(compiled.failed, "; "));
  if (compiled.tuned) said.push_back("autotuned kernels are described in their first configuration");
  if (found.contains("foreign") && found["foreign"].is_array() && !found["foreign"].empty()) said.push_back("kernels of other files are left out");
  return join(said, "; ");
}

}  // namespace

model::KernelProfile kernel_from(const Json& launch, const Json& compiled, const ir::Gpu& gpu) {
  model::KernelProfile out;
  out.name = elide_middle(word_of(launch, "kernel"), kForeignText);
  out.launches = std::clamp<std::int64_t>(number_of(launch, "launched").value_or(1), 1, kMostLaunches);
  out.num_warps = number_of(compiled, "num_warps").value_or(number_of(launch, "num_warps").value_or(0));
  out.num_stages = number_of(compiled, "num_stages").value_or(number_of(launch, "num_stages").value_or(0));
  out.registers = number_of(compiled, "registers");
  out.shared_bytes = number_of(compiled, "shared_bytes");
  out.spills = number_of(compiled, "spills");
  out.stack_bytes = number_of(compiled, "stack_bytes");
  if (launch.is_object() && launch.contains("grid") && launch["grid"].is_array() && launch["grid"].size() <= 3)
    for (const Json& extent : launch["grid"]) out.grid.push_back(extent.is_number_integer() ? std::max<std::int64_t>(extent.get<std::int64_t>(), 1) : 1);
  const std::string code = word_of(compiled, "code");
  out.instructions = instruction_mix(code, word_of(compiled, "code_form") == "ptx" ? CodeForm::ptx : CodeForm::sass);
  if (!gpu.cuda || !out.registers || !out.shared_bytes) return out;
  const std::optional<Occupancy> fits = occupancy({out.num_warps, *out.registers, *out.shared_bytes}, *gpu.cuda);
  if (!fits) return out;
  out.occupancy_pct = fits->warps_pct;
  out.occupancy_limit = fits->limit;
  double programs = static_cast<double>(number_of(compiled, "num_ctas").value_or(1));
  for (const std::int64_t extent : out.grid) programs *= static_cast<double>(extent);
  if (!out.grid.empty()) out.waves = programs / static_cast<double>(fits->blocks * gpu.multiprocessors);
  return out;
}

Result<model::Profile> static_profile(const Subject& subject, const StaticOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel,
                                      EventLog* log) {
  KA_CHECK(options.gpu.cuda.has_value());
  KA_ASSIGN(const bridge::InterpreterFacts facts, interpreter.start(cancel));
  KA_ASSIGN(const Json found, find_launches(subject, options, interpreter, cancel));
  if (found["launches"].empty()) return invalid_input(fmt::format("{} launches no Triton kernel of its own", subject.kernel_path));
  KA_ASSIGN(Compiled compiled, compile_launches(found["launches"], subject, options, interpreter, cancel, log));
  if (compiled.failed.size() == found["launches"].size())
    return invalid_input(fmt::format("no kernel of {} compiles for sm_{}: {}", subject.kernel_path, options.gpu.cuda->arch, compiled.failed[0]));
  model::Profile out;
  out.candidate_sha256 = sha256_hex(subject.kernel_text);
  out.device = options.gpu.title;
  out.source = "static";
  out.limits = limits_of(compiled, found);
  out.kernels = std::move(compiled.kernels);
  out.versions = {{"kernelagent", KA_VERSION}, {"python", facts.python}, {"torch", facts.torch}, {"triton", facts.triton}};
  return out;
}

}  // namespace ka::profile

#include "optimise/code_identity.h"

#include <array>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "os/memory_file.h"

namespace ka::optimise {
namespace {

Result<os::MemoryFile> file_of(const std::string& text) {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_code"));
  KA_TRY(file.write(text));
  return file;
}

// An answer that says "ok", or nothing: whatever is wrong with a file, it has no identity.
std::optional<Json> good_answer(const bridge::Answer& answer) {
  if (answer.end != bridge::ChildEnd::alive) return std::nullopt;
  Result<Json> json = parse_json(answer.text, "code");
  if (!json || !json->is_object() || !FieldReader(*json, "code").optional<bool>("ok").value_or(false)) return std::nullopt;
  return std::move(*json);
}

// What the host code does, and the launches that are to be compiled.
Result<std::optional<Json>> launches_of(const CodeSubject& subject, const CodeOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  os::SandboxRequest sandbox;
  sandbox.limits = options.limits;
  KA_ASSIGN(const os::MemoryFile problem, file_of(subject.problem_text));
  KA_ASSIGN(const os::MemoryFile kernel, file_of(subject.kernel_text));
  KA_ASSIGN(bridge::Child child, interpreter.spawn("code_identity", sandbox, cancel));
  Json message = {{"filename", subject.problem_path}, {"name", nullptr}, {"mode", subject.mode}, {"kernel_filename", subject.kernel_path}, {"entry", subject.entry}};
  if (!subject.problem_object.empty()) message["name"] = subject.problem_object;
  const std::array fds = {problem.fd(), kernel.fd()};
  KA_ASSIGN(const bridge::Answer answer, child.ask(message, fds, os::Deadline::in(options.limit), cancel));
  return good_answer(answer);
}

Result<std::optional<Json>> compiled(const CodeSubject& subject, const Json& launches, const CodeOptions& options, bridge::WarmInterpreter& interpreter,
                                     const os::CancelToken& cancel) {
  os::SandboxRequest sandbox;
  sandbox.limits = options.limits;
  KA_ASSIGN(const os::MemoryFile kernel, file_of(subject.kernel_text));
  KA_ASSIGN(bridge::Child child, interpreter.spawn("code_hash", sandbox, cancel));
  const Json target = {{"backend", "cuda"}, {"arch", options.arch}, {"warp_size", 32}};
  const Json message = {{"cmd", "compile"}, {"filename", subject.kernel_path}, {"target", target}, {"launches", launches}};
  const std::array fds = {kernel.fd()};
  KA_ASSIGN(const bridge::Answer answer, child.ask(message, fds, os::Deadline::in(options.limit), cancel));
  return good_answer(answer);
}

// Nothing where a kernel did not compile.
std::optional<std::vector<std::string>> hashes_of(const Json& answer) {
  FieldReader in(answer, "code");
  const Json* const kernels = in.required_array("kernels");
  std::vector<std::string> out;
  if (kernels == nullptr) return std::nullopt;
  for (const Json& kernel : *kernels) {
    FieldReader row(kernel, "code");
    const std::string hash = row.optional<std::string>("code_hash").value_or("");
    if (!row.good() || hash.empty()) return std::nullopt;
    out.push_back(row.required<std::string>("kernel") + " " + hash);
  }
  return out;
}

}  // namespace

Result<std::string> code_identity(const CodeSubject& subject, const CodeOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  KA_ASSIGN(const std::optional<Json> found, launches_of(subject, options, interpreter, cancel));
  if (!found) return std::string();
  FieldReader in(*found, "code");
  const Json* const launches = in.required_array("launches");
  const std::optional<std::string> host = in.optional<std::string>("host");
  const Json* const order = in.optional_array("order");
  if (!in.good() || !host || order == nullptr || launches == nullptr || launches->empty()) return std::string();
  KA_ASSIGN(const std::optional<Json> answer, compiled(subject, *launches, options, interpreter, cancel));
  const std::optional<std::vector<std::string>> hashes = answer ? hashes_of(*answer) : std::nullopt;
  if (!hashes || hashes->size() != launches->size()) return std::string();
  return sha256_hex(to_json_text({{"host", *host}, {"order", *order}, {"code", *hashes}}));
}

}  // namespace ka::optimise

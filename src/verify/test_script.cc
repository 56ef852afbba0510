#include "verify/test_script.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json_fields.h"
#include "base/strings.h"

namespace ka::verify {
namespace {

constexpr std::size_t kDetailBytes = 2000;

Result<os::MemoryFile> text_file(const std::string& text) {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_test_script"));
  KA_TRY(file.write(text));
  return file;
}

Refusal failed(const std::string& path, const std::string& how, const std::string& said) {
  const std::string output = trim(said).empty() ? "" : "; it printed:\n" + elide_middle(trim(said), kDetailBytes);
  return {"test.failed", fmt::format("{} {}{}", path, how, output)};
}

std::string how_it_ended(const bridge::Answer& answer) {
  switch (answer.end) {
    case bridge::ChildEnd::timed_out:
      return "was killed at the time limit";
    case bridge::ChildEnd::memory:
      return "was killed when the memory cap was reached";
    case bridge::ChildEnd::signalled:
      return fmt::format("was killed by signal {}", answer.status.signal);
    case bridge::ChildEnd::garbled:
    case bridge::ChildEnd::exited:
    case bridge::ChildEnd::alive:
      break;
  }
  return "ended the process that watches it";
}

}  // namespace

Result<std::optional<Refusal>> run_test_script(const TestScript& script, const KernelSource& kernel,
                                               const ProblemSource& problem, std::uint64_t seed,
                                               const CandidateOptions& options, bridge::WarmInterpreter& interpreter,
                                               const os::CancelToken& cancel) try {
  using Answer = std::optional<Refusal>;
  KA_ASSIGN(bridge::Child child, interpreter.spawn("script_test", options.sandbox, cancel));
  KA_ASSIGN(os::MemoryFile script_file, text_file(script.text));
  KA_ASSIGN(os::MemoryFile kernel_file, text_file(kernel.text));
  KA_ASSIGN(os::MemoryFile problem_file, text_file(problem.text));
  const std::array fds = {script_file.fd(), kernel_file.fd(), problem_file.fd()};
  const Json message = {{"filename", script.path},
                        {"interpret", options.interpret},
                        {"sentinel", new_nonce()},
                        {"seed", seed}};
  KA_ASSIGN(bridge::Answer answer, child.ask(message, fds, os::Deadline::in(options.limit), cancel));
  if (answer.end != bridge::ChildEnd::alive) return Answer(failed(script.path, how_it_ended(answer), child.output_tail()));
  KA_ASSIGN(Json json, parse_json(answer.text, "test script"));
  if (!json.value("ok", false)) return internal_error("the test script's harness failed: " + elide_middle(answer.text, kDetailBytes));
  const std::string said = json.value("said", "");
  const int code = json.value("code", 1), signal = json.value("signal", 0);
  if (signal != 0) return Answer(failed(script.path, fmt::format("was killed by signal {}", signal), said));
  if (code != 0) return Answer(failed(script.path, fmt::format("exited with {}", code), said));
  if (!json.value("passed", false))
    return Answer(failed(script.path, "exited with 0, but printed neither PASS nor the sentinel", said));
  return Answer();
} catch (const Json::exception&) {
  return std::optional<Refusal>(failed(script.path, "answered nonsense", ""));
}

}  // namespace ka::verify

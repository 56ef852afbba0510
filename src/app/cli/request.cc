#include "app/cli/request.h"

#include <array>

#include <fmt/format.h>

#include "app/cli/settings.h"
#include "app/cli/verify.h"
#include "base/strings.h"
#include "os/environment.h"
#include "os/gpu.h"
#include "problem/problem_file.h"

namespace ka::app {
namespace {

constexpr std::uint64_t kMaxJobs = 256;

// One of two spellings of a flag.
Result<std::string> either(const Arguments& arguments, const char* flag, const char* other) {
  if (arguments.has(flag) && arguments.has(other)) return invalid_input(fmt::format("{} and {} are the same; one is enough", flag, other));
  return std::string(arguments.has(other) ? other : flag);
}

Result<Request> flags_of(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> platforms = {"cuda", "xpu"}, forms = {"kernel", "kernelbench"};
  Request request;
  KA_ASSIGN(const std::string platform, either(arguments, "--platform", "--target-platform"));
  KA_ASSIGN(request.choices.platform, arguments.choice(platform, "cuda", platforms));
  KA_ASSIGN(request.choices.emit, arguments.choice("--emit", "kernel", forms));
  if (arguments.has("--gpu")) {
    KA_ASSIGN(std::string gpu, arguments.required("--gpu"));
    Result<ir::Gpu> found = ir::find_gpu(gpu);
    if (!found) return found.error().with("--gpu");
    request.choices.gpu = *found;
  }
  KA_TRY(read_forms_flag(arguments, request.choices.gpu));
  request.choices.algebraic = !arguments.has("--no-algebraic");
  KA_ASSIGN(request.options, judge_options(arguments));
  return request;
}

Result<Request> request_about(const Arguments& arguments, const problem::ProblemFile& file) {
  constexpr std::array<std::string_view, 2> modes = {"train", "eval"};
  KA_ASSIGN(std::string mode, arguments.choice("--mode", "train", modes));
  KA_ASSIGN(Request request, flags_of(arguments));
  request.problem = {file.path, file.object, file.text, mode};
  if (const std::string test = arguments.settings().text("test_paths"); !test.empty()) {
    Result<std::string> text = problem::read_source(test);
    if (!text) return text.error().with("--test-paths");
    request.test = verify::TestScript{test, std::move(*text)};
  }
  return request;
}

}  // namespace

Status read_forms_flag(const Arguments& arguments, ir::Gpu& gpu) {
  if (!arguments.has("--forms")) return ok();
  KA_ASSIGN(const std::string list, arguments.required("--forms"));
  Result<std::set<ir::Form>> read = ir::read_forms(list);
  if (!read) return read.error().with("--forms");
  gpu.forms = *read;
  return ok();
}

Result<Request> options_of(const Arguments& arguments) {
  if (!arguments.positional().empty())
    return invalid_input(fmt::format("unexpected argument \"{}\"; everything is given with flags", arguments.positional()[0]));
  return flags_of(arguments);
}

Result<Request> request_of(const Arguments& arguments, const std::string& command) {
  if (!arguments.positional().empty())
    return invalid_input(fmt::format("unexpected argument \"{}\"; the problem is given with --problem", arguments.positional()[0]));
  KA_ASSIGN(const std::string problem, arguments.required("--problem"));
  KA_ASSIGN(const problem::ProblemFile file, problem::read_problem(problem));
  KA_ASSIGN(Request request, request_about(arguments, file));
  request.command = fmt::format("kernelagent {} --problem {}", command, quote_shell(problem));
  return request;
}

Result<Request> request_in_words(const Arguments& arguments, const std::string& command) {
  if (arguments.positional().size() != 1) return request_of(arguments, command);
  KA_ASSIGN(Request request, request_about(arguments, {}));
  request.sentence = model::SentenceRecord();
  request.sentence->sentence = trim(arguments.positional()[0]);
  request.command = fmt::format("kernelagent {} {}", command, quote_shell(request.sentence->sentence));
  return request;
}

Result<std::size_t> jobs_of(const Arguments& arguments) {
  KA_ASSIGN(const std::string flag, either(arguments, "--dispatch-jobs", "--jobs"));
  if (arguments.text(flag, "auto") == "auto") return std::size_t{0};
  const Result<std::uint64_t> jobs = arguments.whole_number(flag, 0);
  if (!jobs || *jobs < 1 || *jobs > kMaxJobs) return invalid_input(fmt::format("{}: auto, or a number from 1 to {}", flag, kMaxJobs));
  return static_cast<std::size_t>(*jobs);
}

Result<std::unique_ptr<os::GpuPool>> gpus_for(const std::string& device, const std::string& command, std::size_t slots, EventLog& log) {
  if (device != "cuda") return std::unique_ptr<os::GpuPool>();
  KA_ASSIGN(const std::vector<os::Gpu> gpus, os::query_gpus(os::Deadline::in(std::chrono::seconds(10))));
  std::optional<std::vector<int>> numbers = os::visible_gpus(gpus, os::get_env("CUDA_VISIBLE_DEVICES"));
  if (!numbers || numbers->empty()) return std::unique_ptr<os::GpuPool>();
  return std::make_unique<os::GpuPool>(os::GpuPool::Options{std::move(*numbers), slots, "kernelagent " + command}, &log);
}

Result<int> ended(const std::string& command, const Error& error) {
  if (error.kind == ErrorKind::unsupported) return not_achieved(command.c_str(), error);
  return error;
}

int not_achieved(const char* command, const Error& error) {
  fmt::print(stderr, "kernelagent: {}: {}\n", command, error.message);
  return 1;
}

}  // namespace ka::app

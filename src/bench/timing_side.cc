#include "bench/timing_side.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/statistics.h"
#include "base/strings.h"
#include "os/memory_file.h"

namespace ka::bench {
namespace {

constexpr std::size_t kMaxForeignText = 500;
constexpr double kWarmUpSeconds = 5;
constexpr std::uint64_t kScratchBytes = std::uint64_t{4} << 30;  // what compilers write
constexpr std::uint64_t kCpuSeconds = 3600;
// What Triton's interpreter does in well under a second: sizes for trying the command.
constexpr std::int64_t kInterpreterElements = 1 << 18, kInterpreterFlops = 1 << 25;

struct Name {
  const char* baseline;
  const char* contender;
};
constexpr std::array kNames = {Name{"eager", "eager"}, Name{"compile", "compile"}, Name{"reduce-overhead", "compile_reduce_overhead"},
                               Name{"max-autotune", "compile_max_autotune"}};

Result<os::MemoryFile> text_file(const std::string& text) {
  KA_ASSIGN(os::MemoryFile file, os::MemoryFile::create("ka_bench"));
  KA_TRY(file.write(text));
  return file;
}

std::string ended(const bridge::Answer& answer) {
  switch (answer.end) {
    case bridge::ChildEnd::timed_out: return "was killed at the time limit (--timeout)";
    case bridge::ChildEnd::memory: return "needs more memory than it is given (--memory)";
    case bridge::ChildEnd::signalled: return fmt::format("was killed by signal {}", answer.status.signal);
    default: return "ended before it answered";
  }
}

// The file that a contender is: a kernel's, or the program's.
struct TimedFile {
  const std::string& path;
  const std::string& text;
};
TimedFile file_of(const std::string& contender, const Subject& subject, const TimingOptions& options) {
  if (contender == "kernel") return {subject.kernel_path, subject.kernel_text};
  for (std::size_t i = 0; i < options.rivals.size(); ++i) {
    if (contender == rival_name(i + 1)) return {options.rivals[i].path, options.rivals[i].text};
  }
  return {subject.problem_path, subject.problem_text};
}

std::vector<std::string> all_contenders(const TimingOptions& options) {
  std::vector<std::string> out = options.contenders;
  for (std::size_t i = 0; i < options.rivals.size(); ++i) out.push_back(rival_name(i + 1));
  return out;
}

model::Timing timing_of(const std::string& contender, const Json& samples, const Json& answer, const Subject& subject, const TimingOptions& options) {
  model::Timing timing;
  const TimedFile file = file_of(contender, subject, options);
  timing.subject = file.path;
  timing.sha256 = sha256_hex(file.text);
  timing.contender = contender;
  timing.device = answer.value("device", "");
  timing.method = answer.value("method", "");
  timing.mode = subject.mode;
  timing.tier = subject.tier;
  timing.warmup = answer["warm_up"][contender].value("calls", std::int64_t{0});
  timing.cache_flushed = answer.value("flushed", false);
  timing.fresh_inputs = answer.value("input_sets", 1) > 1;
  for (const Json& sample : samples) timing.samples_ms.push_back(sample.get<double>());
  timing.median_ms = median(timing.samples_ms);
  timing.mean_ms = mean(timing.samples_ms);
  timing.min_ms = timing.samples_ms.empty() ? 0 : *std::min_element(timing.samples_ms.begin(), timing.samples_ms.end());
  return timing;
}

// Every contender has the same number of samples, each a time.
Result<Timed> timed_from(const Json& answer, const Subject& subject, const TimingOptions& options) {
  Timed out;
  out.device = answer.value("device", "");
  std::size_t rounds = 0;
  for (const std::string& name : all_contenders(options)) {
    const Json& all = answer.at("samples");
    if (!all.contains(name)) continue;
    out.timings.push_back(timing_of(name, all[name], answer, subject, options));
    const std::vector<double>& samples = out.timings.back().samples_ms;
    if (out.timings.size() == 1) rounds = samples.size();
    const bool times = std::all_of(samples.begin(), samples.end(), [](double ms) { return std::isfinite(ms) && ms > 0; });
    if (samples.empty() || samples.size() != rounds || !times) return internal_error(fmt::format("the samples of {} are incomplete", name));
  }
  const Json failed = answer.value("failed", Json::object()), warm = answer.value("warm_up", Json::object());
  for (const auto& [name, why] : failed.items()) out.failed[name] = elide_middle(why.get<std::string>(), kMaxForeignText);
  for (const auto& [name, row] : warm.items()) out.warm_up_seconds[name] = row.value("seconds", 0.0);
  if (out.timings.empty() || out.timings[0].contender != "kernel") return internal_error("the kernel has no samples");
  return out;
}

}  // namespace

std::string rival_name(std::size_t number) { return fmt::format("kernel_{}", number); }

std::string contender_of(const std::string& baseline) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const Name& name) { return baseline == name.baseline; });
  return found == kNames.end() ? "" : found->contender;
}

Result<Timed> time_contenders(const Subject& subject, const TimingOptions& options, bridge::WarmInterpreter& interpreter,
                              const os::CancelToken& cancel) try {
  os::SandboxRequest sandbox;
  sandbox.limits = options.limits;
  sandbox.limits.scratch_bytes = kScratchBytes;
  sandbox.limits.cpu_seconds = kCpuSeconds;
  sandbox.gpu = options.device == "cuda";
  sandbox.only_gpu = options.only_gpu;
  KA_ASSIGN(os::MemoryFile problem, text_file(subject.problem_text));
  KA_ASSIGN(os::MemoryFile kernel, text_file(subject.kernel_text));
  KA_ASSIGN(bridge::Child child, interpreter.spawn("bench", sandbox, cancel));
  Json message = {{"filename", subject.problem_path},  {"name", nullptr},            {"mode", subject.mode},
                  {"device", options.device},          {"seed", options.seed},       {"budget", nullptr},
                  {"kernel_filename", subject.kernel_path}, {"entry", subject.entry}, {"contenders", all_contenders(options)},
                  {"warmup", options.warmup},          {"warmup_seconds", kWarmUpSeconds}, {"rounds", options.rounds},
                  {"seconds", options.seconds}};
  if (!subject.problem_object.empty()) message["name"] = subject.problem_object;
  if (options.device == "cpu")
    message["budget"] = {{"elements", kInterpreterElements}, {"flops", kInterpreterFlops}, {"widths", false}, {"single", true}};
  message["rivals"] = Json::array();
  for (std::size_t i = 0; i < options.rivals.size(); ++i)
    message["rivals"].push_back({{"name", rival_name(i + 1)}, {"entry", options.rivals[i].entry}, {"text", options.rivals[i].text}});
  const std::array fds = {problem.fd(), kernel.fd()};
  KA_ASSIGN(bridge::Answer answer, child.ask(message, fds, os::Deadline::in(options.limit), cancel));
  if (answer.end != bridge::ChildEnd::alive) {
    const std::string said = trim(child.output_tail());
    return environment_error(fmt::format("the process that times {} {}{}", subject.kernel_path, ended(answer),
                                         said.empty() ? "" : "; its last words: " + elide_middle(said, kMaxForeignText)));
  }
  KA_ASSIGN(Json json, parse_json(answer.text, "bench"));
  if (!json.value("ok", false)) {
    const Json error = json.value("error", Json::object());
    return environment_error(fmt::format("cannot be timed: {}", elide_middle(error.value("message", "no reason given"), kMaxForeignText)));
  }
  return timed_from(json, subject, options);
} catch (const Json::exception& error) {
  return internal_error(fmt::format("the process that times answered nonsense ({})", error.what()));
}

}  // namespace ka::bench

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

std::string ended(const bridge::Answer& answer, const TimingOptions& options) {
  switch (answer.end) {
    case bridge::ChildEnd::timed_out: return fmt::format("was killed at the time limit ({})", options.step_limit ? "--bench-limit" : "--timeout");
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

model::Timing timing_of(const std::string& contender, const Json& answer, std::int64_t warm_up_calls, const Subject& subject, const TimingOptions& options) {
  model::Timing timing;
  const TimedFile file = file_of(contender, subject, options);
  timing.subject = file.path;
  timing.sha256 = sha256_hex(file.text);
  timing.contender = contender;
  timing.device = answer.value("device", "");
  timing.method = answer.value("method", "");
  timing.mode = subject.mode;
  timing.tier = subject.tier;
  timing.warmup = warm_up_calls;
  timing.cache_flushed = answer.value("flushed", false);
  timing.fresh_inputs = answer.value("input_sets", 1) > 1;
  for (const Json& sample : answer.at("samples").at(contender)) timing.samples_ms.push_back(sample.get<double>());
  timing.median_ms = median(timing.samples_ms);
  timing.mean_ms = mean(timing.samples_ms);
  timing.min_ms = timing.samples_ms.empty() ? 0 : *std::min_element(timing.samples_ms.begin(), timing.samples_ms.end());
  return timing;
}

Json opening(const Subject& subject, const TimingOptions& options) {
  Json message = {{"filename", subject.problem_path},  {"name", nullptr},            {"mode", subject.mode},
                  {"device", options.device},          {"seed", options.seed},       {"budget", nullptr},
                  {"kernel_filename", subject.kernel_path}, {"entry", subject.entry}, {"contenders", all_contenders(options)},
                  {"warmup", options.warmup},          {"warmup_seconds", options.warmup_seconds}, {"rounds", options.rounds},
                  {"seconds", options.seconds},        {"beside", options.shared != nullptr ? options.shared->subjects : 1}};
  if (!subject.problem_object.empty()) message["name"] = subject.problem_object;
  if (options.device == "cpu")
    message["budget"] = {{"elements", kInterpreterElements}, {"flops", kInterpreterFlops}, {"widths", false}, {"single", true}};
  message["rivals"] = Json::array();
  for (std::size_t i = 0; i < options.rivals.size(); ++i)
    message["rivals"].push_back({{"name", rival_name(i + 1)}, {"entry", options.rivals[i].entry}, {"text", options.rivals[i].text}});
  return message;
}

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// One child that is asked step by step: whoever's turn it is when it ends is `guilty`.
class TimingChild {
 public:
  TimingChild(const Subject& subject, const TimingOptions& options, bridge::Child child, const os::CancelToken& cancel, std::string& guilty)
      : subject_(subject), options_(options), child_(std::move(child)), cancel_(cancel), guilty_(guilty), all_(os::Deadline::in(options.limit)) {}

  // `turn`: among others who share the GPU.
  Result<Timed> time(std::span<const int> fds, std::optional<os::Turns::Turn> turn) {
    Timed out;
    out.prepared.begin = now();
    KA_TRY(ask(kBenchProblem, opening(subject_, options_), fds));
    std::vector<std::string> order = all_contenders(options_);  // kernel files last: baselines are compiled before anything of them has run
    std::stable_partition(order.begin(), order.end(), [](const std::string& name) { return !name.starts_with("kernel"); });
    std::map<std::string, std::int64_t> calls;
    for (const std::string& name : order) {
      KA_ASSIGN(const Json answer, ask(name, {{"prepare", name}}, {}));
      calls[name] = answer.value("calls", std::int64_t{0});
      out.warm_up_seconds[name] = answer.value("seconds", 0.0);
      if (!answer.contains("failed")) continue;
      out.failed[name] = elide_middle(answer["failed"].get<std::string>(), kMaxForeignText);
      if (answer.value("broken", false)) return environment_error(fmt::format("{} has left the GPU unusable: {}", name, out.failed[name]));
    }
    out.prepared.end = now();
    if (turn) {
      KA_TRY(turn->become_alone(cancel_));
      all_ = os::Deadline::in(options_.limit);  // waiting for the others is nobody's time
    }
    out.sampled.begin = now();
    KA_ASSIGN(const Json answer, ask(kBenchSamples, Json::object(), {}));
    out.sampled.end = now();
    for (const auto& [name, count] : answer.value("settled", std::map<std::string, std::int64_t>{})) calls[name] += count;
    KA_TRY(read_samples(answer, calls, out));
    return out;
  }

 private:
  Result<Json> ask(const std::string& whose, const Json& message, std::span<const int> fds) {
    guilty_ = whose;
    const os::Deadline limit = options_.step_limit ? os::Deadline::earlier(all_, os::Deadline::in(*options_.step_limit)) : all_;
    KA_ASSIGN(bridge::Answer answer, child_.ask(message, fds, limit, cancel_));
    if (answer.end != bridge::ChildEnd::alive) {
      const std::string said = trim(child_.output_tail());
      return environment_error(fmt::format("the process that times {} {}{}", subject_.kernel_path, ended(answer, options_),
                                           said.empty() ? "" : "; its last words: " + elide_middle(said, kMaxForeignText)));
    }
    KA_ASSIGN(Json json, parse_json(answer.text, "bench"));
    if (json.value("ok", false)) return json;
    const Json error = json.value("error", Json::object());
    return environment_error(fmt::format("cannot be timed: {}", elide_middle(error.value("message", "no reason given"), kMaxForeignText)));
  }

  // Every contender has the same number of samples, each a time.
  Status read_samples(const Json& answer, const std::map<std::string, std::int64_t>& calls, Timed& out) {
    out.device = answer.value("device", "");
    const Json held = answer.value("held_back", Json::object());
    out.held_back = {held.value("watched", false), held.value("again", std::int64_t{0}), held.value("kept", std::map<std::string, int>{})};
    if (answer.contains("degenerate") && answer["degenerate"].is_string()) out.degenerate = elide_middle(answer["degenerate"].get<std::string>(), kMaxForeignText);
    std::size_t rounds = 0;
    for (const std::string& name : all_contenders(options_)) {
      if (!answer.at("samples").contains(name)) continue;
      out.timings.push_back(timing_of(name, answer, calls.at(name), subject_, options_));
      const std::vector<double>& samples = out.timings.back().samples_ms;
      if (out.timings.size() == 1) rounds = samples.size();
      const bool times = std::all_of(samples.begin(), samples.end(), [](double ms) { return std::isfinite(ms) && ms > 0; });
      if (samples.empty() || samples.size() != rounds || !times) return internal_error(fmt::format("the samples of {} are incomplete", name));
    }
    if (out.timings.empty() || out.timings[0].contender != "kernel") return internal_error("the kernel has no samples");
    return ok();
  }

  const Subject& subject_;
  const TimingOptions& options_;
  bridge::Child child_;
  const os::CancelToken& cancel_;
  std::string& guilty_;
  os::Deadline all_;
};

}  // namespace

Result<std::unique_ptr<SharedGpu>> SharedGpu::of(std::size_t subjects) {
  KA_ASSIGN(os::MemoryFile lock, os::MemoryFile::create("ka_tuning"));
  return std::make_unique<SharedGpu>(std::move(lock), subjects);
}

Json to_json(const HeldBack& held) { return {{"watched", held.watched}, {"again", held.again}, {"kept", held.kept}}; }

std::string in_words(const HeldBack& held) {
  std::string out = held.again > 0 ? fmt::format("{} sample{} taken again because the GPU held its clocks back", held.again, held.again == 1 ? " was" : "s were") : "";
  for (const auto& [reason, count] : held.kept) out += fmt::format("{}{} stand{} although it did ({})", out.empty() ? "" : ", ", count, count == 1 ? "s" : "", reason);
  return out;
}

std::string rival_name(std::size_t number) { return fmt::format("kernel_{}", number); }

std::string contender_of(const std::string& baseline) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const Name& name) { return baseline == name.baseline; });
  return found == kNames.end() ? "" : found->contender;
}

Result<Timed> time_contenders(const Subject& subject, const TimingOptions& options, bridge::WarmInterpreter& interpreter,
                              const os::CancelToken& cancel, std::string* guilty) try {
  os::SandboxRequest sandbox;
  sandbox.limits = options.limits;
  sandbox.limits.scratch_bytes = kScratchBytes;
  sandbox.limits.cpu_seconds = kCpuSeconds;
  sandbox.gpu = options.device == "cuda";
  sandbox.only_gpu = options.only_gpu;
  KA_ASSIGN(os::MemoryFile problem, text_file(subject.problem_text));
  KA_ASSIGN(os::MemoryFile kernel, text_file(subject.kernel_text));
  std::vector<int> fds = {problem.fd(), kernel.fd()};
  std::optional<os::Turns::Turn> turn;
  if (options.shared != nullptr) {
    KA_ASSIGN(os::Turns::Turn beside, options.shared->turns.beside(cancel));
    turn.emplace(std::move(beside));
    fds.push_back(options.shared->tuning.fd());
  }
  KA_ASSIGN(bridge::Child child, interpreter.spawn("bench", sandbox, cancel));
  std::string nobody;
  return TimingChild(subject, options, std::move(child), cancel, guilty != nullptr ? *guilty : nobody).time(fds, std::move(turn));
} catch (const Json::exception& error) {
  return internal_error(fmt::format("the process that times answered nonsense ({})", error.what()));
}

}  // namespace ka::bench

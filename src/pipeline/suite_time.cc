#include "pipeline/suite_time.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "base/wall_time.h"
#include "bench/attempts.h"
#include "optimise/roofline.h"
#include "os/files.h"
#include "problem/problem_file.h"

namespace ka::pipeline {
namespace {

constexpr std::size_t kMaxWhy = 400;
constexpr double kSuiteWarmUpSeconds = 1;
constexpr std::uint64_t kLeastMemory = std::uint64_t{4} << 30;  // of a process with the compiled baselines
constexpr const char* kEager = "eager";
const std::string kRival = bench::rival_name(1);

const model::Timing* timing_named(const bench::Timed& timed, const std::string& contender) {
  const auto found = std::find_if(timed.timings.begin(), timed.timings.end(), [&](const model::Timing& timing) { return timing.contender == contender; });
  return found == timed.timings.end() ? nullptr : &*found;
}

Json ratio_json(const std::string& baseline, double median_ms, const Ratio& ratio, bool cached) {
  return {{"baseline", baseline},         {"median_ms", median_ms},        {"ratio", ratio.value}, {"low", ratio.low}, {"high", ratio.high},
          {"confidence", ratio.confidence}, {"certain", ratio.is_certain()}, {"cached", cached}};
}

// Of the row, where a search has found another kernel than the default one.
std::optional<Json> kernel_of_search(const Json& row) {
  const Json told = row.value("optimized", Json::object());
  const bool found = told.value("state", "") == "ended" && told.value("faster", false) && told.value("of", "") == row.at("kernel").value("sha256", "");
  return found ? std::optional(told.at("kernel")) : std::nullopt;
}

// One task: what is known of its baselines, what is measured, and what comes of both.
class TaskTiming {
 public:
  TaskTiming(const SuiteOptions& suite, const SuiteTiming& timing, const TimingMeans& means) : suite_(suite), timing_(timing), means_(means) {}

  Result<Json> run(Json row) {
    const os::TimePoint begin = std::chrono::steady_clock::now();
    bench_ = {{"asked", timing_.contenders}, {"on", suite_.options.device}, {"notes", Json::array()}};
    Result<bench::Timed> timed = measured(row);
    if (!timed && timed.error().kind == ErrorKind::cancelled) return timed.error();
    if (timed) {
      KA_TRY(keep(*timed));
      tell(*timed, row);
      KA_TRY(os::write_file_atomic(fmt::format("{}/{}", suite_.out, bench_["samples"].get<std::string>()), to_pretty_json_text(samples_json(*timed))));
    } else {
      bench_["error"] = elide_middle(timed.error().message, kMaxWhy);
    }
    bench_["seconds"] = os::seconds_since(begin);
    row["bench"] = bench_;
    return row;
  }

 private:
  Result<bench::Timed> measured(const Json& row) {
    KA_TRY(read_subject(row));
    read_rival(row);
    std::optional<os::GpuPool::Slot> alone;
    if (means_.gpus != nullptr) {
      KA_ASSIGN(os::GpuPool::Slot slot, means_.gpus->take(means_.cancel));
      alone.emplace(std::move(slot));
      gpu_ = alone->gpu();
    }
    KA_TRY(look_up());
    KA_ASSIGN(bench::SharedGpu* const shared, means_.shared.gpu(gpu_.value_or(-1)));
    if (timing_.jobs > 1) {
      Result<bench::Timed> timed = bench::time_in_attempts(subject_, timing_options(shared), means_.interpreter, means_.cancel);
      if (!lacked_room(timed)) return timed;
      bench_["notes"].push_back("once more alone, for want of memory beside others");
    }
    KA_ASSIGN(const os::Turns::Turn turn, shared->turns.alone(means_.cancel));
    return bench::time_in_attempts(subject_, timing_options(nullptr), means_.interpreter, means_.cancel);
  }

  // Whether somebody may have failed because others used memory at the same time.
  static bool lacked_room(const Result<bench::Timed>& timed) {
    const auto says = [](const std::string& why) { return why.find("memory") != std::string::npos; };
    if (!timed) return timed.error().kind != ErrorKind::cancelled && says(timed.error().message);
    return std::any_of(timed->failed.begin(), timed->failed.end(), [&](const auto& failed) { return says(failed.second); });
  }

  // The kernel of the search, in the same process as the default one; nothing where it found none.
  void read_rival(const Json& row) {
    const std::optional<Json> kernel = kernel_of_search(row);
    if (!kernel) return;
    const std::string path = fmt::format("{}/{}", suite_.out, kernel->at("path").get<std::string>());
    Result<std::string> text = problem::read_source(path);
    optimized_ = Json{{"sha256", kernel->at("sha256")}};
    if (text) rival_ = {path, std::move(*text), kernel->at("entry").get<std::string>()};
    else (*optimized_)["error"] = elide_middle(text.error().message, kMaxWhy);
  }

  Status read_subject(const Json& row) {
    KA_ASSIGN(const problem::ProblemFile file, problem::read_problem(fmt::format("{}/{}", suite_.folder, row.at("name").get<std::string>())));
    const std::string kernel = fmt::format("{}/{}", suite_.out, row.at("kernel").at("path").get<std::string>());
    KA_ASSIGN(const std::string text, problem::read_source(kernel));
    subject_ = {file.path, file.object, file.text, suite_.mode, kernel, text, row.at("kernel").value("entry", ""), row.value("tier", "")};
    bench_["samples"] = row.at("kernel").at("path").get<std::string>() + ".bench.json";
    return ok();
  }

  bench::BaselineKey key_of(const std::string& contender) const {
    const std::string method = suite_.options.device == "cuda" ? "cuda_events" : "perf_counter";
    return {*machine_, sha256_hex(subject_.problem_text), subject_.problem_object, suite_.mode, method, suite_.options.seed, contender};
  }

  // Which baselines are known from earlier runs.
  Status look_up() {
    if (!timing_.cache) return ok();
    KA_TRY(recognise_machine());
    if (!machine_) return ok();
    for (const std::string& name : timing_.contenders) {
      if (!name.starts_with("compile")) continue;
      Result<std::optional<bench::CachedBaseline>> found = bench::BaselineCache(*timing_.cache).find(key_of(name));
      if (!found) bench_["notes"].push_back(found.error().message + "; measured anew");
      else if (*found) cached_.emplace(name, std::move(**found));
    }
    return ok();
  }

  Status recognise_machine() {
    const Result<bench::Fingerprint> machine = means_.shared.machine(gpu_.value_or(-1), [&]() -> Result<bench::Fingerprint> {
      KA_ASSIGN(const bridge::InterpreterFacts facts, means_.interpreter.start(means_.cancel));
      return bench::fingerprint_of(suite_.options.device, gpu_, facts);
    });
    if (machine) machine_ = *machine;
    else if (machine.error().kind == ErrorKind::cancelled) return machine.error();
    else bench_["notes"].push_back("baselines are not kept: " + machine.error().message);
    return ok();
  }

  bench::TimingOptions timing_options(bench::SharedGpu* shared) const {
    bench::TimingOptions options;
    options.device = suite_.options.device;
    for (const std::string& name : timing_.contenders) {
      if (!cached_.contains(name)) options.contenders.push_back(name);
    }
    options.seed = suite_.options.seed;
    options.rounds = timing_.rounds;
    options.seconds = timing_.seconds;
    options.warmup_seconds = kSuiteWarmUpSeconds;
    options.step_limit = timing_.step_limit;
    if (rival_) options.rivals = {*rival_};
    options.limit = timing_.step_limit * (timing_.contenders.size() + 3);
    options.limits = timing_.limits;
    options.shared = shared;
    if (shared != nullptr) options.limits.memory_bytes = std::max(kLeastMemory, options.limits.memory_bytes / shared->subjects);
    options.only_gpu = gpu_;
    return options;
  }

  // For later runs.
  Status keep(const bench::Timed& timed) const {
    const model::Timing* eager = timing_named(timed, kEager);
    if (!timing_.cache || !machine_ || eager == nullptr) return ok();
    for (const model::Timing& timing : timed.timings) {
      if (timing.contender.starts_with("compile"))
        KA_TRY(bench::BaselineCache(*timing_.cache).keep(key_of(timing.contender), {utc_timestamp(system_wall_clock()()), timing, *eager}));
    }
    return ok();
  }

  void tell(const bench::Timed& timed, Json& row) {
    const model::Timing& kernel = timed.timings[0];
    Json failed = timed.failed;
    failed.erase(kRival);
    const Json ratios = ratios_to(kernel, timed, failed);
    Json medians = {{"kernel", kernel.median_ms}};
    for (const Json& ratio : ratios) medians[ratio["baseline"].get<std::string>()] = ratio["median_ms"];
    bench_.update({{"device", timed.device}, {"kernel_ms", kernel.median_ms}, {"rounds", kernel.samples_ms.size()}, {"median_ms", medians}, {"ratios", ratios},
                   {"failed", failed}});
    if (!ratios.empty()) bench_["best"] = best_of(ratios);
    if (timed.degenerate && !timed.degenerate->empty()) row["degenerate"] = *timed.degenerate;
    tell_floor(row, suite_);
    if (row.contains("floor")) bench_["efficiency"] = efficiency(row, kernel, "the kernel does");
    tell_rival(timed, row);
  }

  // The same of the search's kernel, and its gain over the default one.
  void tell_rival(const bench::Timed& timed, const Json& row) {
    if (!optimized_) return;
    if (const model::Timing* rival = timing_named(timed, kRival)) {
      Json none = Json::object();
      const Json ratios = ratios_to(*rival, timed, none);
      const model::Timing& kernel = timed.timings[0];
      const Json gain = ratio_json("default", kernel.median_ms, ratio_of_medians(kernel.samples_ms, rival->samples_ms), false);
      optimized_->update({{"kernel_ms", rival->median_ms}, {"ratios", ratios}, {"gain", gain}});
      if (!ratios.empty()) (*optimized_)["best"] = best_of(ratios);
      if (row.contains("floor")) (*optimized_)["efficiency"] = efficiency(row, *rival, "the search's kernel does");
    } else if (const auto why = timed.failed.find(kRival); why != timed.failed.end()) {
      (*optimized_)["error"] = elide_middle(why->second, kMaxWhy);
    }
    bench_["optimized"] = *optimized_;
  }

  static Json best_of(const Json& ratios) {
    return *std::min_element(ratios.begin(), ratios.end(), [](const Json& a, const Json& b) { return a["median_ms"] < b["median_ms"]; });
  }

  double efficiency(const Json& row, const model::Timing& kernel, const char* who) {
    const double out = row["floor"]["ms"].get<double>() / kernel.median_ms;
    if (out > 1.0) bench_["notes"].push_back(fmt::format("faster than the floor: {} less than the program, or the time is wrong", who));
    return out;
  }

  // The times of all baselines over this kernel's.
  Json ratios_to(const model::Timing& kernel, const bench::Timed& timed, Json& failed) const {
    const model::Timing* eager = timing_named(timed, kEager);
    Json ratios = Json::array();
    for (const std::string& name : timing_.contenders) {
      const auto cached = cached_.find(name);
      if (cached != cached_.end() && eager == nullptr) {
        failed[name] = "kept from an earlier run, but eager PyTorch, by which it would be scaled, has no time now";
      } else if (cached != cached_.end()) {
        const bench::ScaledBaseline now = bench::scaled(cached->second, *eager, kernel);
        ratios.push_back(ratio_json(name, now.median_ms, now.ratio, true));
      } else if (const model::Timing* timing = timing_named(timed, name); timing != nullptr && name != "kernel") {
        ratios.push_back(ratio_json(name, timing->median_ms, ratio_of_medians(timing->samples_ms, kernel.samples_ms), false));
      }
    }
    return ratios;
  }

  // Every sample of this run, and those of earlier ones that it has used.
  Json samples_json(const bench::Timed& timed) const {
    Json timings = Json::array(), cached = Json::array();
    for (const model::Timing& timing : timed.timings) timings.push_back(model::to_json(timing));
    for (const auto& [name, entry] : cached_) cached.push_back({{"taken", entry.taken}, {"baseline", model::to_json(entry.baseline)}, {"eager", model::to_json(entry.eager)}});
    const auto span = [](const bench::Span& when) { return Json::array({when.begin, when.end}); };
    return {{"device", timed.device}, {"prepared", span(timed.prepared)}, {"sampled", span(timed.sampled)}, {"timings", timings}, {"cached", cached}, {"ratios", bench_["ratios"]}, {"failed", bench_["failed"]},
            {"warm_up_seconds", timed.warm_up_seconds}};
  }

  const SuiteOptions& suite_;
  const SuiteTiming& timing_;
  const TimingMeans& means_;
  bench::Subject subject_;
  std::optional<bench::Fingerprint> machine_;
  std::optional<int> gpu_;
  std::map<std::string, bench::CachedBaseline> cached_;
  std::optional<bench::Rival> rival_;
  std::optional<Json> optimized_;  // of bench_
  Json bench_;
};

}  // namespace

Result<bench::SharedGpu*> SharedTiming::gpu(int number) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<bench::SharedGpu>& found = gpus_[number];
  if (found == nullptr) {
    KA_ASSIGN(found, bench::SharedGpu::of(jobs_));
  }
  return found.get();
}

Result<bench::Fingerprint> SharedTiming::machine(int number, const std::function<Result<bench::Fingerprint>()>& ask) {
  const std::lock_guard lock(mutex_);
  if (const auto known = machines_.find(number); known != machines_.end()) return known->second;
  KA_ASSIGN(const bench::Fingerprint machine, ask());
  return machines_.emplace(number, machine).first->second;
}

void tell_floor(Json& row, const SuiteOptions& suite) {
  if (!suite.gpu || !suite.gpu->peaks() || !row.contains("work")) return;
  const Json& json = row["work"];
  const optimise::Work work{json.value("bytes", 0.0), json.value("product_flops", 0.0), json.value("other_flops", 0.0), json.value("half_flops", 0.0)};
  const optimise::Floor floor = optimise::floor_of(work, *suite.gpu->peaks(), row.value("tier", ""));
  row["floor"] = {{"ms", 1e3 * floor.seconds()}, {"memory_ms", 1e3 * floor.memory_seconds}, {"compute_ms", 1e3 * floor.compute_seconds},
                  {"bound", floor.memory_seconds >= floor.compute_seconds ? "memory" : "compute"}, {"gpu", suite.gpu->device.name}, {"basis", floor.basis}};
}

bool wants_timing(const Json& row, const SuiteOptions& suite, const SuiteTiming& timing) {
  if (timing.contenders.empty() || row.value("status", "") != "verified") return false;
  if (!row.contains("bench")) return true;
  const Json& bench = row["bench"];
  const Json asked = bench.value("asked", Json::array());
  const std::optional<Json> found = kernel_of_search(row);
  if (found && !bench.contains("error") && bench.value("optimized", Json::object()).value("sha256", "") != found->value("sha256", "")) return true;
  return bench.value("on", "") != suite.options.device ||
         std::any_of(timing.contenders.begin(), timing.contenders.end(), [&](const std::string& name) { return std::find(asked.begin(), asked.end(), name) == asked.end(); });
}

Result<Json> time_task(const Json& row, const SuiteOptions& suite, const SuiteTiming& timing, const TimingMeans& means) try {
  return TaskTiming(suite, timing, means).run(row);
} catch (const Json::exception& error) {
  return internal_error(fmt::format("a row of results.jsonl is not what was written ({})", error.what()));
}

}  // namespace ka::pipeline

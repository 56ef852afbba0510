#include "app/cli/ceilings.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "os/environment.h"
#include "os/gpu_lease.h"

namespace ka::app {
namespace {

std::string in_words(double value, bench::Unit unit) {
  switch (unit) {
    case bench::Unit::bytes: return fmt::format("{:.2f} TB/s", value / 1e12);
    case bench::Unit::flops: return fmt::format("{:.1f} TFLOP/s", value / 1e12);
    case bench::Unit::seconds: return fmt::format("{:.2f} us", value * 1e6);
  }
  return "";
}

// A GPU, and its number where CUDA counts them as nvidia-smi does.
struct Target {
  os::Gpu gpu;
  std::optional<int> number;
};

// One GPU of each kind.
Result<std::vector<Target>> targets() {
  KA_ASSIGN(const std::vector<os::Gpu> gpus, os::query_gpus(os::Deadline::in(std::chrono::seconds(10))));
  const std::optional<std::vector<int>> visible = os::visible_gpus(gpus, os::get_env("CUDA_VISIBLE_DEVICES"));
  if (gpus.empty() || (visible && visible->empty()))
    return environment_error("--measure-ceilings: this machine has no NVIDIA GPU that programs may use; run it where there is one");
  if (!visible) return std::vector<Target>{{gpus[0], std::nullopt}};
  std::vector<Target> out;
  for (const int number : *visible) {
    const os::Gpu& gpu = *std::find_if(gpus.begin(), gpus.end(), [&](const os::Gpu& one) { return one.index == number; });
    const auto is_same = [&](const Target& other) { return bench::ceilings_file(gpu) == bench::ceilings_file(other.gpu); };
    if (std::none_of(out.begin(), out.end(), is_same)) out.push_back({gpu, number});
  }
  return out;
}

Result<bench::Ceilings> measured(const Target& target, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  bench::CeilingOptions options;
  options.only_gpu = target.number;
  std::optional<os::GpuLease> lease;
  if (target.number) {
    if (const std::string holder = os::gpu_holder(*target.number); !holder.empty()) fmt::print(stderr, "doctor: waiting for GPU {}, leased by {}\n", *target.number, holder);
    const std::array<int, 1> numbers = {*target.number};
    KA_ASSIGN(os::GpuLease taken, os::GpuLease::acquire_any(numbers, "kernelagent doctor", os::Deadline::never(), cancel));
    lease.emplace(std::move(taken));
  }
  return bench::measure_ceilings(target.gpu, options, interpreter, cancel);
}

Json json_of(const bench::Ceilings& ceilings, const ir::Gpu* known, const std::string& file) {
  Json out = bench::to_json(ceilings);
  out["file"] = file;
  out["shares"] = Json::object();
  for (const bench::CeilingRow& row : bench::kCeilings) {
    if (known != nullptr && row.peak != nullptr) out["shares"][row.name] = ceilings.value(row.name) / row.peak(*known);
  }
  return out;
}

}  // namespace

std::string ceilings_text(const bench::Ceilings& ceilings, const ir::Gpu* known) {
  std::string out = fmt::format("{}, driver {}, power limit {}, {}\n", ceilings.gpu, ceilings.driver,
                                ceilings.power_limit_watts > 0 ? fmt::format("{:g} W", ceilings.power_limit_watts) : "not known", ceilings.measured);
  out += fmt::format("{:<40} {:>15} {:>15} {:>8}  {}\n", "ceiling", "measured", "data sheet", "share", "how");
  for (const bench::CeilingRow& row : bench::kCeilings) {
    const bench::CeilingWay& way = ceilings.best(row.name);
    const double value = way.value(row.unit), peak = known != nullptr && row.peak != nullptr ? row.peak(*known) : 0;
    out += fmt::format("{:<40} {:>15} {:>15} {:>8}  {}, {} samples\n", row.title, in_words(value, row.unit), peak > 0 ? in_words(peak, row.unit) : "-",
                       peak > 0 ? fmt::format("{:.1f} %", 100 * value / peak) : "-", way.how, way.seconds.size());
  }
  if (known == nullptr) out += "data/gpus.json has no row for this GPU: there is nothing to compare with\n";
  return out;
}

std::string ceilings_line(const bench::Ceilings& ceilings) {
  return fmt::format("{}, float16 {}, measured {}", in_words(std::max(ceilings.value("copy_bytes"), ceilings.value("read_bytes")), bench::Unit::bytes),
                     in_words(ceilings.value("float16_flops"), bench::Unit::flops), ceilings.measured.substr(0, ceilings.measured.find('T')));
}

Result<int> measure_ceilings(const Arguments& arguments, AppContext& context) {
  KA_ASSIGN(const std::vector<Target> all, targets());
  KA_ASSIGN(const std::string python, bridge::find_interpreter());
  bridge::WarmInterpreter interpreter({python});
  KA_TRY(interpreter.start(context.cancel));
  Json list = Json::array();
  for (const Target& target : all) {
    const os::TimePoint begin = std::chrono::steady_clock::now();
    KA_ASSIGN(const bench::Ceilings ceilings, measured(target, interpreter, context.cancel));
    const double seconds = os::seconds_since(begin);
    KA_TRY(bench::keep_ceilings(target.gpu, ceilings));
    const ir::Gpu* const known = ir::gpu_by_title(target.gpu.name);
    list.push_back(json_of(ceilings, known, bench::ceilings_file(target.gpu)));
    if (!arguments.has("--json")) fmt::print("{}measured in {:.1f} s, kept in {}\n", ceilings_text(ceilings, known), seconds, bench::ceilings_file(target.gpu));
  }
  if (arguments.has("--json")) fmt::print("{}", to_pretty_json_text({{"schema", 1}, {"ceilings", list}}));
  return 0;
}

}  // namespace ka::app

#include "app/cli/doctor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/ceilings.h"
#include "app/cli/settings.h"
#include "base/json_fields.h"
#include "bridge/warm_interpreter.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/gpu.h"
#include "os/gpu_lease.h"
#include "os/machine.h"
#include "os/sandbox.h"

namespace ka::app {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kEnoughDisk = 2 * kGiB;
constexpr std::uint64_t kEnoughMemory = 4 * kGiB;
constexpr double kWarmStartTarget = 2.0;

enum class Health { good, worse, missing };

struct Finding {
  std::string what;
  Health health = Health::good;
  std::string value;
  std::string remedy;  // empty when nothing is to be done
};

const char* to_string(Health health) {
  switch (health) {
    case Health::good: return "ok";
    case Health::worse: return "limited";
    case Health::missing: return "missing";
  }
  return "missing";
}

void examine_machine(std::vector<Finding>& findings) {
  Result<os::Machine> machine = os::query_machine(".");
  if (!machine) {
    findings.push_back({"machine", Health::worse, machine.error().message, ""});
    return;
  }
  findings.push_back({"machine", Health::good, fmt::format("{} cores, Linux {}", machine->cores, machine->kernel), ""});
  const double memory = static_cast<double>(machine->memory_available) / static_cast<double>(kGiB);
  const bool enough_memory = machine->memory_available >= kEnoughMemory;
  findings.push_back({"memory", enough_memory ? Health::good : Health::worse, fmt::format("{:.1f} GiB free", memory),
                      enough_memory ? "" : "free some memory: PyTorch and a kernel need about 4 GiB"});
  const bool enough_disk = machine->disk_free >= kEnoughDisk;
  findings.push_back({"disk", enough_disk ? Health::good : Health::worse,
                      fmt::format("{:.1f} GiB free here", static_cast<double>(machine->disk_free) / static_cast<double>(kGiB)),
                      enough_disk ? "" : "free some disk space: runs and caches need about 2 GiB"});
}

void examine_interpreter(std::vector<Finding>& findings, const os::CancelToken& cancel) {
  Result<std::string> python = bridge::find_interpreter();
  if (!python) {
    findings.push_back({"interpreter", Health::missing, python.error().message,
                        "run ./kernelagent once, or set KERNELAGENT_PYTHON"});
    return;
  }
  bridge::WarmInterpreter interpreter({*python});
  const os::TimePoint begin = std::chrono::steady_clock::now();
  Result<bridge::InterpreterFacts> facts = interpreter.start(cancel);
  if (!facts) {
    findings.push_back({"interpreter", Health::missing, facts.error().message,
                        fmt::format("install torch, triton and numpy for {} (python/requirements.txt has the versions)", *python)});
    return;
  }
  const double seconds = os::seconds_since(begin);
  findings.push_back({"interpreter", Health::good,
                      fmt::format("{} (Python {}, torch {}, triton {}, numpy {})", *python, facts->python, facts->torch,
                                  facts->triton, facts->numpy), ""});
  findings.push_back({"warm start", seconds <= kWarmStartTarget ? Health::good : Health::worse,
                      fmt::format("{:.2f} s", seconds),
                      seconds <= kWarmStartTarget ? "" : "a second run is faster when the file cache is warm"});
  os::SandboxRequest request;
  Result<bridge::Child> child = interpreter.spawn("policy", request, cancel);
  findings.push_back(child ? Finding{"forked child", Health::good, "enters the sandbox", ""}
                           : Finding{"forked child", Health::missing, child.error().message,
                                     "see the sandbox lines; KERNELAGENT_SANDBOX_AT_MOST=process asks for less"});
}

void examine_sandbox(std::vector<Finding>& findings) {
  const os::SandboxSupport& support = os::probe_sandbox();
  const Health health = support.level == os::SandboxLevel::none   ? Health::missing
                        : support.level == os::SandboxLevel::full ? Health::good
                                                                  : Health::worse;
  findings.push_back({"sandbox", health, fmt::format("level {}", os::to_string(support.level)), ""});
  for (const auto& missing : support.missing)
    findings.push_back({"sandbox: " + missing.part, Health::worse, missing.reason, missing.remedy});
}

void examine_gpu(std::vector<Finding>& findings) {
  Result<std::vector<os::Gpu>> gpus = os::query_gpus(os::Deadline::in(std::chrono::seconds(10)));
  if (!gpus || gpus->empty()) {
    findings.push_back({"gpu", Health::worse, "none: kernels run in Triton's interpreter and are compiled for sm_90",
                        "to judge at full size and to measure, use a machine with an NVIDIA GPU"});
    return;
  }
  for (const os::Gpu& gpu : *gpus) {
    const std::string holder = os::gpu_holder(gpu.index);
    findings.push_back({fmt::format("gpu {}", gpu.index), Health::good,
                        fmt::format("{}, compute capability {}, {:.0f} GiB, driver {}{}", gpu.name, gpu.compute_capability,
                                    static_cast<double>(gpu.memory_bytes) / static_cast<double>(kGiB), gpu.driver,
                                    holder.empty() ? "" : ", leased by " + holder), ""});
    const std::optional<bench::Ceilings> ceilings = bench::kept_ceilings(gpu);
    findings.push_back({fmt::format("ceilings of gpu {}", gpu.index), Health::good, ceilings ? ceilings_line(*ceilings) : "not measured: efficiencies are by the data sheet",
                        ceilings ? "" : "kernelagent doctor --measure-ceilings takes 20 seconds"});
  }
}

Json settings_json(const Settings& settings) {
  Json list = Json::array();
  for (const SettingValue& value : settings.values())
    list.push_back({{"name", value.row->name}, {"value", value.text}, {"from", value.where}, {"flags", value.row->flags}, {"variable", value.row->variable}, {"help", value.row->help}});
  return list;
}

void print_settings(const Settings& settings) {
  fmt::print("\nsettings (docs/settings.md):\n");
  for (const SettingValue& value : settings.values()) fmt::print("{:<8} {:<22} {:<26} {}\n", "", value.row->name, value.text.empty() ? "-" : value.text, value.where);
}

}  // namespace

Result<int> run_doctor(const Arguments& arguments, AppContext& context) {
  if (!arguments.positional().empty())
    return invalid_input(fmt::format("unexpected argument \"{}\"", arguments.positional()[0]));
  if (arguments.has("--measure-ceilings")) return measure_ceilings(arguments, context);
  std::vector<Finding> findings = {{"kernelagent", Health::good, KA_VERSION, ""}};
  examine_machine(findings);
  examine_interpreter(findings, context.cancel);
  examine_sandbox(findings);
  examine_gpu(findings);

  bool usable = true;
  Json list = Json::array();
  for (const Finding& finding : findings) {
    usable = usable && finding.health != Health::missing;
    list.push_back({{"what", finding.what}, {"health", to_string(finding.health)}, {"value", finding.value}, {"remedy", finding.remedy}});
    if (arguments.has("--json")) continue;
    fmt::print("{:<8} {:<18} {}\n", to_string(finding.health), finding.what, finding.value);
    if (!finding.remedy.empty()) fmt::print("{:<27} -> {}\n", "", finding.remedy);
  }
  if (arguments.has("--json")) fmt::print("{}", to_pretty_json_text(Json{{"schema", 1}, {"usable", usable}, {"findings", list}, {"settings", settings_json(arguments.settings())}}));
  else print_settings(arguments.settings());
  if (!arguments.has("--json")) fmt::print("\n{}\n", usable ? "kernelagent can verify kernels on this machine." : "kernelagent cannot work on this machine yet: see the lines marked missing.");
  return usable ? 0 : 3;
}

}  // namespace ka::app

#include "optimise/facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ka::optimise {
namespace {

constexpr double kUsPerMs = 1e3, kWideBits = 128;

void put(Facts& facts, const char* name, const std::optional<std::int64_t>& value) {
  if (value) facts[name] = static_cast<double>(*value);
}

void put(Facts& facts, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) facts[name] = *value;
}

std::optional<double> get(const Facts& facts, std::string_view name) {
  const auto found = facts.find(name);
  return found == facts.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> share_pct(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || *whole <= 0) return std::nullopt;
  return 100 * *part / *whole;
}

// Each kind of instruction is known, as 0 where there is none, as soon as the code was read.
void put_instructions(Facts& facts, const std::map<std::string, std::int64_t>& mix) {
  if (!mix.contains("total")) return;
  double loads = 0, wide = 0, copies = 0;
  for (const auto& [kind, count] : mix) {
    const auto number = static_cast<double>(count);
    facts["static." + kind] = number;
    const bool copy = kind.starts_with("async_copy") || kind == "bulk_copy";
    if (copy) copies += number;
    if (!kind.starts_with("global_load_")) continue;
    loads += number;
    if (std::atoi(kind.c_str() + std::string_view("global_load_").size()) >= kWideBits) wide += number;
  }
  for (const char* kind : {"local_load", "local_store", "shared_load", "shared_store", "fp32", "fp32_fma", "fp64", "special", "integer", "atomic", "barrier"})
    facts.try_emplace(std::string("static.") + kind, 0);
  facts.try_emplace("static.tensor_tf32", 0);
  facts["static.tensor"] += facts["static.tensor_tf32"];
  facts["static.global_loads"] = loads;
  facts["static.copies"] = copies;
  put(facts, "derived.wide_loads_pct", share_pct(wide, loads));
  put(facts, "derived.integer_pct", share_pct(facts["static.integer"], facts["static.total"]));
  put(facts, "derived.special_pct", share_pct(facts["static.special"], facts["static.total"]));
}

}  // namespace

Facts kernel_facts(const model::KernelProfile& kernel, std::string_view tier) {
  Facts facts;
  for (const auto& [name, value] : kernel.metrics) put(facts, name.c_str(), std::optional(value));
  put(facts, "static.registers", kernel.registers);
  put(facts, "static.spills", kernel.spills);
  put(facts, "static.stack_bytes", kernel.stack_bytes);
  put(facts, "static.shared_bytes", kernel.shared_bytes);
  put(facts, "static.occupancy_pct", kernel.occupancy_pct);
  put(facts, "static.waves", kernel.waves);
  facts["static.launches"] = static_cast<double>(kernel.launches);
  put_instructions(facts, kernel.instructions);
  if (kernel.waves && *kernel.waves > 1) facts["derived.tail_idle_pct"] = 100 * (std::ceil(*kernel.waves) - *kernel.waves) / std::ceil(*kernel.waves);
  const std::optional<double> memory = get(facts, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
  const std::optional<double> compute = get(facts, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  if (memory && compute) facts["derived.memory_minus_compute_pct"] = *memory - *compute;
  put(facts, "derived.bank_conflict_pct",
      share_pct(get(facts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"), get(facts, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")));
  if (tier.empty()) return facts;
  facts["tier.fp32_asked"] = tier == "fp32" ? 1 : 0;
  facts["tier.half_allowed"] = tier == "tf32" || tier == "half" ? 1 : 0;
  return facts;
}

Facts program_facts(const model::Profile& profile) {
  Facts facts;
  double launches = 0, most_waves = 0, time_ms = 0;
  bool timed = !profile.kernels.empty(), sized = !profile.kernels.empty();
  for (const model::KernelProfile& kernel : profile.kernels) {
    launches += static_cast<double>(kernel.launches);
    timed = timed && kernel.time_ms.has_value();
    sized = sized && kernel.waves.has_value();
    time_ms += kernel.time_ms.value_or(0);
    most_waves = std::max(most_waves, kernel.waves.value_or(0));
  }
  facts["program.launches"] = launches;
  if (timed && launches > 0) facts["program.us_per_launch"] = kUsPerMs * time_ms / launches;
  if (sized) facts["program.most_waves"] = most_waves;
  return facts;
}

}  // namespace ka::optimise

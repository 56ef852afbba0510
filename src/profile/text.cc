#include "profile/text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"
#include "profile/ncu_metrics.h"

namespace ka::profile {
namespace {

constexpr std::size_t kNameColumns = 28, kColumns = 98;
constexpr double kMegabyte = 1e6;

std::string or_dash(const std::optional<std::int64_t>& value) { return value ? fmt::format("{}", *value) : "-"; }

std::string bytes_text(const std::optional<std::int64_t>& bytes) {
  if (!bytes) return "-";
  return *bytes < 1024 ? fmt::format("{} B", *bytes) : fmt::format("{:.1f} KiB", static_cast<double>(*bytes) / 1024);
}

std::string grid_text(const std::vector<std::int64_t>& grid) {
  std::vector<std::int64_t> shown = grid;
  while (shown.size() > 1 && shown.back() == 1) shown.pop_back();
  return shown.empty() ? "-" : fmt::format("{}", fmt::join(shown, "x"));
}

// "global_load_128" 32 as "global load 128 bit 32"; the most frequent first.
std::string mix_text(const std::map<std::string, std::int64_t>& mix) {
  const auto total = mix.find("total");
  if (total == mix.end()) return "";
  std::vector<std::pair<std::string, std::int64_t>> kinds;
  for (const auto& [kind, count] : mix)
    if (kind != "total" && kind != "other") kinds.emplace_back(kind, count);
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = fmt::format("{} instructions", total->second);
  for (auto& [kind, count] : kinds) {
    if (const std::size_t last = kind.rfind('_'); last != std::string::npos && kind.find_first_of("0123456789", last) == last + 1) kind += " bit";
    std::replace(kind.begin(), kind.end(), '_', ' ');
    out += fmt::format(", {} {}", count, kind);
  }
  return out;
}

// "0.0259 ms (5.4 % of all); memory throughput 88.4 %, ..."; empty where nothing was counted.
std::string counters_text(const model::KernelProfile& kernel, double all_ms) {
  std::vector<std::string> said;
  for (const Metric& metric : kMetrics) {
    const auto found = kernel.metrics.find(std::string(metric.name));
    if (metric.label.empty() || found == kernel.metrics.end()) continue;
    if (metric.unit == "%") said.push_back(fmt::format("{:.1f} % {}", found->second, metric.label));
    else said.push_back(fmt::format("{:.2f} MB {}", found->second / kMegabyte, metric.label));
  }
  std::string out = kernel.time_ms ? fmt::format("{:.4f} ms", *kernel.time_ms) : "";
  if (kernel.time_ms && all_ms > 0) out += fmt::format(" ({:.0f} % of all)", 100 * *kernel.time_ms / all_ms);
  return out + (out.empty() || said.empty() ? "" : ": ") + join(said, ", ");
}

}  // namespace

std::string profile_text(const model::Profile& profile) {
  std::string out = fmt::format("{}: {}\n", profile.device, profile.source == "static" ? "static facts of the compiled code" : "hardware counters (Nsight Compute)");
  out += fmt::format("{:<{}} {:>6} {:<12} {:>5} {:>6} {:>4} {:>6} {:>9} {:>9} {:>6}\n", "kernel", kNameColumns, "calls", "grid", "warps", "stages", "regs", "spills", "shared",
                     "occupancy", "waves");
  double all_ms = 0;
  for (const model::KernelProfile& kernel : profile.kernels) all_ms += kernel.time_ms.value_or(0);
  for (const model::KernelProfile& kernel : profile.kernels) {
    out += fmt::format("{:<{}} {:>6} {:<12} {:>5} {:>6} {:>4} {:>6} {:>9} {:>9} {:>6}\n", elide_middle(kernel.name, kNameColumns), kNameColumns, kernel.launches,
                       grid_text(kernel.grid), kernel.num_warps, kernel.num_stages, or_dash(kernel.registers), or_dash(kernel.spills), bytes_text(kernel.shared_bytes),
                       kernel.occupancy_pct ? fmt::format("{:.1f} %", *kernel.occupancy_pct) : "-", kernel.waves ? fmt::format("{:.2f}", *kernel.waves) : "-");
    if (const std::string counters = counters_text(kernel, all_ms); !counters.empty()) out += fold(counters, 2, kColumns);
    if (!kernel.occupancy_limit.empty()) out += fold("occupancy is bounded by " + kernel.occupancy_limit, 2, kColumns);
    if (const std::string mix = mix_text(kernel.instructions); !mix.empty()) out += fold(mix, 2, kColumns);
  }
  if (!profile.limits.empty()) out += fold("limits: " + profile.limits, 0, kColumns);
  return out;
}

}  // namespace ka::profile

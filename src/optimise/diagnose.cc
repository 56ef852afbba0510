#include "optimise/diagnose.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"
#include "optimise/facts.h"
#include "optimise/rules.h"

namespace ka::optimise {
namespace {

constexpr std::size_t kColumns = 98;

bool holds(const Condition& condition, const Facts& facts) {
  const auto found = facts.find(condition.metric);
  if (found == facts.end()) return false;
  switch (condition.compare) {
    case Compare::at_least: return found->second >= condition.limit;
    case Compare::at_most: return found->second <= condition.limit;
  }
  return false;
}

bool holds(const Rule& rule, const Facts& facts) {
  return facts.contains(rule.severity.metric) &&
         std::all_of(rule.conditions.begin(), rule.conditions.end(), [&](const Condition& condition) { return condition.metric.empty() || holds(condition, facts); });
}

double severity(const Severity& row, const Facts& facts) {
  return std::clamp((facts.find(row.metric)->second - row.none) / (row.worst - row.none), 0.0, 1.0);
}

model::Bottleneck bottleneck_of(const Rule& rule, const Facts& facts, const std::string& kernel, double share) {
  model::Bottleneck out;
  out.category = rule.category;
  out.rule = rule.name;
  out.kernel = kernel;
  out.summary = rule.summary;
  out.confidence = rule.confidence;
  out.score = severity(rule.severity, facts) * rule.confidence * share;
  model::RootCause cause;
  cause.cause = rule.cause;
  for (const Condition& condition : rule.conditions) {
    if (condition.metric.empty()) continue;
    const double value = facts.find(condition.metric)->second;
    cause.evidence.push_back({std::string(condition.metric), value, std::string(condition.meaning), {}});
    const bool yes_or_no = condition.metric.starts_with("tier.");
    out.reasoning += fmt::format("{}{}{}", out.reasoning.empty() ? "" : "; ", yes_or_no ? "" : fmt::format("{:.4g} ", value), condition.meaning);
  }
  for (const RuleFix& fix : rule.fixes)
    if (!fix.fix.empty()) cause.fixes.push_back({std::string(fix.fix), std::string(fix.rationale), {}});
  out.root_causes.push_back(std::move(cause));
  return out;
}

// Of the time of all kernels; where no times are known every kernel counts alike.
double share_of(const model::KernelProfile& kernel, double all_ms) { return kernel.time_ms && all_ms > 0 ? *kernel.time_ms / all_ms : 1; }

}  // namespace

model::Diagnosis diagnose(const model::Profile& profile, std::string_view tier) {
  model::Diagnosis out;
  out.candidate_sha256 = profile.candidate_sha256;
  out.decided_by = "rules";
  double all_ms = 0;
  for (const model::KernelProfile& kernel : profile.kernels) all_ms += kernel.time_ms.value_or(0);
  const Facts whole = program_facts(profile);
  for (const Rule& rule : all_rules())
    if (rule.scope == Scope::program && holds(rule, whole)) out.bottlenecks.push_back(bottleneck_of(rule, whole, "", 1));
  for (const model::KernelProfile& kernel : profile.kernels) {
    const Facts facts = kernel_facts(kernel, tier);
    const auto tensor = facts.find("static.tensor");
    out.roofline.uses_tensor_cores = out.roofline.uses_tensor_cores || (tensor != facts.end() && tensor->second > 0);
    for (const Rule& rule : all_rules())
      if (rule.scope == Scope::kernel && holds(rule, facts)) out.bottlenecks.push_back(bottleneck_of(rule, facts, kernel.name, share_of(kernel, all_ms)));
  }
  std::stable_sort(out.bottlenecks.begin(), out.bottlenecks.end(), [](const model::Bottleneck& a, const model::Bottleneck& b) { return a.score > b.score; });
  out.category = out.bottlenecks.empty() ? "unknown" : out.bottlenecks[0].category;
  out.roofline.warnings.push_back("no roofline: no time was measured");
  return out;
}

std::string diagnosis_text(const model::Diagnosis& diagnosis, std::size_t most) {
  std::string out;
  const model::Roofline& roof = diagnosis.roofline;
  if (roof.efficiency_pct > 0)
    out += fmt::format("roofline: {:.1f} % of what the GPU can do{} (memory {:.1f} %, arithmetic {:.1f} %)\n", roof.efficiency_pct,
                       roof.basis ? " " + *roof.basis : "", roof.memory_pct, roof.compute_pct);
  for (const std::string& warning : roof.warnings)
    if (roof.efficiency_pct > 0) out += fold("warning: " + warning, 0, kColumns);
  if (diagnosis.bottlenecks.empty()) return out + "diagnosis: nothing stands out in what is known\n";
  out += "diagnosis:\n";
  for (std::size_t i = 0; i < std::min(most, diagnosis.bottlenecks.size()); ++i) {
    const model::Bottleneck& one = diagnosis.bottlenecks[i];
    const std::string where = one.kernel.empty() ? "" : " in " + one.kernel;
    out += fold(fmt::format("{}. {}{}: {} (score {:.2f}, confidence {:.2f})", i + 1, one.rule, where, one.summary, one.score, one.confidence), 2, kColumns);
    out += fold("seen: " + one.reasoning, 5, kColumns);
    for (const model::RootCause& cause : one.root_causes)
      for (const model::Fix& fix : cause.fixes) out += fold(fmt::format("try: {} ({})", fix.fix, fix.rationale), 5, kColumns);
  }
  if (diagnosis.bottlenecks.size() > most) out += fmt::format("  and {} more (--json has all)\n", diagnosis.bottlenecks.size() - most);
  return out;
}

}  // namespace ka::optimise

#include "route/decide.h"

#include <array>

#include <fmt/format.h>

#include "base/hash.h"

namespace ka::route {
namespace {

constexpr const char* kDirect = "kernelagent";
constexpr const char* kFuse = "fuser";
constexpr std::int64_t kLongChain = 4;  // operations in a row that one kernel rarely holds
constexpr double kSure = 1.0, kLikely = 0.7;

struct Seen {
  const model::RouteFeatures& features;
  const std::optional<PlanFacts>& plan;
};

// What a row saw, when it matches; nothing otherwise.
using Test = std::optional<std::string> (*)(const Seen& seen);

struct Rule {
  const char* name;
  const char* text;  // what it says, for people
  const char* strategy;
  double confidence;
  Test test;
};

std::string at_lines(const Seen& seen, const char* feature) {
  const auto found = seen.features.lines.find(feature);
  if (found == seen.features.lines.end() || found->second.empty()) return "in the source";
  return fmt::format("line{} {}", found->second.size() == 1 ? "" : "s", fmt::join(found->second, ", "));
}

// First match decides.
constexpr auto kRules = std::to_array<Rule>({
    {"one_kernel", "a graph that becomes one kernel is written directly", kDirect, kSure,
     [](const Seen& seen) -> std::optional<std::string> {
       if (!seen.plan || seen.plan->kernels > 1) return std::nullopt;
       return fmt::format("{} operations became {} kernel{}", seen.plan->operators, seen.plan->kernels, seen.plan->kernels == 1 ? "" : "s");
     }},
    {"several_kernels", "a graph that becomes several kernels is fused and composed", kFuse, kSure,
     [](const Seen& seen) -> std::optional<std::string> {
       if (!seen.plan || seen.plan->kernels < 2) return std::nullopt;
       return fmt::format("{} operations became {} kernels", seen.plan->operators, seen.plan->kernels);
     }},
    {"attention", "attention is several contractions around a softmax", kFuse, kLikely,
     [](const Seen& seen) -> std::optional<std::string> {
       if (!seen.features.has_attention_like) return std::nullopt;
       return at_lines(seen, "attention");
     }},
    {"conv_transpose", "a transposed convolution is rarely one kernel with what follows it", kFuse, kLikely,
     [](const Seen& seen) -> std::optional<std::string> {
       if (!seen.features.has_conv_transpose) return std::nullopt;
       return at_lines(seen, "conv_transpose");
     }},
    {"control_flow", "loops and branches in forward mean a program of parts", kFuse, kLikely,
     [](const Seen& seen) -> std::optional<std::string> {
       if (!seen.features.has_control_flow) return std::nullopt;
       return at_lines(seen, "control_flow");
     }},
    {"group_norm_block", "a group norm beside a convolution or a pool needs the whole image first", kFuse, kLikely,
     [](const Seen& seen) -> std::optional<std::string> {
       if (!seen.features.has_group_norm || !(seen.features.has_conv || seen.features.pool_ops > 0)) return std::nullopt;
       return fmt::format("group_norm with {}", seen.features.has_conv ? "a convolution" : "a pool");
     }},
    {"long_chain", "many operations in a row are several kernels", kFuse, kLikely,
     [](const Seen& seen) -> std::optional<std::string> {
       if (seen.features.chain_length < kLongChain) return std::nullopt;
       return fmt::format("{} operations in a row, {} is many", seen.features.chain_length, kLongChain);
     }},
    {"short_program", "everything else is tried as one kernel", kDirect, kLikely,
     [](const Seen& seen) -> std::optional<std::string> {
       return fmt::format("{} operation{} in a row", seen.features.chain_length, seen.features.chain_length == 1 ? "" : "s");
     }},
});

}  // namespace

model::Route decide(const model::RouteFeatures& features, const std::optional<PlanFacts>& plan, const std::string& problem_text) {
  model::Route route;
  route.decided_by = "rules";
  route.features = features;
  route.problem_sha256 = sha256_hex(problem_text);
  const Seen seen{features, plan};
  for (const Rule& rule : kRules) {
    const std::optional<std::string> saw = rule.test(seen);
    if (saw && route.strategy.empty()) {
      route.strategy = rule.strategy;
      route.confidence = rule.confidence;
      route.rationale = fmt::format("{}: {}", rule.text, *saw);
    }
    route.rules.push_back({rule.name, saw.has_value(), saw ? fmt::format("{}: {}", rule.text, *saw) : rule.text, {}});
  }
  return route;
}

void take_direct(model::Route& route, const std::string& rule, const std::string& reason) {
  if (route.strategy == kDirect) return;
  route.strategy = kDirect;
  route.rationale = reason;
  route.rules.insert(route.rules.begin(), {rule, true, reason, {}});
}

const char* word_of(const model::Route& route) { return route.strategy == kDirect ? "direct" : "fuse"; }

std::string to_text(const model::Route& route) {
  std::string out = fmt::format("route: {} ({})\n", word_of(route), route.rationale);
  for (const model::RouteRule& rule : route.rules) out += fmt::format("  {} {:<17} {}\n", rule.matched ? "yes" : "no ", rule.name, rule.reason);
  return out;
}

}  // namespace ka::route

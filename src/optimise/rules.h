// From numbers to bottlenecks: one row per rule. A rule holds when all of its conditions do; a number that is not known makes it silent.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace ka::optimise {

enum class Compare { at_least, at_most };

struct Condition {
  std::string_view metric;  // of facts.h; empty: no condition
  Compare compare = Compare::at_least;
  double limit = 0;
  std::string_view meaning = "";  // of the number that was seen, for people
};

struct RuleFix {
  std::string_view fix, rationale;
};

// How bad it is, from 0 to 1, by one number: `none` is not bad at all, `worst` cannot be worse.
struct Severity {
  std::string_view metric;
  double none = 0, worst = 1;
};

enum class Scope { kernel, program };

struct Rule {
  std::string_view name;
  std::string_view category;  // "memory", "compute", "underutilized"
  Scope scope = Scope::kernel;
  std::string_view summary, cause;
  std::array<Condition, 4> conditions;
  Severity severity;
  double confidence = 0;  // that this holds the kernel back when the conditions hold
  std::array<RuleFix, 3> fixes;
};

// In the order in which rules of the same score are listed.
std::span<const Rule> all_rules();

}  // namespace ka::optimise

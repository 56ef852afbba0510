// Every rule of the judge: its name, what it demands, and the sentence that a refused kernel's author reads.
// The table in rules.cc is the whole list; a verdict names exactly one of these rows.
#pragma once

#include <span>
#include <string_view>

namespace ka::verify {

struct Rule {
  std::string_view name;     // "policy.import": also the name in verdicts, tests and docs
  std::string_view demands;  // what an honest kernel does
  std::string_view reason;   // what a refused one did
  std::string_view remedy;   // what would be accepted
};

// In the order in which the judge checks them.
std::span<const Rule> all_rules();
// The row of that name, or nullptr.
const Rule* find_rule(std::string_view name);

}  // namespace ka::verify

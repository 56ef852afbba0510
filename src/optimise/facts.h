// What is known about a profile as numbers by name, for the rules: the profiler's own names, the facts of the compiled code ("static.spills"),
// what follows from both ("derived.tail_idle_pct"), the program as a whole ("program.launches") and the precision tier ("tier.half_allowed").
// A number that is not known is not there.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/profile.h"

namespace ka::optimise {

using Facts = std::map<std::string, double, std::less<>>;

// Of one kernel; `tier` is "fp32", "tf32", "half" or, empty, not known.
Facts kernel_facts(const model::KernelProfile& kernel, std::string_view tier);
Facts program_facts(const model::Profile& profile);

}  // namespace ka::optimise

// The table that `ncu --csv --page raw` writes: one row per launch, a row of units below the header. Read strictly: a number that cannot be
// understood is missing, a table that does not hold together is invalid_input.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/profile.h"

namespace ka::profile {

struct CountedLaunch {
  std::string kernel;
  std::array<std::int64_t, 3> block = {1, 1, 1}, grid = {1, 1, 1};
  std::map<std::string, double> metrics;  // in bytes, seconds, percent: units without prefixes
};

// Lines of ncu's own messages ("==PROF== ...") may stand before, between and after. No table at all: the message that says why, in a
// sentence with what to do; else invalid_input.
Result<std::vector<CountedLaunch>> parse_ncu(std::string_view text);

// All launches of a kernel (its name, its block, its registers) as one, in the order of their first launch; see Sum in ncu_metrics.h. A count that one of the
// launches lacks is left out; a rate is the mean of those that have it.
std::vector<model::KernelProfile> aggregated(const std::vector<CountedLaunch>& launches);

// What a unit of that table is in units without prefixes: "Mbyte/second" 1e6; 0 for one that is not known.
double unit_factor(std::string_view unit);

// Metrics that this version of ncu says it does not know.
std::vector<std::string> unknown_metrics(std::string_view text);

}  // namespace ka::profile

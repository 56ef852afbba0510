// What keeps the kernels of a profile from being faster, by rule (rules.cc): ranked, each with the numbers that say so and what to try. Works with whatever is known:
// static facts alone, or some of the counters.
#pragma once

#include <string>
#include <string_view>

#include "model/diagnosis.h"
#include "model/profile.h"

namespace ka::optimise {

// `tier`: the precision that the kernel must have ("fp32", "tf32", "half"); empty where that is not known, and then rules about it say nothing.
model::Diagnosis diagnose(const model::Profile& profile, std::string_view tier = "");

// For people, at most 100 columns wide; the first `most` bottlenecks, and how many more there are.
std::string diagnosis_text(const model::Diagnosis& diagnosis, std::size_t most = 5);

}  // namespace ka::optimise

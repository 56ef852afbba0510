// Two kernel files for one problem on the GPU: how many times as fast the second is.
#pragma once

#include <string>

#include "pipeline/judging.h"

namespace ka::pipeline {

struct Runner {
  std::string path, text;  // of its file
  std::string entry, tier;  // as the judge found them
};

// Both are timed twice in turn, the better time of each counts. Errors: cancelled, or a sentence about why nothing could be timed.
Result<double> speed_up(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, const Runner& before, const Runner& after, const Means& means);

// Less is noise.
inline constexpr double kFasterBy = 1.03;

}  // namespace ka::pipeline

// What a run is asked for.
#pragma once

#include <optional>

#include "pipeline/dispatch.h"

namespace ka::pipeline {

struct RunOptions {
  verify::ProblemSource problem;
  DispatchOptions dispatch;
  std::size_t jobs = 0;          // 0: as many as the machine can take
  bool verify = true;            // the composed program as a whole
  bool allow_torch = false;      // a part without a kernel stays PyTorch, and everybody is told
  std::optional<verify::TestScript> test = {};  // that the composed program must pass as well
};

}  // namespace ka::pipeline

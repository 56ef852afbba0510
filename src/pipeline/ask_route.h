// A language model's word about the route. Both routes end at the same judge, and the other one is tried where one fails: the answer can cost time, never correctness.
#pragma once

#include "model/route.h"
#include "pipeline/workers.h"

namespace ka::pipeline {

struct RouteQuestion {
  std::string model;
  std::optional<double> temperature;
  std::int64_t max_tokens = 0;  // 0: the model's own limit
  std::string effort;
};

// What the rules say stands where the model gives no answer that can be used; the log says why. Errors: cancelled.
Result<model::Route> ask_route(const model::Route& by_rules, const std::string& program, const RouteQuestion& question, const ModelSide& side, const Means& means);

}  // namespace ka::pipeline

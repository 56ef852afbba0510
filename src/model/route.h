// Route: which way a problem takes, what was seen in its source, and the rows of the rule table that
// decided.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/attribute.h"
#include "model/unknown_fields.h"

namespace ka::model {

// Facts from the syntax tree of the problem.
struct RouteFeatures {
  bool has_attention_like = false;
  bool has_conv = false;
  bool has_conv_transpose = false;
  bool has_group_norm = false;
  bool has_control_flow = false;
  std::int64_t pool_ops = 0;
  std::int64_t act_ops = 0;
  std::int64_t chain_length = 0;                 // longest chain of operations along the data flow
  std::map<std::string, std::int64_t> op_names;  // how often each is called
  std::map<std::string, std::vector<std::int64_t>> lines;  // where in the source: "control_flow", "attention", "conv_transpose"
  UnknownFields unknown;
  bool operator==(const RouteFeatures&) const = default;
};

// A row of the table that spoke for or against.
struct RouteRule {
  std::string name;
  bool matched = false;
  std::string reason;
  UnknownFields unknown;
  bool operator==(const RouteRule&) const = default;
};

struct Route {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string strategy;    // "kernelagent" (direct: one kernel), "fuser" (several, fused), "kernel_then_fuser", "fuser_then_kernel"
  std::string decided_by;  // "rules", "model", "user", "cache"
  double confidence = 0;   // 0 to 1
  std::string rationale;
  RouteFeatures features;
  std::vector<RouteRule> rules;
  std::string problem_sha256;
  std::string model;  // language model that was asked; empty when none was
  Attributes config;  // proposed limits: rounds, workers, ...
  UnknownFields unknown;
  bool operator==(const Route&) const = default;
};

Json to_json(const Route& route);
Result<Route> route_from_json(const Json& json);
Result<RouteFeatures> route_features_from_json(const Json& json);

}  // namespace ka::model

#include "model/route.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<RouteFeatures> auto& x) {
  f("has_attention_like", x.has_attention_like);
  f("has_conv", x.has_conv);
  f("has_conv_transpose", x.has_conv_transpose);
  f("has_group_norm", x.has_group_norm);
  f("has_control_flow", x.has_control_flow);
  f("pool_ops", x.pool_ops);
  f("act_ops", x.act_ops);
  f("chain_length", x.chain_length);
  f("op_names", x.op_names);
  f("lines", x.lines);
  f.keep(x.unknown);
}

void fields(auto& f, Of<RouteRule> auto& x) {
  f("name", x.name);
  f("matched", x.matched);
  f("reason", x.reason);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Route> auto& x) {
  f("schema", x.schema);
  f("strategy", x.strategy);
  f("decided_by", x.decided_by);
  f("confidence", x.confidence);
  f("rationale", x.rationale);
  f("features", x.features);
  f("rules", x.rules);
  f("problem_sha256", x.problem_sha256);
  f("model", x.model);
  f("config", x.config);
  f.keep(x.unknown);
}

Json to_json(const Route& route) {
  Json json;
  encode(json, route);
  return json;
}

Result<Route> route_from_json(const Json& json) { return read_value<Route>(json, "route"); }

Result<RouteFeatures> route_features_from_json(const Json& json) {
  RouteFeatures features;
  const std::string complaint = decode(json, features);
  if (!complaint.empty()) return invalid_input("route features: " + complaint);
  return features;
}

}  // namespace ka::model

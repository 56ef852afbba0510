#include "model/diagnosis.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<Evidence> auto& x) {
  f("metric", x.metric);
  f("value", x.value);
  f("interpretation", x.interpretation);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Fix> auto& x) {
  f("fix", x.fix);
  f("rationale", x.rationale);
  f.keep(x.unknown);
}

void fields(auto& f, Of<RootCause> auto& x) {
  f("cause", x.cause);
  f("evidence", x.evidence);
  f("fixes", x.fixes);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Bottleneck> auto& x) {
  f("category", x.category);
  f("rule", x.rule);
  f("kernel", x.kernel);
  f("summary", x.summary);
  f("reasoning", x.reasoning);
  f("confidence", x.confidence);
  f("score", x.score);
  f("root_causes", x.root_causes);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Roofline> auto& x) {
  f("compute_pct", x.compute_pct);
  f("memory_pct", x.memory_pct);
  f("efficiency_pct", x.efficiency_pct);
  f("headroom_pct", x.headroom_pct);
  f("at_roofline", x.at_roofline);
  f("uses_tensor_cores", x.uses_tensor_cores);
  f("basis", x.basis);
  f("warnings", x.warnings);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Diagnosis> auto& x) {
  f("schema", x.schema);
  f("candidate_sha256", x.candidate_sha256);
  f("category", x.category);
  f("decided_by", x.decided_by);
  f("roofline", x.roofline);
  f("bottlenecks", x.bottlenecks);
  f.keep(x.unknown);
}

Json to_json(const Diagnosis& diagnosis) {
  Json json;
  encode(json, diagnosis);
  return json;
}

Result<Diagnosis> diagnosis_from_json(const Json& json) { return read_value<Diagnosis>(json, "diagnosis"); }

}  // namespace ka::model

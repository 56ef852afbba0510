#include "model/candidate.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<ModelUsage> auto& x) {
  f("model", x.model);
  f("input_tokens", x.input_tokens);
  f("output_tokens", x.output_tokens);
  f("dollars", x.dollars);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Candidate> auto& x) {
  f("schema", x.schema);
  f("id", x.id);
  f("subgraph_id", x.subgraph_id);
  f("producer", x.producer);
  f("family", x.family);
  f("knobs", x.knobs);
  f("path", x.path);
  f("sha256", x.sha256);
  f("entry", x.entry);
  f("tier", x.tier);
  f("parent", x.parent);
  f("round", x.round);
  f("worker", x.worker);
  f("note", x.note);
  f("usage", x.usage);
  f.keep(x.unknown);
}

Json to_json(const Candidate& candidate) {
  Json json;
  encode(json, candidate);
  return json;
}

Result<Candidate> candidate_from_json(const Json& json) { return read_value<Candidate>(json, "candidate"); }

}  // namespace ka::model

#include "model/problem.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"
#include "model/tensor_type_fields.h"

namespace ka::model {

void fields(auto& f, Of<ProblemInput> auto& x) {
  f("name", x.name);
  f("tensor", x.tensor);
  f("value", x.value);
  f.keep(x.unknown);
}

void fields(auto& f, Of<ProblemWeight> auto& x) {
  f("name", x.name);
  f("argument", x.argument);
  f("kind", x.kind);
  f("tied_to", x.tied_to);
  f("type", x.type);
  f.keep(x.unknown);
}

void fields(auto& f, Of<SizeVariant> auto& x) {
  f("name", x.name);
  f("sizes", x.sizes);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Problem> auto& x) {
  f("schema", x.schema);
  f("path", x.path);
  f("object", x.object);
  f("sha256", x.sha256);
  f("kind", x.kind);
  f("description", x.description);
  f("mode", x.mode);
  f("inputs", x.inputs);
  f("weights", x.weights);
  f("outputs", x.outputs);
  f("structure", x.structure);
  f("given_sizes", x.given_sizes);
  f("verified_sizes", x.verified_sizes);
  f("scaled", x.scaled);
  f("scale_steps", x.scale_steps);
  f("variants", x.variants);
  f("draws_random", x.draws_random);
  f("has_contraction", x.has_contraction);
  f("default_tier", x.default_tier);
  f("updates_buffers", x.updates_buffers);
  f("outputs_alias_inputs", x.outputs_alias_inputs);
  f("elements", x.elements);
  f("flops", x.flops);
  f.keep(x.unknown);
}

Json to_json(const Problem& problem) {
  Json json;
  encode(json, problem);
  return json;
}

Result<Problem> problem_from_json(const Json& json) { return read_value<Problem>(json, "problem"); }

}  // namespace ka::model

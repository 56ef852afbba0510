#include "model/run_summary.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<SubgraphResult> auto& x) {
  f("id", x.id);
  f("success", x.success);
  f("kernel_path", x.kernel_path);
  f("kernel_sha256", x.kernel_sha256);
  f("producer", x.producer);
  f("rounds", x.rounds);
  f("worker", x.worker);
  f("launches", x.launches);
  f("message", x.message);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Composition> auto& x) {
  f("success", x.success);
  f("path", x.path);
  f("sha256", x.sha256);
  f("verified", x.verified);
  f("torch_parts", x.torch_parts);
  f("message", x.message);
  f.keep(x.unknown);
}

void fields(auto& f, Of<SpeedLine> auto& x) {
  f("contender", x.contender);
  f("median_ms", x.median_ms);
  f("speedup", x.speedup);
  f.keep(x.unknown);
}

void fields(auto& f, Of<RunSummary> auto& x) {
  f("schema", x.schema);
  f("run_id", x.run_id);
  f("command", x.command);
  f("problem_path", x.problem_path);
  f("problem_sha256", x.problem_sha256);
  f("route", x.route);
  f("success", x.success);
  f("exit_code", x.exit_code);
  f("message", x.message);
  f("started", x.started);
  f("finished", x.finished);
  f("device", x.device);
  f("subgraphs", x.subgraphs);
  f("composition", x.composition);
  f("speed", x.speed);
  f("dollars", x.dollars);
  f("versions", x.versions);
  f("times", x.times);
  f.keep(x.unknown);
}

Json to_json(const SubgraphResult& result) {
  Json json;
  encode(json, result);
  return json;
}

namespace {

// Parts of a file, which have no schema of their own.
template <class T>
Result<T> read_part(const Json& json, const std::string& what) {
  T value;
  FieldLoader loader(json, what);
  fields(loader, value);
  KA_TRY(loader.reader().status());
  return value;
}

}  // namespace

Result<SubgraphResult> subgraph_result_from_json(const Json& json) { return read_part<SubgraphResult>(json, "result of a subgraph"); }
Result<Composition> composition_from_json(const Json& json) { return read_part<Composition>(json, "composition"); }

Json to_json(const Composition& composition) {
  Json json;
  encode(json, composition);
  return json;
}

Json to_json(const RunSummary& run_summary) {
  Json json;
  encode(json, run_summary);
  return json;
}

Result<RunSummary> run_summary_from_json(const Json& json) { return read_value<RunSummary>(json, "run summary"); }

}  // namespace ka::model

#include "model/verdict.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<WorstElement> auto& x) {
  f("output", x.output);
  f("index", x.index);
  f("got", x.got);
  f("want", x.want);
  f("error", x.error);
  f.keep(x.unknown);
}

void fields(auto& f, Of<JudgedProblem> auto& x) {
  f("path", x.path);
  f("kind", x.kind);
  f("mode", x.mode);
  f("given_sizes", x.given_sizes);
  f("verified_sizes", x.verified_sizes);
  f("scaled", x.scaled);
  f("text_sha256", x.text_sha256);
  f.keep(x.unknown);
}

void fields(auto& f, Of<JudgedKernel> auto& x) {
  f("path", x.path);
  f("entry", x.entry);
  f("sha256", x.sha256);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Precision> auto& x) {
  f("tier", x.tier);
  f("rtol", x.rtol);
  f("atol", x.atol);
  f("multiple_allowed", x.multiple_allowed);
  f("multiple_seen", x.multiple_seen);
  f("max_abs_error", x.max_abs_error);
  f("max_rel_error", x.max_rel_error);
  f.keep(x.unknown);
}

void fields(auto& f, Of<CheckRun> auto& x) {
  f("name", x.name);
  f("count", x.count);
  f("note", x.note);
  f.keep(x.unknown);
}

void fields(auto& f, Of<BufferUpdates> auto& x) {
  f("updated", x.updated);
  f("reproduced", x.reproduced);
  f.keep(x.unknown);
}

void fields(auto& f, Of<MissingPart> auto& x) {
  f("part", x.part);
  f("reason", x.reason);
  f.keep(x.unknown);
}

void fields(auto& f, Of<SandboxReport> auto& x) {
  f("level", x.level);
  f("missing", x.missing);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Versions> auto& x) {
  f("kernelagent", x.kernelagent);
  f("python", x.python);
  f("torch", x.torch);
  f("triton", x.triton);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Verdict> auto& x) {
  f("schema", x.schema);
  f("accepted", x.accepted);
  f("rule", x.rule);
  f("reason", x.reason);
  f("detail", x.detail);
  f("worst", x.worst);
  f("problem", x.problem);
  f("kernel", x.kernel);
  f("precision", x.precision);
  f("checks", x.checks);
  f("specialised", x.specialised);
  f("specialised_reason", x.specialised_reason);
  f("buffers", x.buffers);
  f("sandbox", x.sandbox);
  f("device", x.device);
  f("seed", x.seed);
  f("reproduce", x.reproduce);
  f("versions", x.versions);
  f("times", x.times);
  f.keep(x.unknown);
}

Json to_json(const Verdict& verdict) {
  Json json;
  encode(json, verdict);
  return json;
}

Result<Verdict> verdict_from_json(const Json& json) { return read_value<Verdict>(json, "verdict"); }

std::string without_times(const Verdict& verdict) {
  Verdict timeless = verdict;
  timeless.times.clear();
  return to_pretty_json_text(to_json(timeless));
}

}  // namespace ka::model

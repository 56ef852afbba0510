#include "model/timing.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<Timing> auto& x) {
  f("schema", x.schema);
  f("subject", x.subject);
  f("sha256", x.sha256);
  f("contender", x.contender);
  f("device", x.device);
  f("method", x.method);
  f("mode", x.mode);
  f("tier", x.tier);
  f("warmup", x.warmup);
  f("cache_flushed", x.cache_flushed);
  f("fresh_inputs", x.fresh_inputs);
  f("samples_ms", x.samples_ms);
  f("median_ms", x.median_ms);
  f("mean_ms", x.mean_ms);
  f("min_ms", x.min_ms);
  f.keep(x.unknown);
}

Json to_json(const Timing& timing) {
  Json json;
  encode(json, timing);
  return json;
}

Result<Timing> timing_from_json(const Json& json) { return read_value<Timing>(json, "timing"); }

}  // namespace ka::model

#include "model/run_info.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<RunInfo> auto& x) {
  f("schema", x.schema);
  f("id", x.id);
  f("created", x.created);
  f("command", x.command);
  f("version", x.version);
  f.keep(x.unknown);
}

Json to_json(const RunInfo& run_info) {
  Json json;
  encode(json, run_info);
  return json;
}

Result<RunInfo> run_info_from_json(const Json& json) { return read_value<RunInfo>(json, "run"); }

}  // namespace ka::model

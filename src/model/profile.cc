#include "model/profile.h"

#include <nlohmann/json.hpp>

#include "model/codec.h"

namespace ka::model {

void fields(auto& f, Of<KernelProfile> auto& x) {
  f("name", x.name);
  f("launches", x.launches);
  f("time_ms", x.time_ms);
  f("registers", x.registers);
  f("shared_bytes", x.shared_bytes);
  f("spills", x.spills);
  f("stack_bytes", x.stack_bytes);
  f("occupancy_pct", x.occupancy_pct);
  f("occupancy_limit", x.occupancy_limit);
  f("waves", x.waves);
  f("grid", x.grid);
  f("instructions", x.instructions);
  f("num_warps", x.num_warps);
  f("num_stages", x.num_stages);
  f("metrics", x.metrics);
  f.keep(x.unknown);
}

void fields(auto& f, Of<Profile> auto& x) {
  f("schema", x.schema);
  f("candidate_sha256", x.candidate_sha256);
  f("device", x.device);
  f("source", x.source);
  f("limits", x.limits);
  f("kernels", x.kernels);
  f("versions", x.versions);
  f.keep(x.unknown);
}

Json to_json(const Profile& profile) {
  Json json;
  encode(json, profile);
  return json;
}

Result<Profile> profile_from_json(const Json& json) { return read_value<Profile>(json, "profile"); }

}  // namespace ka::model

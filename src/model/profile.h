// Profile: what the profiler and the compiler say about the kernels of one candidate.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/unknown_fields.h"

namespace ka::model {

// All launches of one kernel together.
struct KernelProfile {
  std::string name;
  std::int64_t launches = 0;
  std::optional<double> time_ms;          // sum over the launches
  std::optional<std::int64_t> registers;  // per thread
  std::optional<std::int64_t> shared_bytes;
  std::optional<std::int64_t> spills;
  std::int64_t num_warps = 0;
  std::int64_t num_stages = 0;
  std::map<std::string, double> metrics;  // by the profiler's own names
  UnknownFields unknown;
  bool operator==(const KernelProfile&) const = default;
};

struct Profile {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string candidate_sha256;
  std::string device;
  std::string source;  // "ncu", "static"
  std::string limits;  // why there is not more, in one sentence; may be empty
  std::vector<KernelProfile> kernels;
  std::map<std::string, std::string> versions;  // of the tools
  UnknownFields unknown;
  bool operator==(const Profile&) const = default;
};

Json to_json(const Profile& profile);
Result<Profile> profile_from_json(const Json& json);

}  // namespace ka::model

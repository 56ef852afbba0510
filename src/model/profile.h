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
  std::optional<std::int64_t> spills;  // bytes stored for want of registers
  std::optional<std::int64_t> stack_bytes;
  std::optional<double> occupancy_pct;  // of the warps that a multiprocessor holds: what fits, whatever the launch does
  std::string occupancy_limit;          // "registers", "shared memory", "threads", "blocks"; empty where nothing is known
  std::optional<double> waves;          // how often the GPU has to be filled for the first launch
  std::vector<std::int64_t> grid;       // of the first launch
  std::map<std::string, std::int64_t> instructions;  // in the compiled code, by kind (profile/instruction_mix.h): a loop's body counts once
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

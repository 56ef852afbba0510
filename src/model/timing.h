// Timing: how long one contender took, with every sample. Two timings compare only when device, method,
// mode and tier agree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/unknown_fields.h"

namespace ka::model {

struct Timing {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string subject;    // path or name of what was measured
  std::string sha256;     // of its source
  std::string contender;  // "kernel", "eager", "compile", "compile_reduce_overhead", "compile_max_autotune"
  std::string device;
  std::string method;
  std::string mode;  // "train", "eval"
  std::string tier;
  std::int64_t warmup = 0;     // calls before the first sample
  bool cache_flushed = false;  // L2 before each sample
  bool fresh_inputs = false;
  std::vector<double> samples_ms;  // in the order in which they were taken
  double median_ms = 0;
  double mean_ms = 0;
  double min_ms = 0;
  UnknownFields unknown;
  bool operator==(const Timing&) const = default;
};

Json to_json(const Timing& timing);
Result<Timing> timing_from_json(const Json& json);

}  // namespace ka::model

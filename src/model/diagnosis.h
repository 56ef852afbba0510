// Diagnosis: what keeps a kernel from being faster, ranked, with the evidence, and what to try.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/unknown_fields.h"

namespace ka::model {

struct Evidence {
  std::string metric;
  double value = 0;
  std::string interpretation;
  UnknownFields unknown;
  bool operator==(const Evidence&) const = default;
};

struct Fix {
  std::string fix;
  std::string rationale;
  UnknownFields unknown;
  bool operator==(const Fix&) const = default;
};

struct RootCause {
  std::string cause;
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;
  UnknownFields unknown;
  bool operator==(const RootCause&) const = default;
};

struct Bottleneck {
  std::string category;  // "memory", "compute", "underutilized"
  std::string rule;      // of optimise/rules.cc, or what a model calls it: "spills"
  std::string kernel;    // which one; empty: the program as a whole
  std::string summary;
  std::string reasoning;
  double confidence = 0;  // 0 to 1
  double score = 0;       // larger is worse
  std::vector<RootCause> root_causes;
  UnknownFields unknown;
  bool operator==(const Bottleneck&) const = default;
};

// Work over peak, in percent of what the device can do.
struct Roofline {
  double compute_pct = 0;
  double memory_pct = 0;
  double efficiency_pct = 0;  // the larger of the two
  double headroom_pct = 0;
  bool at_roofline = false;
  bool uses_tensor_cores = false;
  std::optional<std::string> basis;  // what the device can do "by measured ceilings", or "by the data sheet"
  std::vector<std::string> warnings;
  UnknownFields unknown;
  bool operator==(const Roofline&) const = default;
};

struct Diagnosis {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string candidate_sha256;
  std::string category;    // of the first bottleneck, or "unknown"
  std::string decided_by;  // "rules", "model"
  Roofline roofline;
  std::vector<Bottleneck> bottlenecks;  // worst first
  UnknownFields unknown;
  bool operator==(const Diagnosis&) const = default;
};

Json to_json(const Diagnosis& diagnosis);
Result<Diagnosis> diagnosis_from_json(const Json& json);

}  // namespace ka::model

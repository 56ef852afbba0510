// Candidate: a kernel file that somebody proposes, and where it came from. Nothing in it is believed
// before a Verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "model/attribute.h"
#include "model/unknown_fields.h"

namespace ka::model {

// What a language model was paid for it.
struct ModelUsage {
  std::string model;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  double dollars = 0;
  UnknownFields unknown;
  bool operator==(const ModelUsage&) const = default;
};

struct Candidate {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string id;
  std::string subgraph_id;  // empty: the whole program
  std::string producer;     // "codegen", "model", "cache", "replay", "user"
  std::string family;       // kernel family, when the built-in generator wrote it
  Attributes knobs;
  std::string path;  // of the source, relative to the run directory
  std::string sha256;
  std::string entry;
  std::string tier;    // precision that it was written for
  std::string parent;  // id of the candidate that it improves on
  int round = 0;
  int worker = 0;
  std::string note;
  std::optional<ModelUsage> usage;
  UnknownFields unknown;
  bool operator==(const Candidate&) const = default;
};

Json to_json(const Candidate& candidate);
Result<Candidate> candidate_from_json(const Json& json);

}  // namespace ka::model

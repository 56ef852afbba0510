// RunSummary: what a run achieved; the last file that it writes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/unknown_fields.h"

namespace ka::model {

struct SubgraphResult {
  std::string id;
  bool success = false;
  std::string kernel_path;  // relative to the run directory; empty when there is none
  std::string kernel_sha256;
  std::string producer;
  int rounds = 0;
  std::optional<int> worker;    // of a language model, when the kernel is its
  std::optional<int> launches;  // of one call; none without a kernel
  std::string message;          // why not, when not
  UnknownFields unknown;
  bool operator==(const SubgraphResult&) const = default;
};

struct Composition {
  bool success = false;
  std::string path;
  std::string sha256;
  bool verified = false;
  std::vector<std::string> torch_parts;  // ids of the subgraphs that are still PyTorch
  std::string message;
  UnknownFields unknown;
  bool operator==(const Composition&) const = default;
};

// One contender of the final comparison.
struct SpeedLine {
  std::string contender;
  double median_ms = 0;
  double speedup = 0;  // of the result over it
  UnknownFields unknown;
  bool operator==(const SpeedLine&) const = default;
};

struct RunSummary {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string run_id;
  std::string command;
  std::string problem_path;
  std::string problem_sha256;
  std::string route;
  bool success = false;
  int exit_code = 0;
  std::string message;  // one sentence
  std::string started;  // UTC, as in run.json
  std::string finished;
  std::string device;
  std::vector<SubgraphResult> subgraphs;
  std::optional<Composition> composition;
  std::vector<SpeedLine> speed;
  double dollars = 0;  // paid for language models
  std::map<std::string, std::string> versions;
  std::map<std::string, double> times;  // seconds by stage
  UnknownFields unknown;
  bool operator==(const RunSummary&) const = default;
};

Json to_json(const SubgraphResult& result);
Result<SubgraphResult> subgraph_result_from_json(const Json& json);
Json to_json(const Composition& composition);
Result<Composition> composition_from_json(const Json& json);
Json to_json(const RunSummary& run_summary);
Result<RunSummary> run_summary_from_json(const Json& json);

}  // namespace ka::model

// Verdict: what the judge decided about one kernel, why, and everything needed to ask again.
//
// All but `times` is a function of (problem, kernel, options, seed, machine); without_times() is its canonical text.
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

// The element that was furthest from what was wanted. NaN and infinities survive the JSON form ("nan", "inf", "-inf").
struct WorstElement {
  int output = 0;                   // which output of the program
  std::vector<std::int64_t> index;  // where in it
  double got = 0;
  double want = 0;
  double error = 0;
  UnknownFields unknown;
  bool operator==(const WorstElement&) const = default;
};

struct JudgedProblem {
  std::string path;
  std::string kind;  // "kernelbench", "module", "function"
  std::string mode;  // "train", "eval"
  std::map<std::string, std::int64_t> given_sizes;
  std::map<std::string, std::int64_t> verified_sizes;
  bool scaled = false;
  std::optional<std::string> text_sha256;  // older verdicts have none
  UnknownFields unknown;
  bool operator==(const JudgedProblem&) const = default;
};

struct JudgedKernel {
  std::string path;
  std::string entry;
  std::string sha256;
  UnknownFields unknown;
  bool operator==(const JudgedKernel&) const = default;
};

struct Precision {
  std::string tier;  // "fp32", "tf32", "half"
  double rtol = 0;
  double atol = 0;
  double multiple_allowed = 0;  // of PyTorch's own error against float64
  double multiple_seen = 0;
  double max_abs_error = 0;
  double max_rel_error = 0;
  UnknownFields unknown;
  bool operator==(const Precision&) const = default;
};

// One thing that was tried: "draws" 3, "distributions" 4, "configs" 6, "variants" 2, "compile" 1 ...
struct CheckRun {
  std::string name;
  std::int64_t count = 0;
  std::string note;
  UnknownFields unknown;
  bool operator==(const CheckRun&) const = default;
};

struct BufferUpdates {
  std::vector<std::string> updated;  // by the reference
  bool reproduced = false;           // by the kernel, too
  UnknownFields unknown;
  bool operator==(const BufferUpdates&) const = default;
};

struct MissingPart {
  std::string part;
  std::string reason;
  UnknownFields unknown;
  bool operator==(const MissingPart&) const = default;
};

struct SandboxReport {
  std::string level;
  std::vector<MissingPart> missing;
  UnknownFields unknown;
  bool operator==(const SandboxReport&) const = default;
};

struct Versions {
  std::string kernelagent;
  std::string python;
  std::string torch;
  std::string triton;
  UnknownFields unknown;
  bool operator==(const Versions&) const = default;
};

struct Verdict {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  bool accepted = false;
  std::string rule;    // the rule that refused; empty when accepted
  std::string reason;  // one sentence
  std::string detail;  // more lines; may be empty
  std::optional<WorstElement> worst;
  JudgedProblem problem;
  JudgedKernel kernel;
  Precision precision;
  std::vector<CheckRun> checks;
  bool specialised = false;  // right for the given sizes only
  std::string specialised_reason;
  BufferUpdates buffers;
  SandboxReport sandbox;
  std::string device;
  std::uint64_t seed = 0;  // a string in JSON: 64 bits do not fit a JSON number everywhere
  std::string reproduce;   // the command line that gives this verdict again
  Versions versions;
  std::map<std::string, double> times;  // seconds by name; the only part that differs between two equal runs
  UnknownFields unknown;
  bool operator==(const Verdict&) const = default;
};

Json to_json(const Verdict& verdict);
Result<Verdict> verdict_from_json(const Json& json);

// The JSON text with `times` emptied: two runs of the same thing give the same bytes.
std::string without_times(const Verdict& verdict);

}  // namespace ka::model

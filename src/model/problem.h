// Problem: the PyTorch program to be turned into kernels, as it was seen to run: what goes in, what comes
// out, which weights it has, and the sizes at which it is judged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/attribute.h"
#include "model/tensor_type.h"
#include "model/unknown_fields.h"

namespace ka::model {

// One argument of forward(): a tensor or a plain value.
struct ProblemInput {
  std::string name;
  std::optional<TensorType> tensor;
  Attribute value;  // when it is no tensor
  UnknownFields unknown;
  bool operator==(const ProblemInput&) const = default;
};

struct ProblemWeight {
  std::string name;                    // in the state_dict: "fc.weight"
  std::string argument;                // of kernel_function: "fc_weight"
  std::string kind;                    // "parameter", "buffer"
  std::optional<std::string> tied_to;  // name of the weight that it is the same tensor as
  TensorType type;
  UnknownFields unknown;
  bool operator==(const ProblemWeight&) const = default;
};

// Other sizes with which the program was seen to run.
struct SizeVariant {
  std::string name;
  std::map<std::string, std::int64_t> sizes;
  UnknownFields unknown;
  bool operator==(const SizeVariant&) const = default;
};

struct Problem {
  static constexpr int kSchema = 1;

  int schema = kSchema;
  std::string path;         // of the file; empty when the problem was given as a sentence
  std::string object;       // the object in it, when one was named
  std::string sha256;       // of the source text
  std::string kind;         // "kernelbench", "module", "function", "text"
  std::string description;  // the sentence, when the problem was given as one
  std::string mode;         // "train", "eval"
  std::vector<ProblemInput> inputs;
  std::vector<ProblemWeight> weights;
  std::vector<TensorType> outputs;
  std::string structure;  // of what forward() returns: "tensor", "tuple", "list", "(_, (_, None))"
  std::map<std::string, std::int64_t> given_sizes;
  std::map<std::string, std::int64_t> verified_sizes;
  bool scaled = false;
  std::vector<std::string> scale_steps;  // how the verified sizes came about
  std::vector<SizeVariant> variants;
  bool draws_random = false;  // forward() itself draws random numbers
  bool has_contraction = false;
  std::string default_tier;                  // "fp32", "tf32", "half"
  std::vector<std::string> updates_buffers;  // names of the buffers that forward() changes
  bool outputs_alias_inputs = false;
  std::int64_t elements = 0;  // touched by one call at the verified sizes
  std::int64_t flops = 0;
  UnknownFields unknown;
  bool operator==(const Problem&) const = default;
};

Json to_json(const Problem& problem);
Result<Problem> problem_from_json(const Json& json);

}  // namespace ka::model

// What the words of a sentence say: operations with their parameters, shapes, a dtype. No word is left over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/dtype.h"
#include "problem/sentence_ops.h"

namespace ka::problem {

struct OpUse {
  const SentenceOp* op = nullptr;
  std::optional<double> number;                           // of "scale by 0.5"
  std::map<std::string, std::vector<double>> parameters;  // "stride", "dim", "kernel" ...

  bool has(const std::string& name) const { return parameters.contains(name); }
  double value(const std::string& name, double otherwise) const { return has(name) ? parameters.at(name)[0] : otherwise; }
};

struct Reading {
  std::vector<OpUse> ops;  // in the order in which they are computed
  std::vector<std::vector<std::int64_t>> shapes;
  std::optional<ir::DType> dtype;
  std::optional<int> rank;  // "a 1D tensor"
  bool two_inputs = false;  // "two tensors"
};

Result<Reading> read_sentence(std::string_view sentence);

}  // namespace ka::problem

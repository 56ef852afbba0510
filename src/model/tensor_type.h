// A named tensor at a stage border: what it looks like, without any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/dtype.h"
#include "model/unknown_fields.h"

namespace ka::model {

struct TensorType {
  std::string name;
  ir::DType dtype = ir::DType::float32;
  std::vector<std::int64_t> shape;
  std::optional<std::vector<std::int64_t>> strides;  // in elements; nothing = row-major
  UnknownFields unknown;
  std::optional<std::string> role = {};          // of a weight: parameter, buffer, constant
  std::optional<std::vector<double>> data = {};  // of a constant
  bool operator==(const TensorType&) const = default;
};

}  // namespace ka::model

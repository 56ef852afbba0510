// JSON fields of TensorType, for the sources of this folder whose values contain one.
#pragma once

#include "model/codec.h"
#include "model/tensor_type.h"

namespace ka::model {

void fields(auto& f, Of<TensorType> auto& x) {
  f("name", x.name);
  f("dtype", x.dtype);
  f("shape", x.shape);
  f("strides", x.strides);
  f("role", x.role);
  f("data", x.data);
  f.keep(x.unknown);
}

}  // namespace ka::model

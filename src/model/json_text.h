// A piece of JSON that a value carries as it is.
#pragma once

#include <string>

namespace ka::model {

struct JsonText {
  std::string text = "null";
  bool operator==(const JsonText&) const = default;
};

}  // namespace ka::model

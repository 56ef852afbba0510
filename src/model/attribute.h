// A parameter of an operation or a knob of a kernel: none, a flag, a number, a text or a list of numbers.
//
// JSON: the plain value. A number with a fraction part or an exponent is a float, so 1 and 1.0 stay apart; what JSON
// cannot say is an object: {"float":"nan"}, {"float":"inf"}, {"float":"-inf"}. An empty list is a list of integers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace ka::model {

using Attribute = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>>;
using Attributes = std::map<std::string, Attribute>;

}  // namespace ka::model

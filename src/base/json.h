// The project's JSON type, by forward declaration: headers that speak of JSON stay cheap to include.
// Sources that build or take apart JSON include <nlohmann/json.hpp> themselves.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ka {
using Json = nlohmann::json;
}  // namespace ka

#include "fuzz/mutate.h"

#include <array>
#include <random>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"

namespace ka::fuzz {
namespace {

using Path = Json::json_pointer;

void collect(const Json& json, const Path& here, std::vector<Path>& out) {
  out.push_back(here);
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) collect(json[i], here / i, out);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, here / key, out);
  }
}

Json odd_value(std::uint64_t number) {
  const std::array<Json, 18> values = {nullptr, true, false, 0, 1, -1, 2, 1 << 20, std::int64_t{1} << 62, INT64_MIN, UINT64_MAX, 0.5, 1e308, "", "x", "nan",
                                       Json::array(), Json::object()};
  return values[number % values.size()];
}

}  // namespace

std::string mutated_json(std::string_view text, std::uint32_t seed) {
  const Result<Json> parsed = parse_json(text, "text");
  if (!parsed) return std::string(text);
  Json json = *parsed;
  std::mt19937 random(seed);
  std::vector<Path> places;
  collect(json, Path(), places);
  const Path& place = places[random() % places.size()];
  Json& value = json[place];
  const std::uint64_t kind = random() % 5;
  if (kind == 0 && !place.empty()) {
    Json& parent = json[place.parent_pointer()];
    if (parent.is_array()) parent.erase(std::stoul(place.back()));
    else parent.erase(place.back());
  } else if (kind == 1 && value.is_array() && !value.empty()) {
    value.push_back(Json(value[random() % value.size()]));
  } else if (kind == 2) {
    const Json other = json[places[random() % places.size()]];
    value = other;
  } else if (kind == 3 && value.is_number_integer()) {
    value = static_cast<std::int64_t>(random() % 5) - 1;
  } else {
    value = odd_value(random());
  }
  return to_json_text(json);
}

}  // namespace ka::fuzz

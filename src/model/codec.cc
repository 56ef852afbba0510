#include "model/codec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace ka::model {

namespace {

constexpr std::size_t kShownBytes = 60;

std::string expected(const char* what, const Json& found) {
  if (found.is_array()) return fmt::format("expected {}, found a list of {}", what, found.size());
  if (found.is_object()) return fmt::format("expected {}, found an object", what);
  return fmt::format("expected {}, found {}", what, elide_middle(to_json_text(found), kShownBytes));
}

// "nan", "inf", "-inf" or nothing for a finite number.
const char* special_name(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return nullptr;
}

bool read_special(const Json& json, double& value) {
  if (!json.is_string()) return false;
  const auto& text = json.get_ref<const std::string&>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "nan") value = std::numeric_limits<double>::quiet_NaN();
  else if (text == "inf") value = kInfinity;
  else if (text == "-inf") value = -kInfinity;
  else return false;
  return true;
}

Json attribute_number(double value) {
  const char* special = special_name(value);
  return special == nullptr ? Json(value) : Json{{"float", special}};
}

// A float of an attribute: a JSON float, or {"float": "inf"}.
bool read_attribute_number(const Json& json, double& value) {
  if (json.is_number()) {
    value = json.get<double>();
    return true;
  }
  return json.is_object() && json.size() == 1 && json.contains("float") && read_special(json["float"], value);
}

std::string decode_list(const Json& json, Attribute& value) {
  bool whole = true;
  for (const Json& entry : json) whole = whole && entry.is_number_integer();
  if (whole) {
    std::vector<std::int64_t> numbers;
    std::string complaint = decode(json, numbers);
    value = std::move(numbers);
    return complaint;
  }
  std::vector<double> numbers;
  for (const Json& entry : json) {
    if (!read_attribute_number(entry, numbers.emplace_back())) return expected("a list of numbers", entry);
  }
  value = std::move(numbers);
  return {};
}

}  // namespace

void make_array(Json& out) { out = Json::array(); }
void make_object(Json& out) { out = Json::object(); }
Json& append(Json& array) { return array.emplace_back(); }
Json& member(Json& object, const std::string& name) { return object[name]; }
std::size_t size(const Json& array) { return array.size(); }
const Json& element(const Json& array, std::size_t index) { return array[index]; }

bool is_array(const Json& json, std::string& complaint) {
  if (!json.is_array()) complaint = expected("a list", json);
  return json.is_array();
}

bool is_object(const Json& json, std::string& complaint) {
  if (!json.is_object()) complaint = expected("an object", json);
  return json.is_object();
}

std::vector<std::pair<std::string, const Json*>> members(const Json& object) {
  std::vector<std::pair<std::string, const Json*>> list;
  for (const auto& [name, value] : object.items()) list.emplace_back(name, &value);
  return list;
}

std::string joined(const std::vector<std::string>& complaints) { return join(complaints, "; "); }

Status check_schema(const Json& json, const std::string& what, int newest) {
  const auto found = json.is_object() ? json.find("schema") : json.end();
  // Missing or no number at all: the field itself complains when it is read.
  if (!json.is_object() || found == json.end() || !found->is_number_integer()) return ok();
  std::int64_t schema = 0;
  if (decode(*found, schema).empty() && schema <= newest) {
    if (schema >= 1) return ok();
    return invalid_input(fmt::format("{}: schema {} does not exist; the first one is 1", what, schema));
  }
  return unsupported(fmt::format("{}: schema {} is newer than this program knows ({}); use a newer kernelagent", what,
                                 to_json_text(*found), newest));
}

void encode(Json& out, const JsonText& value) { out = Json::parse(value.text); }
void encode(Json& out, bool value) { out = value; }
void encode(Json& out, int value) { out = value; }
void encode(Json& out, std::int64_t value) { out = value; }
void encode(Json& out, std::uint64_t value) { out = std::to_string(value); }
void encode(Json& out, const std::string& value) { out = value; }
void encode(Json& out, ir::DType value) { out = ir::to_string(value); }

void encode(Json& out, double value) {
  const char* special = special_name(value);
  if (special == nullptr) out = value;
  else out = special;
}

void encode(Json& out, const Attribute& value) {
  if (const auto* flag = std::get_if<bool>(&value)) out = *flag;
  else if (const auto* whole = std::get_if<std::int64_t>(&value)) out = *whole;
  else if (const auto* number = std::get_if<double>(&value)) out = attribute_number(*number);
  else if (const auto* text = std::get_if<std::string>(&value)) out = *text;
  else if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value)) out = *wholes;
  else if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    make_array(out);
    for (double entry : *numbers) append(out) = attribute_number(entry);
  } else {
    out = nullptr;
  }
}

std::string decode(const Json& json, JsonText& value) {
  value.text = to_json_text(json);
  return {};
}

std::string decode(const Json& json, bool& value) {
  if (!json.is_boolean()) return expected("true or false", json);
  value = json.get<bool>();
  return {};
}

std::string decode(const Json& json, int& value) {
  std::int64_t wide = 0;
  std::string complaint = decode(json, wide);
  if (complaint.empty() && !std::in_range<int>(wide)) complaint = expected("a 32-bit integer", json);
  if (complaint.empty()) value = static_cast<int>(wide);
  return complaint;
}

std::string decode(const Json& json, std::int64_t& value) {
  const bool too_large = json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>());
  if (!json.is_number_integer() || too_large) return expected("a 64-bit integer", json);
  value = json.get<std::int64_t>();
  return {};
}

std::string decode(const Json& json, std::uint64_t& value) {
  constexpr const char* kWhat = "a text of decimal digits";
  if (!json.is_string()) return expected(kWhat, json);
  const auto& text = json.get_ref<const std::string&>();
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return expected(kWhat, json);
  return {};
}

std::string decode(const Json& json, double& value) {
  if (read_special(json, value)) return {};
  if (!json.is_number()) return expected("a number, \"nan\", \"inf\" or \"-inf\"", json);
  value = json.get<double>();
  return {};
}

std::string decode(const Json& json, std::string& value) {
  if (!json.is_string()) return expected("a text", json);
  value = json.get_ref<const std::string&>();
  return {};
}

std::string decode(const Json& json, ir::DType& value) {
  if (!json.is_string()) return expected("the name of a dtype", json);
  Result<ir::DType> parsed = ir::parse_dtype(json.get_ref<const std::string&>());
  if (!parsed) return parsed.error().message;
  value = *parsed;
  return {};
}

std::string decode(const Json& json, Attribute& value) {
  double number = 0;
  std::int64_t whole = 0;
  if (json.is_null()) value = std::monostate{};
  else if (json.is_boolean()) value = json.get<bool>();
  else if (json.is_string()) value = json.get<std::string>();
  else if (json.is_array()) return decode_list(json, value);
  else if (json.is_number_integer()) {
    std::string complaint = decode(json, whole);
    value = whole;
    return complaint;
  } else if (read_attribute_number(json, number)) {
    value = number;
  } else {
    return expected("null, a flag, a number, a text or a list of numbers", json);
  }
  return {};
}

void FieldWriter::keep(const UnknownFields& unknown) {
  for (const auto& [name, text] : unknown) {
    Json value = Json::parse(text, nullptr, false);
    // What was read was JSON; anything else was put there by us and must not damage the file. A known field wins.
    if (!value.is_discarded() && !out_.contains(name)) out_[name] = std::move(value);
  }
}

bool FieldLoader::is_null(const Json& json) { return json.is_null(); }

}  // namespace ka::model

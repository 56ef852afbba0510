#include "base/json_fields.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace ka {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::size_t kShownBytes = 60;

// A type that can stand in a field: what to call it in a message and how to take it over.
template <typename T>
struct Form;

template <>
struct Form<bool> {
  static std::string name() { return "true or false"; }
  static bool read(const Json& json, bool& out) {
    if (!json.is_boolean()) return false;
    out = json.get<bool>();
    return true;
  }
};

template <typename Int>
struct WholeForm {
  static std::string name() {
    return fmt::format("a whole number from {} to {}", std::numeric_limits<Int>::min(),
                       std::numeric_limits<Int>::max());
  }
  static bool read(const Json& json, Int& out) {
    if (!json.is_number_integer()) return false;
    if (json.is_number_unsigned()) {
      const auto value = json.get<std::uint64_t>();
      if (!std::in_range<Int>(value)) return false;
      out = static_cast<Int>(value);
      return true;
    }
    const auto value = json.get<std::int64_t>();
    if (!std::in_range<Int>(value)) return false;
    out = static_cast<Int>(value);
    return true;
  }
};
template <>
struct Form<int> : WholeForm<int> {};
template <>
struct Form<std::int64_t> : WholeForm<std::int64_t> {};
template <>
struct Form<std::uint64_t> : WholeForm<std::uint64_t> {};

template <>
struct Form<double> {
  static std::string name() { return "a number"; }
  static bool read(const Json& json, double& out) {
    if (!json.is_number()) return false;
    out = json.get<double>();
    return true;
  }
};

template <>
struct Form<std::string> {
  static std::string name() { return "a text"; }
  static bool read(const Json& json, std::string& out) {
    if (!json.is_string()) return false;
    out = json.get_ref<const std::string&>();
    return true;
  }
};

template <typename T>
struct Form<std::vector<T>> {
  static std::string name() { return "a list, each " + Form<T>::name(); }
  static bool read(const Json& json, std::vector<T>& out) {
    if (!json.is_array()) return false;
    for (const Json& element : json) {
      T value{};
      if (!Form<T>::read(element, value)) return false;
      out.push_back(std::move(value));
    }
    return true;
  }
};

template <typename T>
struct Form<std::map<std::string, T>> {
  static std::string name() { return "an object, each field " + Form<T>::name(); }
  static bool read(const Json& json, std::map<std::string, T>& out) {
    if (!json.is_object()) return false;
    for (const auto& [key, element] : json.items()) {
      T value{};
      if (!Form<T>::read(element, value)) return false;
      out.emplace(key, std::move(value));
    }
    return true;
  }
};

std::string shown(const Json& json) {
  if (json.is_array()) return fmt::format("a list of {}", json.size());
  if (json.is_object()) return "an object";
  return elide_middle(to_json_text(json), kShownBytes);
}

// Watches the parser: nesting that would overflow recursive code later, and fields given twice, of which a
// lenient reader would silently take the last.
class StrictWatch {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        if (depth >= kMaxDepth) complain(fmt::format("nested deeper than {}", kMaxDepth));
        if (event == Json::parse_event_t::object_start) keys_.emplace_back();
        break;
      case Json::parse_event_t::object_end:
        keys_.pop_back();
        break;
      case Json::parse_event_t::key:
        if (!keys_.back().insert(parsed.get<std::string>()).second) {
          complain(fmt::format("field {} is given twice", shown(parsed)));
        }
        break;
      case Json::parse_event_t::array_end:
      case Json::parse_event_t::value:
        break;
    }
    return complaint_.empty();
  }
  const std::string& complaint() const { return complaint_; }

 private:
  void complain(std::string text) {
    if (complaint_.empty()) complaint_ = std::move(text);
  }
  std::vector<std::set<std::string>> keys_;
  std::string complaint_;
};

// The library's message without its own tag: "parse error at line 1, column 2: ...".
std::string without_tag(std::string message) {
  const std::size_t end = message.find("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

}  // namespace

FieldReader::FieldReader(const Json& object, std::string where)
    : object_(object.is_object() ? &object : nullptr), where_(std::move(where)) {
  if (object_ == nullptr) errors_.push_back("expected an object, found " + shown(object));
}

const Json* FieldReader::find(std::string_view name, Need need) {
  if (object_ == nullptr) return nullptr;
  asked_.emplace_back(name);
  const auto found = object_->find(asked_.back());
  if (found != object_->end()) return &*found;
  if (need == Need::required) errors_.push_back(fmt::format("missing field \"{}\"", name));
  return nullptr;
}

template <typename T>
T FieldReader::required(std::string_view name) {
  T value{};
  const Json* json = find(name, Need::required);
  if (json != nullptr && !Form<T>::read(*json, value)) {
    fail(name, fmt::format("expected {}, found {}", Form<T>::name(), shown(*json)));
    return T{};
  }
  return value;
}

template <typename T>
std::optional<T> FieldReader::optional(std::string_view name) {
  const Json* json = find(name, Need::optional);
  if (json == nullptr || json->is_null()) return std::nullopt;
  T value{};
  if (Form<T>::read(*json, value)) return value;
  fail(name, fmt::format("expected {}, found {}", Form<T>::name(), shown(*json)));
  return std::nullopt;
}

const Json* FieldReader::find_typed(std::string_view name, Need need, bool array) {
  const Json* json = find(name, need);
  if (json == nullptr || (need == Need::optional && json->is_null())) return nullptr;
  if (array ? json->is_array() : json->is_object()) return json;
  fail(name, fmt::format("expected {}, found {}", array ? "a list" : "an object", shown(*json)));
  return nullptr;
}

const Json* FieldReader::required_object(std::string_view name) {
  return find_typed(name, Need::required, false);
}
const Json* FieldReader::required_array(std::string_view name) {
  return find_typed(name, Need::required, true);
}
const Json* FieldReader::optional_object(std::string_view name) {
  return find_typed(name, Need::optional, false);
}
const Json* FieldReader::optional_array(std::string_view name) {
  return find_typed(name, Need::optional, true);
}
const Json* FieldReader::required_any(std::string_view name) {
  return find(name, Need::required);
}
const Json* FieldReader::optional_any(std::string_view name) {
  return find(name, Need::optional);
}

void FieldReader::fail(std::string_view name, std::string_view complaint) {
  errors_.push_back(fmt::format("field \"{}\": {}", name, complaint));
}

void FieldReader::fail(const Error& error) {
  errors_.push_back(error.message);
}

Status FieldReader::status() const {
  if (errors_.empty()) return ok();
  return invalid_input(where_ + ": " + join(errors_, "; "));
}

std::map<std::string, std::string> FieldReader::unknown() const {
  std::map<std::string, std::string> left;
  if (object_ == nullptr) return left;
  for (const auto& [key, value] : object_->items()) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) left.emplace(key, to_json_text(value));
  }
  return left;
}

// Every type a field may have.
#define KA_FIELD_TYPE(...)                                                   \
  template __VA_ARGS__ FieldReader::required<__VA_ARGS__>(std::string_view); \
  template std::optional<__VA_ARGS__> FieldReader::optional<__VA_ARGS__>(std::string_view);
KA_FIELD_TYPE(bool)
KA_FIELD_TYPE(int)
KA_FIELD_TYPE(std::int64_t)
KA_FIELD_TYPE(std::uint64_t)
KA_FIELD_TYPE(double)
KA_FIELD_TYPE(std::string)
KA_FIELD_TYPE(std::vector<bool>)
KA_FIELD_TYPE(std::vector<std::int64_t>)
KA_FIELD_TYPE(std::vector<double>)
KA_FIELD_TYPE(std::vector<std::string>)
KA_FIELD_TYPE(std::map<std::string, std::int64_t>)
KA_FIELD_TYPE(std::map<std::string, double>)
KA_FIELD_TYPE(std::map<std::string, std::string>)
#undef KA_FIELD_TYPE

Result<Json> parse_json(std::string_view text, const std::string& where) {
  constexpr std::size_t kShownMessage = 300;
  StrictWatch watch;
  try {
    Json json = Json::parse(text, std::ref(watch));
    if (!watch.complaint().empty()) return invalid_input(where + ": " + watch.complaint());
    return json;
  } catch (const Json::exception& error) {
    return invalid_input(where + ": " + elide_middle(without_tag(error.what()), kShownMessage));
  }
}

std::string to_json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_pretty_json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ka

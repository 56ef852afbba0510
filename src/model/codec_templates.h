// The second half of model/codec.h, which includes it.
#pragma once

#include "model/codec.h"

namespace ka::model {

template <class T>
void encode(Json& out, const std::vector<T>& values) {
  make_array(out);
  for (const T& value : values) encode(append(out), value);
}

template <class T>
void encode(Json& out, const std::map<std::string, T>& values) {
  make_object(out);
  for (const auto& [name, value] : values) encode(member(out, name), value);
}

template <class T>
  requires std::is_aggregate_v<T>
void encode(Json& out, const T& value) {
  FieldWriter writer(out);
  fields(writer, value);
}

template <class T>
std::string decode(const Json& json, std::vector<T>& values) {
  std::string complaint;
  if (!is_array(json, complaint)) return complaint;
  values.clear();
  for (std::size_t i = 0; i < size(json); ++i) {
    complaint = decode(element(json, i), values.emplace_back());
    if (!complaint.empty()) return "entry " + std::to_string(i) + ": " + complaint;
  }
  return {};
}

template <class T>
std::string decode(const Json& json, std::map<std::string, T>& values) {
  std::string complaint;
  if (!is_object(json, complaint)) return complaint;
  values.clear();
  for (const auto& [name, entry] : members(json)) {
    complaint = decode(*entry, values[name]);
    if (!complaint.empty()) return "entry \"" + name + "\": " + complaint;
  }
  return {};
}

template <class T>
  requires std::is_aggregate_v<T>
std::string decode(const Json& json, T& value) {
  FieldLoader loader(json, "");
  fields(loader, value);
  return joined(loader.reader().errors());
}

// The reading half of a value's JSON form: schema first, then all fields; one message names all that is wrong.
template <class T>
Result<T> read_value(const Json& json, const std::string& what) {
  KA_TRY(check_schema(json, what, T::kSchema));
  T value;
  FieldLoader loader(json, what);
  fields(loader, value);
  KA_TRY(loader.reader().status());
  return value;
}

}  // namespace ka::model

// From one list of fields to both directions of a JSON form. Internal to this folder: only its sources include it.
//
//   void fields(auto& f, Of<CheckRun> auto& x) {
//     f("name", x.name);
//     f("count", x.count);
//     f.keep(x.unknown);
//   }
//
// Every field is required when read, but for std::optional ones, which are left out when empty (null reads as empty).
// Doubles may be "nan", "inf", "-inf"; unsigned 64-bit numbers are texts of decimal digits. A value that stands in a
// file of its own has a member `schema` and a constant kSchema: a newer schema is refused before fields are looked at.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/result.h"
#include "ir/dtype.h"
#include "model/attribute.h"
#include "model/json_text.h"
#include "model/unknown_fields.h"

namespace ka::model {

template <class X, class T>
concept Of = std::same_as<std::remove_const_t<X>, T>;

// The part of the JSON library that the templates below need.
void make_array(Json& out);
void make_object(Json& out);
Json& append(Json& array);
Json& member(Json& object, const std::string& name);
// False and a complaint when it is something else.
bool is_array(const Json& json, std::string& complaint);
bool is_object(const Json& json, std::string& complaint);
std::size_t size(const Json& array);
const Json& element(const Json& array, std::size_t index);
std::vector<std::pair<std::string, const Json*>> members(const Json& object);
std::string joined(const std::vector<std::string>& complaints);
Status check_schema(const Json& json, const std::string& what, int newest);

void encode(Json& out, bool value);
void encode(Json& out, int value);
void encode(Json& out, std::int64_t value);
void encode(Json& out, std::uint64_t value);
void encode(Json& out, double value);
void encode(Json& out, const std::string& value);
void encode(Json& out, ir::DType value);
void encode(Json& out, const Attribute& value);
void encode(Json& out, const JsonText& value);

// Returns what is wrong, or an empty text. `value` is only good when nothing is.
std::string decode(const Json& json, bool& value);
std::string decode(const Json& json, int& value);
std::string decode(const Json& json, std::int64_t& value);
std::string decode(const Json& json, std::uint64_t& value);
std::string decode(const Json& json, double& value);
std::string decode(const Json& json, std::string& value);
std::string decode(const Json& json, ir::DType& value);
std::string decode(const Json& json, Attribute& value);
std::string decode(const Json& json, JsonText& value);

template <class T>
void encode(Json& out, const std::vector<T>& values);
template <class T>
void encode(Json& out, const std::map<std::string, T>& values);
template <class T>
  requires std::is_aggregate_v<T>
void encode(Json& out, const T& value);
template <class T>
std::string decode(const Json& json, std::vector<T>& values);
template <class T>
std::string decode(const Json& json, std::map<std::string, T>& values);
template <class T>
  requires std::is_aggregate_v<T>
std::string decode(const Json& json, T& value);

class FieldWriter {
 public:
  explicit FieldWriter(Json& out) : out_(out) { make_object(out_); }
  template <class T>
  void operator()(const char* name, const T& value) { encode(member(out_, name), value); }
  template <class T>
  void operator()(const char* name, const std::optional<T>& value) {
    if (value) encode(member(out_, name), *value);
  }
  void keep(const UnknownFields& unknown);

 private:
  Json& out_;
};

class FieldLoader {
 public:
  FieldLoader(const Json& json, const std::string& where) : in_(json, where) {}
  template <class T>
  void operator()(const char* name, T& value) { take(in_.required_any(name), name, value); }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) {
    const Json* json = in_.optional_any(name);
    if (json != nullptr && !is_null(*json)) take(json, name, value.emplace());
  }
  void keep(UnknownFields& unknown) { unknown = in_.unknown(); }
  FieldReader& reader() { return in_; }

 private:
  static bool is_null(const Json& json);
  template <class T>
  void take(const Json* json, const char* name, T& value) {
    if (json == nullptr) return;
    std::string complaint = decode(*json, value);
    if (!complaint.empty()) in_.fail(name, complaint);
  }
  FieldReader in_;
};

}  // namespace ka::model

#include "model/codec_templates.h"

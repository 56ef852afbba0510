// Strict reading of JSON objects. Errors are collected, so that one message names everything that is wrong:
//
//   FieldReader in(json, "verdict");
//   verdict.accepted = in.required<bool>("accepted");
//   verdict.reason = in.optional<std::string>("reason").value_or("");
//   verdict.unknown = in.unknown();  // fields nobody asked for, kept as JSON text
//   KA_TRY(in.status());             // verdict: missing field "accepted"; ...
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ka {

// T is one of bool, int, std::int64_t, std::uint64_t, double, std::string, std::vector<bool | std::int64_t |
// double | std::string>, std::map<std::string, std::string | std::int64_t | double>. Whole numbers are read
// into a double, a fraction or a number out of range never into an integer type. Nothing is converted from or
// to text.
class FieldReader {
 public:
  // Keeps a reference to `object`, which must outlive the reader. Not an object: an error, all fields
  // missing.
  FieldReader(const Json& object, std::string where);
  FieldReader(Json&& object, std::string where) = delete;

  // The value, or T{} and a collected error when the field is missing or ill-typed (null is ill-typed).
  template <typename T>
  T required(std::string_view name);

  // Nothing when the field is absent or null; ill-typed is an error.
  template <typename T>
  std::optional<T> optional(std::string_view name);

  // For nested values. Null pointer (with an error for the required ones) when it is not there or of another
  // type.
  const Json* required_object(std::string_view name);
  const Json* required_array(std::string_view name);
  const Json* optional_object(std::string_view name);
  const Json* optional_array(std::string_view name);
  // A field of any type, null included.
  const Json* required_any(std::string_view name);
  const Json* optional_any(std::string_view name);

  // Reports a complaint of the caller's own ('field "tier": must be fp32 or tf32') with the others.
  void fail(std::string_view name, std::string_view complaint);
  // Takes over the error of a nested reader.
  void fail(const Error& error);

  bool good() const { return errors_.empty(); }
  // All errors in one invalid_input, "where: a; b; c".
  Status status() const;
  const std::vector<std::string>& errors() const { return errors_; }
  const std::string& where() const { return where_; }

  // Fields not asked for so far, as JSON text. Call it last.
  std::map<std::string, std::string> unknown() const;

 private:
  enum class Need { required, optional };
  const Json* find(std::string_view name, Need need);
  const Json* find_typed(std::string_view name, Need need, bool array);

  const Json* object_;  // null when the value given was no object
  std::string where_;
  std::vector<std::string> asked_;
  std::vector<std::string> errors_;
};

// Strict parse of untrusted text: the whole text must be one value, nested at most 100 deep, no object may
// name a field twice. `where` starts the error message, which gives line and column.
Result<Json> parse_json(std::string_view text, const std::string& where);

// One line; bytes that are not UTF-8 are replaced (the library would throw).
std::string to_json_text(const Json& json);
// Two blanks per level, ends with a line end: the form of files that people read.
std::string to_pretty_json_text(const Json& json);

}  // namespace ka

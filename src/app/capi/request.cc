#include "app/capi/request.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"

namespace ka::capi {
namespace {

constexpr const char* kWhere = "request";
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

bool is_word(std::string_view text) {
  return !text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

// Nothing for a flag that is left out.
Result<std::string> flag_word(const std::string& key, const Json& value) {
  std::string name = key;
  std::replace(name.begin(), name.end(), '_', '-');
  if (!is_word(name)) return invalid_input(fmt::format("{}: \"{}\" is not the name of a flag; write it as in \"max_minutes\"", kWhere, key));
  if (value.is_null() || (value.is_boolean() && !value.get<bool>())) return std::string();
  if (value.is_boolean()) return "--" + name;
  if (value.is_string()) return fmt::format("--{}={}", name, value.get<std::string>());
  if (value.is_number()) return fmt::format("--{}={}", name, value.dump());
  return invalid_input(fmt::format("{}: flag \"{}\" is a list or an object; a text, a number, true, false or null is expected", kWhere, key));
}

void put(std::vector<std::string>& environment, const std::string& name, const Json& value) {
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  if (value.is_string()) environment.push_back(name + "=" + value.get<std::string>());
}

}  // namespace

Result<JobRequest> parse_request(std::string_view text, const std::vector<std::string>& environment) {
  if (text.size() > kMaxBytes) return invalid_input(fmt::format("{}: longer than 16 MiB", kWhere));
  KA_ASSIGN(const Json json, parse_json(std::string(text), kWhere));
  FieldReader in(json, kWhere);
  const std::string command = in.required<std::string>("command");
  const Json* flags = in.optional_object("flags");
  const std::optional<std::vector<std::string>> words = in.optional<std::vector<std::string>>("words");
  const Json* variables = in.optional_object("environment");
  JobRequest out;
  out.folder = in.optional<std::string>("folder").value_or("");
  KA_TRY(in.status());
  if (const auto unknown = in.unknown(); !unknown.empty())
    return invalid_input(fmt::format("{}: unknown field \"{}\"; accepted: command, flags, words, folder, environment", kWhere, unknown.begin()->first));
  if (!is_word(command)) return invalid_input(fmt::format("{}: \"{}\" is not the name of a command", kWhere, command));
  const Json empty = Json::object();
  out.words = {command};
  for (const auto& [key, value] : (flags != nullptr ? *flags : empty).items()) {
    KA_ASSIGN(std::string word, flag_word(key, value));
    if (!word.empty()) out.words.push_back(std::move(word));
  }
  for (const std::string& word : words.value_or(std::vector<std::string>())) {
    if (word.starts_with("-")) return invalid_input(fmt::format("{}: \"{}\" begins like a flag; flags belong into \"flags\"", kWhere, word));
    out.words.push_back(word);
  }
  out.environment = environment;
  for (const auto& [name, value] : (variables != nullptr ? *variables : empty).items()) {
    if (name.empty() || name.find('=') != std::string::npos || !(value.is_string() || value.is_null()))
      return invalid_input(fmt::format("{}: \"{}\" is no variable with a text (or null)", kWhere, name));
    put(out.environment, name, value);
  }
  return out;
}

}  // namespace ka::capi

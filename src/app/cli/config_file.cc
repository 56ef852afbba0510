#include "app/cli/config_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "os/files.h"

namespace ka::app {
namespace {

constexpr std::size_t kMaxConfigBytes = std::size_t{1} << 20;

Result<ConfigEntry> entry_of(const YAML::Node& key, const YAML::Node& value, const std::string& path) {
  const int line = key.Mark().line + 1;
  if (!key.IsScalar()) return invalid_input(fmt::format("{}: line {}: a name is expected before the colon", path, line));
  ConfigEntry out{key.Scalar(), "", value.IsNull(), line};
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  if (!std::all_of(out.key.begin(), out.key.end(), is_plain)) return invalid_input(fmt::format("{}: line {}: a name has letters, digits, underscores and dashes", path, line));
  if (value.IsMap()) return invalid_input(fmt::format("{}: line {}: {} holds names of its own; a config file has one level: NAME: VALUE", path, line, out.key));
  if (value.IsSequence()) return invalid_input(fmt::format("{}: line {}: {} is a list; one value is expected", path, line, out.key));
  if (!out.null) out.value = value.Scalar();
  std::replace(out.key.begin(), out.key.end(), '-', '_');
  return out;
}

Result<std::vector<ConfigEntry>> entries_of(const YAML::Node& root, const std::string& path) {
  std::vector<ConfigEntry> out;
  if (root.IsNull()) return out;
  if (!root.IsMap()) return invalid_input(fmt::format("{}: a config file has one NAME: VALUE per line", path));
  for (const auto& row : root) {
    KA_ASSIGN(ConfigEntry entry, entry_of(row.first, row.second, path));
    const auto same = [&](const ConfigEntry& other) { return other.key == entry.key; };
    if (std::any_of(out.begin(), out.end(), same)) return invalid_input(fmt::format("{}: line {}: {} is there twice", path, entry.line, entry.key));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

Result<std::vector<ConfigEntry>> parse_config(std::string_view text, const std::string& path) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() > 1) return invalid_input(fmt::format("{}: there are {} documents in it; one is expected", path, documents.size()));
    if (documents.empty()) return std::vector<ConfigEntry>();
    return entries_of(documents[0], path);
  } catch (const YAML::Exception& error) {
    const std::string line = error.mark.is_null() ? "" : fmt::format("line {}: ", error.mark.line + 1);
    return invalid_input(fmt::format("{}: {}this is no YAML: {}", path, line, error.msg));
  } catch (const std::exception& error) {
    return invalid_input(fmt::format("{}: this is no YAML: {}", path, error.what()));
  }
}

Result<std::vector<ConfigEntry>> read_config(const std::string& path) {
  KA_ASSIGN(const std::string text, os::read_file(path, kMaxConfigBytes));
  return parse_config(text, path);
}

}  // namespace ka::app

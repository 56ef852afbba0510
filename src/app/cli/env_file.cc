#include "app/cli/env_file.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/strings.h"
#include "os/files.h"

namespace ka::app {
namespace {

constexpr std::size_t kMaxEnvBytes = std::size_t{1} << 20;
constexpr std::string_view kExport = "export";

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), fits);
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The value in quotes that begins the text; nothing when they are not closed or something but a comment follows.
std::optional<std::string> in_quotes(std::string_view text) {
  const char mark = text[0];
  std::string out;
  std::size_t at = 1;
  for (; at < text.size() && text[at] != mark; ++at) {
    const bool escape = mark == '"' && text[at] == '\\' && at + 1 < text.size();
    if (!escape) {
      out += text[at];
      continue;
    }
    const char next = text[++at];
    if (next == 'n') out += '\n';
    else if (next == 't') out += '\t';
    else if (next == '"' || next == '\\') out += next;
    else out += {'\\', next};
  }
  if (at >= text.size()) return std::nullopt;
  const std::string rest = trim(text.substr(at + 1));
  return rest.empty() || rest[0] == '#' ? std::optional(out) : std::nullopt;
}

std::string plain(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '#' && (at == 0 || is_blank(text[at - 1]))) return trim(text.substr(0, at));
  }
  return trim(text);
}

}  // namespace

Result<EnvFile> parse_env_file(std::string_view text, const std::string& path) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  EnvFile out;
  int number = 0;
  for (const std::string& raw : split(text, '\n')) {
    ++number;
    std::string line = trim(raw);
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with(kExport) && line.size() > kExport.size() && is_blank(line[kExport.size()])) line = trim(std::string_view(line).substr(kExport.size()));
    const std::size_t equals = line.find('=');
    const std::string name = trim(std::string_view(line).substr(0, equals));
    if (equals == std::string::npos || !is_name(name)) return invalid_input(fmt::format("{}: line {} is not NAME=VALUE; a comment begins with #", path, number));
    const std::string value = trim(std::string_view(line).substr(equals + 1));
    if (value.find('\0') != std::string::npos) return invalid_input(fmt::format("{}: line {} has a zero byte", path, number));
    if (value.starts_with('"') || value.starts_with('\'')) {
      std::optional<std::string> inside = in_quotes(value);
      if (!inside) return invalid_input(fmt::format("{}: line {}: the quotes of {} must be closed on the same line, and only a comment may follow them", path, number, name));
      out[name] = {std::move(*inside), number};
    } else {
      out[name] = {plain(value), number};
    }
  }
  return out;
}

Result<EnvFile> read_env_file(const std::string& path) {
  if (os::is_directory(path)) return EnvFile{};
  Result<std::string> text = os::read_file(path, kMaxEnvBytes);
  if (!text && text.error().kind == ErrorKind::not_found) return EnvFile{};
  if (!text) return text.error();
  return parse_env_file(*text, path);
}

}  // namespace ka::app

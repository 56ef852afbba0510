#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/strings.h"
#include "model/run_directory.h"
#include "model/temporary_name.h"

namespace ka::model {

namespace {

constexpr std::size_t kMaxPart = 255;  // what Linux file systems allow
constexpr std::array<std::string_view, 4> kOwnFiles = {"run.json", "journal.jsonl", "events.jsonl", "lock"};

Error unfit(std::string_view name, std::string_view why) {
  std::string shown;
  for (char c : name) shown += (c >= ' ' && c <= '~') ? c : '?';
  return invalid_input(fmt::format("artefact name \"{}\": {}", elide_middle(shown, 80), why));
}

}  // namespace

bool is_temporary_name(std::string_view name) {
  constexpr std::string_view kMark = ".tmp";
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return false;
  const std::string_view tail = name.substr(mark + kMark.size());
  return !tail.empty() && std::ranges::all_of(tail, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
}

Status check_artifact_name(std::string_view name) {
  if (name.empty()) return unfit(name, "it is empty");
  if (name.size() > kMaxArtifactName) return unfit(name, fmt::format("longer than {} bytes", kMaxArtifactName));
  if (!std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; })) {
    return unfit(name, "only printable ASCII characters are allowed");
  }
  if (name.front() == '/') return unfit(name, "it must be relative to the run directory");
  for (const std::string& part : split(name, '/')) {
    if (part.empty()) return unfit(name, "it has an empty part");
    if (part == "." || part == "..") return unfit(name, fmt::format("\"{}\" is not allowed in it", part));
    if (part.size() > kMaxPart) return unfit(name, fmt::format("a part is longer than {} bytes", kMaxPart));
    if (is_temporary_name(part)) return unfit(name, "it has the form of a temporary file");
  }
  const std::string_view first = name.substr(0, name.find('/'));
  if (std::ranges::find(kOwnFiles, first) != kOwnFiles.end()) {
    return unfit(name, "that file belongs to the run directory itself");
  }
  return ok();
}

}  // namespace ka::model

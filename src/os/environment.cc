#include "os/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/strings.h"

namespace ka::os {
namespace {

// Variables that change how programs print, find each other or see a GPU, and never hold a secret. Sorted.
constexpr std::array<std::string_view, 12> kAllowed = {
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "NO_COLOR",
    "PATH",
    "TERM",
    "TZ",
    "TZDIR",
};
static_assert(std::is_sorted(kAllowed.begin(), kAllowed.end()));

constexpr std::array<std::string_view, 10> kLocale = {
    "LC_ADDRESS",  "LC_COLLATE",  "LC_CTYPE",   "LC_IDENTIFICATION", "LC_MEASUREMENT",
    "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_PAPER",          "LC_TIME",
};
static_assert(std::is_sorted(kLocale.begin(), kLocale.end()));

bool is_executable_file(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> get_env(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

bool environment_allowed(std::string_view name) {
  return std::binary_search(kAllowed.begin(), kAllowed.end(), name) ||
         std::binary_search(kLocale.begin(), kLocale.end(), name);
}

std::vector<std::string> clean_environment(const std::string& home) {
  std::vector<std::string> entries = {"HOME=" + home};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && environment_allowed(text.substr(0, equals))) {
      entries.emplace_back(text);
    }
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::optional<std::string> find_program(const std::string& name) {
  return find_program(name, get_env("PATH").value_or("/usr/local/bin:/usr/bin:/bin"));
}

std::optional<std::string> find_program(const std::string& name, std::string_view path) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) {
    return is_executable_file(name) ? std::optional(name) : std::nullopt;
  }
  for (const std::string& folder : split(path, ':')) {
    // An empty entry would mean the current folder: whatever lies there must not be started by accident.
    if (folder.empty()) continue;
    const std::string candidate = folder + "/" + name;
    if (is_executable_file(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace ka::os

// Environment variables: reading ours, choosing those of children.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ka::os {

// Nothing when the variable is not set; an empty one is an empty text.
std::optional<std::string> get_env(const std::string& name);

// Environment for a child: an allow-list of harmless variables of ours (PATH, LANG, LC_*, TZ, TERM ...), HOME
// replaced. A name that looks like a key is never passed on. Sorted.
std::vector<std::string> clean_environment(const std::string& home = "/nonexistent");

// Is this variable on the allow-list? Exposed for the table's test and for the sandbox.
bool environment_allowed(std::string_view name);

// Full path of a program in the folders of `path` (by default our PATH), if it is there and executable.
std::optional<std::string> find_program(const std::string& name);
std::optional<std::string> find_program(const std::string& name, std::string_view path);

}  // namespace ka::os

// Files of NAME=VALUE lines (.env): an export before the name, quotes around the value and comments are allowed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ka::app {

struct EnvEntry {
  std::string value;
  int line = 0;
};
// The last line of a name counts.
using EnvFile = std::map<std::string, EnvEntry, std::less<>>;

// A line that is none of these is invalid_input and named by its number, never by its text, which may be a key. In double quotes \n, \t, \" and
// \\ stand for what they do elsewhere; nothing else is replaced.
Result<EnvFile> parse_env_file(std::string_view text, const std::string& path);

// No file, or a folder of that name, is an empty one.
Result<EnvFile> read_env_file(const std::string& path);

}  // namespace ka::app

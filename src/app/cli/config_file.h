// Config files: YAML, NAME: VALUE; a few names may hold a map of such lines (config_keys.h). The only place that knows the YAML library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ka::app {

struct ConfigEntry {
  std::string key;    // with underscores, also where the file has dashes; "map.name" inside a map
  std::string value;  // as written
  bool null = false;  // stands for "not given"
  int line = 0;
};

// In the order of the file. A list or another map as a value, the same key twice, and whatever is no YAML are invalid_input with the line's number.
Result<std::vector<ConfigEntry>> parse_config(std::string_view text, const std::string& path);
Result<std::vector<ConfigEntry>> read_config(const std::string& path);

}  // namespace ka::app

// Files that travel inside the program: the Python scripts of python/bridge and the native sandbox library that the
// warm interpreter loads. Embedding them makes the program one file that runs wherever an interpreter is.
#pragma once

#include <span>
#include <string_view>

namespace ka::bridge {

struct EmbeddedScript {
  std::string_view name;  // module name inside the package ka_bridge, e.g. "server"
  std::string_view source;
};

// All scripts of python/bridge except the loader, in alphabetical order.
std::span<const EmbeddedScript> embedded_scripts();
// Text given to `python -c`.
std::string_view loader_script();
// Bytes of libka_sandbox.so.
std::string_view sandbox_library();

}  // namespace ka::bridge

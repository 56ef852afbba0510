#include "bridge/embedded.h"

#include <array>
#include <cstddef>

// The bytes come from a generated assembler file; the generated list names them.
#define KA_EMBEDDED(name) extern "C" const char ka_embedded_##name[], ka_embedded_##name##_end[];
#include "embedded_table.inc"
#undef KA_EMBEDDED
extern "C" const char ka_embedded_sandbox_so[], ka_embedded_sandbox_so_end[];

namespace ka::bridge {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::span<const EmbeddedScript> embedded_scripts() {
#define KA_EMBEDDED(name) EmbeddedScript{#name, between(ka_embedded_##name, ka_embedded_##name##_end)},
  static const auto scripts = std::to_array<EmbeddedScript>({
#include "embedded_table.inc"
  });
#undef KA_EMBEDDED
  return std::span(scripts).subspan(1);  // the first is the loader
}

std::string_view loader_script() { return between(ka_embedded_loader, ka_embedded_loader_end); }

std::string_view sandbox_library() { return between(ka_embedded_sandbox_so, ka_embedded_sandbox_so_end); }

}  // namespace ka::bridge

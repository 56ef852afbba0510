// A change to a JSON text that keeps it JSON: a fuzzer that only changes bytes hardly gets past the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ka::fuzz {

// One value of the document is removed, doubled, or replaced by another one of it or by one that is seldom thought of. The same for the same
// seed. A text that is no JSON comes back as it is.
std::string mutated_json(std::string_view text, std::uint32_t seed);

}  // namespace ka::fuzz

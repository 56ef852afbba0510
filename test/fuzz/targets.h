// What is fuzzed: every reader of text that comes from outside. A target gets bytes and must come back: no crash, no endless loop, no
// claim of ours that does not hold (KA_CHECK, and the properties that the target itself checks). docs/fuzzing.md says how to run them.
#pragma once

#include <span>
#include <string_view>

namespace ka::fuzz {

struct Target {
  std::string_view name;  // also the folder of its seeds
  void (*run)(std::string_view bytes);
  int copies = 100;  // damaged ones of each seed in a test run, of two kinds: fewer where one takes milliseconds
};

std::span<const Target> all_targets();
const Target* find_target(std::string_view name);

}  // namespace ka::fuzz

// The problem as the user names it: `path.py` or `path.py:Name`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ka::problem {

inline constexpr std::size_t kMaxSourceBytes = std::size_t{4} << 20;

struct ProblemFile {
  std::string path;
  std::string object;  // empty = the KernelBench form
  std::string text;
};

// A Python file that the user names. What is wrong with it (missing, a folder, not to be read, too large, not UTF-8 text) is the
// user's to mend: invalid_input or not_found, in one sentence.
Result<std::string> read_source(const std::string& path, std::size_t most_bytes = kMaxSourceBytes);

// NAME of `path.py:NAME`, of `--entry NAME`.
bool is_identifier(std::string_view text);

// Splits the argument and reads the file. One clear sentence when the file is missing, a folder, too large or not text.
Result<ProblemFile> read_problem(const std::string& argument);

}  // namespace ka::problem

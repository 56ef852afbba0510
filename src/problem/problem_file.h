// The problem as the user names it: `path.py` or `path.py:Name`.
#pragma once

#include <string>

#include "base/result.h"

namespace ka::problem {

inline constexpr std::size_t kMaxSourceBytes = std::size_t{4} << 20;

struct ProblemFile {
  std::string path;
  std::string object;  // empty = the KernelBench form
  std::string text;
};

// Splits the argument and reads the file. One clear sentence when the file is missing, a folder, too large or not text.
Result<ProblemFile> read_problem(const std::string& argument);

}  // namespace ka::problem

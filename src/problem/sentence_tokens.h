// A sentence as words, numbers and shapes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ka::problem {

struct SentenceToken {
  enum class Kind { word, number, tuple, sizes } kind = Kind::word;  // tuple: "(2, 3)"; sizes: "2 x 3"
  std::string text;            // as it was written, words in small letters
  std::vector<double> values;  // of numbers: one, of tuples and sizes: all
};

// Hyphens and underscores separate words; "+", ",", "then" and other signs between operations are words of their own.
Result<std::vector<SentenceToken>> sentence_tokens(std::string_view sentence);

// A whole number that can be a size.
bool is_size(double value);

}  // namespace ka::problem

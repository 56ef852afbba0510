// A computation in plain words as a PyTorch program, by rule: "softmax over the last dimension of a 128 x 1000 tensor". Nothing is guessed: a word, number or
// shape without a meaning here is refused by name, and the program comes with a line that says how the words were understood. docs/sentences.md has what is
// understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ka::problem {

struct SentenceProblem {
  std::string text;                    // of a problem file in KernelBench form
  std::string understood;              // one line
  std::vector<std::string> operators;  // in order: {"bias", "gelu"}
};

// Bad input: what is not understood, and sentences that would be.
Result<SentenceProblem> problem_of_sentence(std::string_view sentence);

}  // namespace ka::problem

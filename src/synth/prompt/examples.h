// Which of the example kernels a program's author should see.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ka::prompt {

struct Example {
  std::string_view name;   // of the file: examples/<name>.py
  std::string_view title;  // for the prompt
};

std::span<const Example> all_examples();

// The examples for a program with these operators, in any spelling ("aten.linear.default", "nn.Conv2d", "F.softmax"): at most `most`, what is hardest to write
// first. A program of which nothing is known gets the pointwise one.
std::vector<Example> choose_examples(std::span<const std::string> operators, std::size_t most = 2);

}  // namespace ka::prompt

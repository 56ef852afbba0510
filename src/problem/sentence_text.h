// Small pieces of text of the programs that sentences become.
#pragma once

#include <string>
#include <string_view>

#include "problem/sentence_program.h"

namespace ka::problem {

// "(128, 1000)".
std::string shape_words(const Sizes& shape);
// "rows, columns": the names that the program has for them.
std::string python_names(const Sizes& shape);
// "2", "0.5", "1e-05": as Python reads it.
std::string number_text(double value);
// The sentence inside a docstring: one line, nothing that ends it.
std::string docstring_words(std::string_view sentence);
// Puts texts into the holes of a row of the table: {x}, {y}, {n} ...
std::string with_holes(std::string_view python, std::initializer_list<std::pair<std::string_view, std::string_view>> values);

}  // namespace ka::problem

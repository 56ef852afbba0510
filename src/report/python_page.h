// Python source as coloured HTML.
#pragma once

#include <string_view>
#include <vector>

#include "report/html.h"

namespace ka::report {

// The text with an element around each coloured piece. Names that the file defines at its left margin get an
// anchor "def-NAME" when `anchors` is set.
void add_python(Html& html, std::string_view source, bool anchors);

// The same line by line, without anchors: a text over several lines is coloured in each of them.
std::vector<Html> python_lines(std::string_view source);

}  // namespace ka::report

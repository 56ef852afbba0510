// Python source as coloured HTML.
#pragma once

#include <string_view>

#include "report/html.h"

namespace ka::report {

// The text with an element around each coloured piece. Names that the file defines at its left margin get an
// anchor "def-NAME" when `anchors` is set.
void add_python(Html& html, std::string_view source, bool anchors);

}  // namespace ka::report

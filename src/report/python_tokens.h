// Python source cut into the pieces that are coloured. Not a parser: it knows where strings, comments,
// numbers, names and decorators begin and end, which is enough for any text, also one that is no Python.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/html.h"

namespace ka::report {

enum class TokenKind { plain, keyword, definition, decorator, string, comment, number };

struct Token {
  TokenKind kind = TokenKind::plain;
  std::string_view text;
};

// All of the text, in order, nothing left out.
std::vector<Token> python_tokens(std::string_view source);

// The text with an element around each coloured piece. Names that the file defines at its left margin get an
// anchor "def-NAME" when `anchors` is set.
void add_python(Html& html, std::string_view source, bool anchors);

}  // namespace ka::report

// Python source cut into the pieces that are coloured or compared. Not a parser: it knows where strings, comments,
// numbers, names and decorators begin and end, which is enough for any text, also one that is no Python.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ka {

enum class TokenKind { plain, keyword, definition, decorator, string, comment, number };

struct Token {
  TokenKind kind = TokenKind::plain;
  std::string_view text;
};

// All of the text, in order, nothing left out.
std::vector<Token> python_tokens(std::string_view source);

// Whether a name, which is a part of the source, is defined (def, async def, class) at the left margin.
bool is_at_margin(std::string_view source, std::string_view name);

// The names that the text defines, or binds (NAME = ...), at its left margin, in order.
std::vector<std::string_view> outer_names(std::string_view source);

}  // namespace ka

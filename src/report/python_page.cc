#include "report/python_page.h"

#include <set>

#include "base/python_tokens.h"

namespace ka::report {
// One-letter elements: a page of three hundred kernels has half a million tokens.
void add_python(Html& html, std::string_view source, bool anchors) {
  std::set<std::string_view> anchored;
  for (const Token& token : python_tokens(source)) {
    switch (token.kind) {
      case TokenKind::plain:
        html.text(token.text);
        break;
      case TokenKind::keyword:
        html.tag("<b>", token.text, "</b>");
        break;
      case TokenKind::comment:
        html.tag("<i>", token.text, "</i>");
        break;
      case TokenKind::string:
        html.tag("<u>", token.text, "</u>");
        break;
      case TokenKind::number:
        html.tag("<a>", token.text, "</a>");
        break;
      case TokenKind::decorator:
        html.tag("<em>", token.text, "</em>");
        break;
      case TokenKind::definition:
        if (anchors && is_at_margin(source, token.text) && anchored.insert(token.text).second)
          html.raw("<dfn id=\"def-").text(token.text).raw("\">");
        else
          html.raw("<dfn>");
        html.text(token.text).raw("</dfn>");
    }
  }
}

}  // namespace ka::report

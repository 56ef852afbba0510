#include "report/python_page.h"

#include <set>

#include "base/python_tokens.h"

namespace ka::report {
namespace {

// One-letter elements: a page of three hundred kernels has half a million tokens.
void add_token(Html& html, TokenKind kind, std::string_view text) {
  switch (kind) {
    case TokenKind::plain:
      html.text(text);
      break;
    case TokenKind::keyword:
      html.tag("<b>", text, "</b>");
      break;
    case TokenKind::comment:
      html.tag("<i>", text, "</i>");
      break;
    case TokenKind::string:
      html.tag("<u>", text, "</u>");
      break;
    case TokenKind::number:
      html.tag("<a>", text, "</a>");
      break;
    case TokenKind::decorator:
      html.tag("<em>", text, "</em>");
      break;
    case TokenKind::definition:
      html.tag("<dfn>", text, "</dfn>");
  }
}

}  // namespace

void add_python(Html& html, std::string_view source, bool anchors) {
  std::set<std::string_view> anchored;
  for (const Token& token : python_tokens(source)) {
    if (token.kind == TokenKind::definition && anchors && is_at_margin(source, token.text) && anchored.insert(token.text).second)
      html.raw("<dfn id=\"def-").text(token.text).raw("\">").text(token.text).raw("</dfn>");
    else
      add_token(html, token.kind, token.text);
  }
}

std::vector<Html> python_lines(std::string_view source) {
  std::vector<Html> out(1);
  for (const Token& token : python_tokens(source)) {
    for (std::string_view rest = token.text;;) {
      const std::size_t end = rest.find('\n');
      if (const std::string_view piece = rest.substr(0, end); !piece.empty()) add_token(out.back(), token.kind, piece);
      if (end == std::string_view::npos) break;
      out.emplace_back();
      rest.remove_prefix(end + 1);
    }
  }
  return out;
}

}  // namespace ka::report

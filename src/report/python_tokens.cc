#include "report/python_tokens.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace ka::report {
namespace {

// Sorted by bytes.
constexpr auto kKeywords = std::to_array<std::string_view>({
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
});
static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// Bytes above 127 belong to letters of other alphabets.
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_in_name(char c) {
  return starts_name(c) || is_digit(c);
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) {}

  std::vector<Token> scan() {
    while (at_ < source_.size()) {
      const std::size_t begin = at_;
      const TokenKind kind = next();
      add(kind, source_.substr(begin, at_ - begin));
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  // Neighbours that are not coloured become one piece.
  void add(TokenKind kind, std::string_view text) {
    if (kind == TokenKind::plain && !tokens_.empty() && tokens_.back().kind == TokenKind::plain) {
      std::string_view& last = tokens_.back().text;
      last = std::string_view(last.data(), last.size() + text.size());
    } else {
      tokens_.push_back({kind, text});
    }
  }

  TokenKind next() {
    const char c = peek();
    if (c == '#') return comment();
    if (c == '"' || c == '\'') return string();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '@' && first_on_line_) return decorator();
    if (starts_name(c)) return name();
    ++at_;
    if (c == '\n')
      first_on_line_ = true;
    else if (c != ' ' && c != '\t')
      first_on_line_ = after_def_ = false;
    return TokenKind::plain;
  }

  TokenKind comment() {
    at_ = std::min(source_.find('\n', at_), source_.size());
    return TokenKind::comment;
  }

  TokenKind string() {
    first_on_line_ = after_def_ = false;
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    while (at_ < source_.size()) {
      if (peek() == '\\' && at_ + 1 < source_.size()) {
        at_ += 2;
      } else if (!triple && peek() == '\n') {
        return TokenKind::string;  // not closed: the rest of the file is not one string
      } else if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
        at_ += triple ? 3 : 1;
        return TokenKind::string;
      } else {
        ++at_;
      }
    }
    return TokenKind::string;
  }

  // Also 0x1F, 1_000, 1e-5, 2.5j.
  TokenKind number() {
    first_on_line_ = after_def_ = false;
    const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    while (is_in_name(peek()) || peek() == '.') {
      const char c = peek();
      ++at_;
      if ((c == 'e' || c == 'E') && !hexadecimal && (peek() == '-' || peek() == '+')) ++at_;
    }
    return TokenKind::number;
  }

  TokenKind decorator() {
    first_on_line_ = false;
    ++at_;
    while (is_in_name(peek()) || peek() == '.') ++at_;
    return TokenKind::decorator;
  }

  TokenKind name() {
    const std::size_t begin = at_;
    while (is_in_name(peek())) ++at_;
    const std::string_view word = source_.substr(begin, at_ - begin);
    const bool defined = after_def_;
    first_on_line_ = after_def_ = false;
    constexpr std::size_t kLongestPrefix = 2;  // rb"..."
    if ((peek() == '"' || peek() == '\'') && word.size() <= kLongestPrefix &&
        word.find_first_not_of("rRbBuUfF") == std::string_view::npos)
      return string();
    if (defined) return TokenKind::definition;
    if (!std::binary_search(kKeywords.begin(), kKeywords.end(), word)) return TokenKind::plain;
    after_def_ = word == "def" || word == "class";
    return TokenKind::keyword;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool first_on_line_ = true;
  bool after_def_ = false;
  std::vector<Token> tokens_;
};

// At the left margin: the keyword before it follows a line end, or begins the text.
bool is_outer(std::string_view source, std::string_view name) {
  const auto at = static_cast<std::size_t>(name.data() - source.data());
  const std::size_t line = at == 0 ? 0 : source.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  return source.substr(line, at - line).find_first_not_of("abcdefghijklmnopqrstuvwxyz ") ==
             std::string_view::npos &&
         line < at && source[line] != ' ';
}

}  // namespace

std::vector<Token> python_tokens(std::string_view source) {
  return Scanner(source).scan();
}

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
        if (anchors && is_outer(source, token.text) && anchored.insert(token.text).second)
          html.raw("<dfn id=\"def-").text(token.text).raw("\">");
        else
          html.raw("<dfn>");
        html.text(token.text).raw("</dfn>");
    }
  }
}

}  // namespace ka::report

#include "base/python_tokens.h"

#include <algorithm>
#include <array>
#include <string>

namespace ka {
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

}  // namespace

std::vector<Token> python_tokens(std::string_view source) {
  return Scanner(source).scan();
}

// The keyword before it follows a line end, or begins the text.
bool is_at_margin(std::string_view source, std::string_view name) {
  constexpr std::size_t kFarthest = 40;  // "async def ", with blanks to spare
  const auto at = static_cast<std::size_t>(name.data() - source.data());
  const std::size_t first = at > kFarthest ? at - kFarthest : 0;
  const std::size_t end = source.substr(first, at - first).rfind('\n');
  if (end == std::string_view::npos && first > 0) return false;
  const std::size_t line = end == std::string_view::npos ? 0 : first + end + 1;
  return line < at && source[line] != ' ' &&
         source.substr(line, at - line).find_first_not_of("abcdefghijklmnopqrstuvwxyz ") == std::string_view::npos;
}

namespace {

// NAME of a line "NAME = ..."; empty for any other line.
std::string_view bound_name(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && (end == 0 ? starts_name(line[end]) : is_in_name(line[end]))) ++end;
  std::size_t sign = end;
  while (sign < line.size() && line[sign] == ' ') ++sign;
  const bool binds = end > 0 && sign < line.size() && line[sign] == '=' && (sign + 1 == line.size() || line[sign + 1] != '=');
  return binds ? line.substr(0, end) : std::string_view();
}

}  // namespace

std::vector<std::string_view> outer_names(std::string_view source) {
  std::vector<std::string_view> names;
  bool at_line_start = true;
  for (const Token& token : python_tokens(source)) {
    if (token.kind == TokenKind::definition && is_at_margin(source, token.text)) names.push_back(token.text);
    if (token.kind == TokenKind::plain) {
      std::size_t line = at_line_start ? 0 : token.text.find('\n') + 1;  // npos + 1 is 0
      while (at_line_start || line > 0) {
        at_line_start = false;
        if (const std::string_view name = bound_name(token.text.substr(line)); !name.empty()) names.push_back(name);
        line = token.text.find('\n', line) + 1;
      }
    }
    at_line_start = !token.text.empty() && token.text.back() == '\n';
  }
  return names;
}

}  // namespace ka

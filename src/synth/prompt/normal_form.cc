#include "synth/prompt/normal_form.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/hash.h"
#include "base/python_tokens.h"

namespace ka::prompt {
namespace {

std::string with_lf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

bool is_plain_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n'; });
}

// A string token that is closed, and whose end is certain.
bool is_certain(std::string_view text) {
  const std::size_t quote = std::min(text.find_first_of("\"'"), text.size());
  const std::string_view prefix = text.substr(0, quote), body = text.substr(quote);
  const std::size_t marks = body.size() >= 6 && body[1] == body[0] && body[2] == body[0] ? 3 : 1;
  const bool closed = body.size() >= 2 * marks && body.back() == body[0] && body.substr(body.size() - marks) == std::string(marks, body[0]);
  if (!closed) return false;
  if (prefix.find_first_of("fF") == std::string_view::npos) return true;
  return std::count(text.begin(), text.end(), '{') == std::count(text.begin(), text.end(), '}');
}

// The policy reads line starts of texts ("def") and declarations of encodings.
bool may_go(const Token& token) {
  if (!is_plain_text(token.text)) return false;
  const bool is_comment = token.kind == TokenKind::comment;
  return token.text.find(is_comment ? "coding" : "def") == std::string_view::npos;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '"' || c == '\'' || static_cast<unsigned char>(c) >= 0x80; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }
bool is_bracket(char c) { return std::string_view("()[]{},;").find(c) != std::string_view::npos; }
// Whether two pieces may stand together: signs could become another sign, words another word, a point a part of a number.
bool may_touch(char left, char right) {
  if (left == '.' || right == '.') return false;
  return is_bracket(left) || is_bracket(right) || is_word(left) != is_word(right);
}

class Writer {
 public:
  void piece(std::string_view piece) {
    if (pending_ && !line_is_blank_ && !may_touch(text_.back(), piece.front())) text_ += ' ';
    pending_ = line_is_blank_ = false;
    text_.append(piece);
  }
  // Indentation is kept as it is.
  void plain(std::string_view plain) {
    for (std::size_t i = 0; i < plain.size();) {
      if (plain[i] == '\n') {
        end_line();
        ++i;
        continue;
      }
      const bool blank = is_blank(plain[i]);
      std::size_t end = i;
      while (end < plain.size() && plain[end] != '\n' && is_blank(plain[end]) == blank) ++end;
      if (!blank) {
        piece(plain.substr(i, end - i));
      } else if (line_is_blank_) {
        text_.append(plain.substr(i, end - i));
      } else {
        pending_ = true;
      }
      i = end;
    }
  }
  bool line_is_blank() const { return line_is_blank_; }
  std::string finish() {
    end_line();
    return std::move(text_);
  }

 private:
  void end_line() {
    if (line_is_blank_) {
      text_.resize(line_);
    } else {
      text_ += '\n';
    }
    line_ = text_.size();
    line_is_blank_ = true;
    pending_ = false;
  }

  std::string text_;
  std::size_t line_ = 0;       // where the line begins
  bool line_is_blank_ = true;  // so far
  bool pending_ = false;       // a blank that may be needed
};

// Brackets that are open after the pieces so far: a text inside them is no statement.
int brackets(std::string_view plain) {
  int depth = 0;
  for (const char c : plain) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return depth;
}

bool ends_line(const std::vector<Token>& tokens, std::size_t next) {
  if (next == tokens.size() || tokens[next].kind == TokenKind::comment) return true;
  const std::size_t first = tokens[next].text.find_first_not_of(" \t\f");
  if (first == std::string_view::npos) return ends_line(tokens, next + 1);
  return tokens[next].text[first] == '\n';
}

}  // namespace

std::string normal_form(std::string_view source) {
  const std::string text = with_lf(source);
  const std::vector<Token> tokens = python_tokens(text);
  const bool certain = std::all_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.kind != TokenKind::string || is_certain(token.text); });
  if (!certain) return text;
  Writer out;
  int depth = 0;
  bool continued = false;  // the line before ends with a backslash
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind == TokenKind::comment && may_go(token)) continue;
    const bool stands_alone = token.kind == TokenKind::string && depth == 0 && !continued && out.line_is_blank() && ends_line(tokens, i + 1);
    if (stands_alone && may_go(token)) continue;
    if (token.kind == TokenKind::plain) {
      depth += brackets(token.text);
      continued = token.text.find('\\') != std::string_view::npos;
      out.plain(token.text);
    } else {
      continued = false;
      out.piece(token.text);
    }
  }
  return out.finish();
}

std::string source_identity(std::string_view source) { return sha256_hex(normal_form(source)); }

}  // namespace ka::prompt

#include "problem/sentence_tokens.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/strings.h"

namespace ka::problem {
namespace {

using Token = SentenceToken;

bool is_number_start(std::string_view text, std::size_t at) {
  const auto digit = [&](std::size_t i) { return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; };
  if (digit(at)) return true;
  const bool signed_number = text[at] == '-' && digit(at + 1) && (at == 0 || std::string_view(" (,[=").find(text[at - 1]) != std::string_view::npos);
  return signed_number || (text[at] == '.' && digit(at + 1));
}

// The number at the place, and where it ends.
std::optional<std::pair<double, std::size_t>> number_at(std::string_view text, std::size_t at) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return std::pair(value, static_cast<std::size_t>(end - text.data()));
}

// Other spellings of signs, and small letters.
std::string plain_spelling(std::string_view sentence) {
  constexpr std::pair<std::string_view, std::string_view> spellings[] = {{"\xC3\x97", " x "}, {"\xE2\x86\x92", " -> "}, {"\xE2\x80\x93", "-"}, {"\xC2\xA0", " "}};
  std::string out;
  for (std::size_t i = 0; i < sentence.size();) {
    const auto* row = std::find_if(std::begin(spellings), std::end(spellings), [&](const auto& known) { return starts_with(sentence.substr(i, 4), known.first); });
    if (row != std::end(spellings)) {
      out += row->second;
      i += row->first.size();
    } else {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(sentence[i++])));
    }
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}

  Result<std::vector<Token>> read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '"' || c == '\'' || c == '`') {
        ++at_;
      } else if (c == '(' || c == '[') {
        KA_TRY(tuple());
      } else if (is_number_start(text_, at_)) {
        KA_TRY(number());
      } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        word();
      } else {
        KA_TRY(sign());
      }
    }
    join_words();
    return join_sizes();
  }

 private:
  Result<Unit> sign() {
    if (starts_with(std::string_view(text_).substr(at_), "->")) {
      tokens_.push_back({Token::Kind::word, "->", {}});
      at_ += 2;
      return ok();
    }
    const char c = text_[at_++];
    const bool ends_sentence = c == '.' || c == '!' || c == ';' || c == ':';
    const bool hyphen = c == '-' && !(at_ >= 2 && text_[at_ - 2] == ' ' && at_ < text_.size() && text_[at_] == ' ');
    if (ends_sentence || hyphen) return ok();
    if (std::string_view("+-,*/=").find(c) == std::string_view::npos) {
      std::string shown(1, c);
      while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80) shown += text_[at_++];
      if (static_cast<unsigned char>(c) < 0x20) shown = "control character";
      return invalid_input(fmt::format("the sign \"{}\" is not understood", shown));
    }
    tokens_.push_back({Token::Kind::word, std::string(1, c), {}});
    return ok();
  }

  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    tokens_.push_back({Token::Kind::word, text_.substr(begin, at_ - begin), {}});
  }

  // "3x3", "128x1000", "1d", "1e-5".
  Status number() {
    const std::size_t begin = at_;
    const auto read = number_at(text_, at_);
    if (!read) return invalid_input(fmt::format("the number at \"{}\" cannot be read", text_.substr(begin, 20)));
    Token token{Token::Kind::number, {}, {read->first}};
    at_ = read->second;
    while (at_ + 1 < text_.size() && text_[at_] == 'x' && std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) != 0) {
      const auto next = number_at(text_, at_ + 1);
      if (!next) break;
      token.kind = Token::Kind::sizes;
      token.values.push_back(next->first);
      at_ = next->second;
    }
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) {
      token.kind = Token::Kind::word;  // "1d", "4k"
      ++at_;
    }
    token.text = text_.substr(begin, at_ - begin);
    tokens_.push_back(std::move(token));
    return ok();
  }

  Status tuple() {
    const std::size_t begin = at_;
    const char close = text_[at_] == '(' ? ')' : ']';
    const std::size_t end = text_.find(close, at_);
    if (end == std::string::npos) return invalid_input(fmt::format("the bracket of \"{}\" is not closed", text_.substr(begin, 20)));
    Token token{Token::Kind::tuple, text_.substr(begin, end + 1 - begin), {}};
    const std::string inside = text_.substr(begin + 1, end - begin - 1);
    std::vector<std::string> pieces = split(inside, inside.find(',') == std::string::npos && inside.find('x') != std::string::npos ? 'x' : ',');
    if (pieces.size() > 1 && trim(pieces.back()).empty()) pieces.pop_back();  // "(1024,)"
    for (const std::string& piece : pieces) {
      const std::string bare = trim(piece);
      const auto read = bare.empty() ? std::nullopt : number_at(bare, 0);
      if (!read || read->second != bare.size()) return invalid_input(fmt::format("\"{}\" is no list of numbers", token.text));
      token.values.push_back(read->first);
    }
    at_ = end + 1;
    tokens_.push_back(std::move(token));
    return ok();
  }

  // "element wise" is one word, with or without a hyphen.
  void join_words() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
      if (tokens_[i].text == "element" && tokens_[i + 1].text == "wise") {
        tokens_[i].text = "elementwise";
        tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
  }

  // "128 x 1000", "128 by 1000".
  std::vector<Token> join_sizes() {
    std::vector<Token> joined;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const bool times = tokens_[i].kind == Token::Kind::word && (tokens_[i].text == "x" || tokens_[i].text == "by") && !joined.empty() && i + 1 < tokens_.size();
      const auto numeric = [](const Token& token) { return token.kind == Token::Kind::number || token.kind == Token::Kind::sizes; };
      if (times && numeric(joined.back()) && numeric(tokens_[i + 1])) {
        Token& sizes = joined.back();
        sizes.kind = Token::Kind::sizes;
        sizes.text += " x " + tokens_[i + 1].text;
        sizes.values.insert(sizes.values.end(), tokens_[i + 1].values.begin(), tokens_[i + 1].values.end());
        ++i;
      } else {
        joined.push_back(std::move(tokens_[i]));
      }
    }
    return joined;
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

bool is_size(double value) {
  constexpr double kLargest = 2147483647.0;
  return value >= 1 && value <= kLargest && value == std::floor(value);
}

Result<std::vector<SentenceToken>> sentence_tokens(std::string_view sentence) { return Reader(plain_spelling(sentence)).read(); }

}  // namespace ka::problem

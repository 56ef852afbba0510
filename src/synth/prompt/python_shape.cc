#include "synth/prompt/python_shape.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/python_tokens.h"
#include "base/strings.h"
#include "synth/prompt/fences.h"

namespace ka::prompt {
namespace {

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view first_word(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_in_word(line[end])) ++end;
  return line.substr(0, end);
}

// Words that begin a statement, and what must stand on the same line: prose may begin with "from" and "if" as well.
struct Statement {
  std::string_view word, needs;
};
constexpr auto kStatements = std::to_array<Statement>({
    {"import", ""}, {"from", " import "}, {"def", "("}, {"class", ""}, {"async", " def "}, {"if", ":"}, {"elif", ":"}, {"else", ":"}, {"for", " in "},
    {"while", ":"}, {"with", ":"}, {"try", ":"}, {"except", ":"}, {"finally", ":"}, {"return", ""}, {"raise", ""}, {"assert", ""}, {"pass", ""},
    {"del", ""}, {"global", ""},
});

bool is_import(std::string_view line) {
  const std::string_view word = first_word(line);
  if (word == "import") return line.size() > 7 && is_in_word(line[7]) && line.find_first_of(".!?", 7) != line.size() - 1;
  return word == "from" && line.find(" import ") != std::string_view::npos;
}

bool begins_statement(std::string_view line) {
  if (is_import(line) || starts_with(line, "@") || starts_with(line, "#") || starts_with(line, "\"\"\"") || starts_with(line, "'''")) return true;
  const std::string_view word = first_word(line);
  if ((word == "def" || word == "class") && line.find(':') == std::string_view::npos) return line.find('(') != std::string_view::npos;
  return word == "def" || word == "class" || starts_with(line, "async def ");
}

// A line at the left margin that code may have: a statement, the end of a bracket, a name with a sign behind it.
bool may_be_code(std::string_view line) {
  if (line.empty() || line[0] == ' ' || line[0] == '\t' || std::string_view(")]}#@\"'(").find(line[0]) != std::string_view::npos) return true;
  const std::string_view word = first_word(line);
  const auto row = std::find_if(kStatements.begin(), kStatements.end(), [&](const Statement& known) { return known.word == word; });
  if (row != kStatements.end()) return line.find(row->needs) != std::string_view::npos && (line.back() != '.' || word != "import");
  std::string_view rest = line.substr(word.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (word.empty() || rest.empty()) return false;
  const bool next_to_it = rest.size() == line.size() - word.size();
  return starts_with(rest, "=") || starts_with(rest, "+=") || (next_to_it && std::string_view("([.").find(rest[0]) != std::string_view::npos) ||
      (starts_with(rest, ":") && line.find('=') != std::string_view::npos) ||
         starts_with(rest, ", ");
}

constexpr auto kLeftOut = std::to_array<std::string_view>({"unchanged", "rest of", "same as", "as before", "existing", "remain", "omitted", "previous code", "your code",
    "goes here", "keep"});

}  // namespace

bool begins_file(std::string_view text) {
  for (const Token& token : python_tokens(text)) {
    if (token.kind == TokenKind::comment || token.kind == TokenKind::string) continue;
    if (token.kind == TokenKind::plain && trim(token.text).empty()) continue;
    return token.text == "import" || token.text == "from";
  }
  return false;
}

bool looks_like_python(std::string_view text) {
  const Guess guess = guess_language(text);
  if (guess.language != Language::unknown) return guess.language == Language::python;
  const std::vector<std::string_view> names = outer_names(text);
  std::size_t statements = 0, lines = 0;
  for (const std::string& line : split(text.substr(0, 100'000), '\n')) {
    if (trim(line).empty()) continue;
    ++lines;
    statements += begins_statement(line) && !starts_with(line, "#") ? 1 : 0;
    if (!may_be_code(line)) return false;
  }
  return lines > 0 && (statements > 0 || !names.empty());
}

std::string python_without_fence(std::string_view text) {
  std::string code;
  bool begun = false;
  std::size_t from = 0;
  while (from < text.size() && !begun) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view line = text.substr(from, end - from);
    begun = is_import(line) || starts_with(line, "@triton.") || (begins_statement(line) && starts_with(line, "\"\"\"") && looks_like_python(text.substr(from)));
    if (!begun) from = end + 1;
  }
  if (!begun) return {};
  // Line ends inside texts and brackets are no places where prose could begin.
  int depth = 0;
  bool line_start = true;
  for (const Token& token : python_tokens(text.substr(from))) {
    for (std::size_t i = 0; token.kind == TokenKind::plain && i < token.text.size(); ++i) {
      const char c = token.text[i];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
    }
    const auto at = static_cast<std::size_t>(token.text.data() - text.data());
    std::size_t line = line_start ? at : std::string_view::npos;
    for (std::size_t i = 0;;) {
      if (line != std::string_view::npos && depth <= 0) {
        const std::string_view whole = text.substr(line, std::min(text.find('\n', line), text.size()) - line);
        if (!whole.empty() && !may_be_code(whole)) return trim(text.substr(from, line - from)) + "\n";
      }
      if (token.kind == TokenKind::string) break;
      i = token.text.find('\n', i);
      if (i == std::string_view::npos || i + 1 == token.text.size()) break;
      line = at + ++i;
    }
    line_start = token.text.back() == '\n' && token.kind != TokenKind::string;
  }
  return trim(text.substr(from)) + "\n";
}

bool is_finished(std::string_view text) {
  int depth = 0;
  std::string_view last;
  for (const Token& token : python_tokens(text)) {
    if (token.kind == TokenKind::plain)
      for (const char c : token.text)
        depth += (std::string_view("([{").find(c) != std::string_view::npos ? 1 : 0) - (std::string_view(")]}").find(c) != std::string_view::npos ? 1 : 0);
    if (token.kind == TokenKind::string) {
      const char quote = token.text.back();
      if ((quote != '"' && quote != '\'') || token.text.size() < 2) return false;
    }
    if (token.kind != TokenKind::comment && !trim(token.text).empty()) last = token.text;
  }
  const std::string end = trim(last);
  return depth == 0 && !end.empty() && std::string_view("=+-*/%&|^~<>,:.\\@([{").find(end.back()) == std::string_view::npos;
}

bool has_only_imports(std::string_view text) {
  const std::vector<std::string> lines = split(text, '\n');
  return std::all_of(lines.begin(), lines.end(), [](const std::string& line) { return trim(line).empty() || line[0] == '#' || is_import(line); });
}

bool imports_module(std::string_view text, std::string_view module) {
  for (const std::string& line : split(text, '\n')) {
    const std::string bare = trim(line);
    for (const char* word : {"import ", "from "}) {
      if (!starts_with(bare, word)) continue;
      std::string_view name = std::string_view(bare).substr(std::string_view(word).size());
      while (!name.empty() && (name[0] == ' ' || name[0] == '.')) name.remove_prefix(1);
      if (first_word(name) == module) return true;
    }
  }
  return false;
}

std::optional<std::string> left_out_line(std::string_view text) {
  for (const Token& token : python_tokens(text)) {
    if (token.kind != TokenKind::comment) continue;
    std::string comment = trim(token.text.substr(1));
    for (char& c : comment) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool dots = starts_with(comment, "...") || starts_with(comment, "\xE2\x80\xA6") || ends_with(comment, "...") || ends_with(comment, "\xE2\x80\xA6");
    if (!dots) continue;
    for (const std::string_view word : kLeftOut)
      if (comment.find(word) != std::string::npos) return std::string(token.text);
  }
  return std::nullopt;
}

}  // namespace ka::prompt

#include "base/strings.h"

#include <algorithm>

namespace ka {
namespace {

constexpr std::string_view kBlank = " \t\r\n\v\f";

bool is_continuation_byte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Letters, digits and marks that no shell treats in a special way, at no place in a word.
bool is_plain_in_shell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:,+@%").find(c) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  std::size_t start = 0;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator, start)) {
    pieces.emplace_back(text.substr(start, at - start));
    start = at + 1;
  }
  pieces.emplace_back(text.substr(start));
  return pieces;
}

std::string trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlank) - first + 1));
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix);
}

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix);
}

std::string join(std::span<const std::string> pieces, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) text += separator;
    text += pieces[i];
  }
  return text;
}

// Three rows of the usual table of prefix distances; the row before last is needed for swaps.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> closest(std::string_view word, std::span<const std::string_view> among) {
  // One slip in three letters is a misspelling, more is another word. The length guard keeps the cost of a
  // pasted novel away from the quadratic distance.
  constexpr std::size_t kLongestWord = 64;
  constexpr std::size_t kShortestPrefix = 3;
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string> found;
  for (const std::string_view candidate : among) {
    const bool begun = word.size() >= kShortestPrefix && candidate.starts_with(word);
    const std::size_t distance = begun ? 1 : edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = std::string(candidate);
    }
  }
  return found;
}

std::string quote_shell(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain_in_shell)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string elide_middle(std::string text, std::size_t max) {
  constexpr std::string_view kGap = "...";
  if (text.size() <= max) return text;
  if (max <= kGap.size()) return std::string(kGap.substr(0, max));
  const std::size_t kept = max - kGap.size();
  std::size_t head = (kept + 1) / 2;
  std::size_t tail = text.size() - (kept - head);
  while (head > 0 && is_continuation_byte(text[head])) --head;
  while (tail < text.size() && is_continuation_byte(text[tail])) ++tail;
  return text.substr(0, head).append(kGap).append(text, tail);
}

std::string fold(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string out, line(indent, ' ');
  for (const std::string& word : split(text, ' ')) {
    if (line.size() > indent && line.size() + 1 + word.size() > columns) {
      out += line + "\n";
      line = std::string(indent, ' ');
    }
    line += (line.size() > indent ? " " : "") + word;
  }
  return out + line + "\n";
}

}  // namespace ka

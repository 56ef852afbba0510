#include "synth/prompt/reply_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace ka::prompt {
namespace {

// In UTF-8, and what they become.
constexpr auto kInvisible = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"\xEF\xBB\xBF", ""},     // byte order mark
    {"\xE2\x80\x8B", ""},     // zero width space
    {"\xE2\x80\x8C", ""},     // zero width non-joiner
    {"\xE2\x80\x8D", ""},     // zero width joiner
    {"\xE2\x80\x8E", ""},     // left-to-right mark
    {"\xE2\x80\x8F", ""},     // right-to-left mark
    {"\xE2\x81\xA0", ""},     // word joiner
    {"\xC2\xAD", ""},         // soft hyphen
    {"\xC2\xA0", " "},        // no-break space
    {"\xE2\x80\xAF", " "},    // narrow no-break space
    {"\xE2\x80\xA8", "\n"},   // line separator
    {"\xE2\x80\xA9", "\n"},   // paragraph separator
});

std::string plain_characters(std::string_view reply) {
  std::string out;
  out.reserve(reply.size());
  for (std::size_t i = 0; i < reply.size();) {
    const char c = reply[i];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const std::string_view rest = reply.substr(i, 3);
      const auto row = std::find_if(kInvisible.begin(), kInvisible.end(), [&](const auto& known) { return starts_with(rest, known.first); });
      if (row != kInvisible.end()) {
        out.append(row->second);
        i += row->first.size();
        continue;
      }
    }
    if (c == '\r') {
      out += '\n';
      i += i + 1 < reply.size() && reply[i + 1] == '\n' ? 2 : 1;
      continue;
    }
    out += c;
    ++i;
  }
  return out;
}

constexpr auto kThoughts = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"<think>", "</think>"},
    {"<thinking>", "</thinking>"},
    {"<thought>", "</thought>"},
    {"<reasoning>", "</reasoning>"},
});

// At the beginning of a line; npos when there is none.
std::size_t find_line(std::string_view text, std::string_view mark, std::size_t from) {
  for (std::size_t at = text.find(mark, from); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(" \t", at - 1);
    if (before == std::string_view::npos || text[before] == '\n') return at;
  }
  return std::string_view::npos;
}

bool remove_thoughts(std::string& text, std::string_view open, std::string_view close) {
  std::string kept;
  std::size_t from = 0;
  // Some templates put the opening mark into the question: then only the end of the thought is in the reply.
  const std::size_t first_open = find_line(text, open, 0), first_close = text.find(close);
  if (first_close < first_open) from = first_close + close.size();
  for (;;) {
    const std::size_t begin = find_line(text, open, from);
    kept.append(text, from, std::min(begin, text.size()) - from);
    if (begin == std::string::npos) break;
    const std::size_t end = text.find(close, begin);
    if (end == std::string::npos) {
      text = std::move(kept);
      return true;
    }
    from = end + close.size();
  }
  text = std::move(kept);
  return false;
}

}  // namespace

CleanText clean(std::string_view reply) {
  CleanText out{plain_characters(reply), false};
  for (const auto& [open, close] : kThoughts)
    if (out.text.find(open) != std::string::npos || out.text.find(close) != std::string::npos) out.unfinished_thought |= remove_thoughts(out.text, open, close);
  return out;
}

std::string collapsed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string excerpt(std::string_view text, std::size_t most) {
  std::string line = trim(text.substr(0, text.find('\n')));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return elide_middle(std::move(line), most);
}

}  // namespace ka::prompt

#include "synth/prompt/reply_edits.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "synth/prompt/reply_text.h"

namespace ka::prompt {
namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string_view line : lines) text.append(line).append("\n");
  return text;
}

// A line of at least five of the sign, and the word behind it: "<<<<<<< SEARCH".
bool is_mark(std::string_view line, char sign, std::string_view word) {
  const std::size_t signs = std::min(line.find_first_not_of(sign), line.size());
  if (signs < 5) return false;
  const std::string rest = trim(line.substr(signs));
  return word.empty() ? rest.empty() : starts_with(rest, word);
}
bool opens(std::string_view line) { return is_mark(line, '<', "SEARCH") || is_mark(line, '<', "ORIGINAL"); }
bool divides(std::string_view line) { return is_mark(line, '=', ""); }
bool closes(std::string_view line) { return is_mark(line, '>', "REPLACE") || is_mark(line, '>', "UPDATED"); }

struct Edit {
  Lines old_lines, new_lines;
  std::optional<std::size_t> line;  // of the old text, from 0: where it claims to be
};

struct Edits {
  std::vector<Edit> edits;
  bool cut = false;
};

Edits search_blocks(std::string_view text) {
  enum class At { outside, old_lines, new_lines } at = At::outside;
  Edits found;
  for (const std::string_view line : lines_of(text)) {
    if (at == At::outside) {
      if (!opens(line)) continue;
      found.edits.emplace_back();
      at = At::old_lines;
    } else if (at == At::old_lines) {
      if (divides(line))
        at = At::new_lines;
      else
        found.edits.back().old_lines.push_back(line);
    } else if (closes(line)) {
      at = At::outside;
    } else {
      found.edits.back().new_lines.push_back(line);
    }
  }
  found.cut = at != At::outside;
  return found;
}

// Where the old lines stand, from line `from` on (Knuth, Morris, Pratt: kernels of equal lines cost no more than others).
std::vector<std::size_t> places(const Lines& text, const Lines& old_lines, std::size_t from) {
  std::vector<std::size_t> found, border(old_lines.size() + 1, 0);
  if (old_lines.empty()) return found;
  for (std::size_t i = 1, k = 0; i < old_lines.size(); ++i) {
    while (k > 0 && old_lines[i] != old_lines[k]) k = border[k];
    k += old_lines[i] == old_lines[k] ? 1 : 0;
    border[i + 1] = k;
  }
  for (std::size_t i = from, k = 0; i < text.size(); ++i) {
    while (k > 0 && (k == old_lines.size() || text[i] != old_lines[k])) k = border[k];
    k += text[i] == old_lines[k] ? 1 : 0;
    if (k == old_lines.size()) found.push_back(i + 1 - k);
  }
  return found;
}

void replace(Lines& text, std::size_t place, const Edit& edit) {
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(place);
  const auto next = text.erase(begin, begin + static_cast<std::ptrdiff_t>(edit.old_lines.size()));
  text.insert(next, edit.new_lines.begin(), edit.new_lines.end());
}

constexpr const char* kInstead = "copy the lines to be replaced exactly as they stand in the kernel, or answer with the whole file";

// The first line that is not in the text at all says most about what went wrong.
std::string not_found_sentence(const Lines& text, const Edit& edit, std::size_t number) {
  for (const std::string_view line : edit.old_lines)
    if (std::find(text.begin(), text.end(), line) == text.end())
      return fmt::format("edit {} does not apply: the previous kernel has no line \"{}\"; {}", number, excerpt(line), kInstead);
  return fmt::format("edit {} does not apply: its lines, beginning with \"{}\", do not follow one another in the previous kernel; {}", number, excerpt(edit.old_lines[0]),
      kInstead);
}

std::optional<std::size_t> number_at(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// "@@ -12,7 +12,9 @@ def f(x):"
bool is_hunk(std::string_view line) { return starts_with(line, "@@"); }

std::optional<std::size_t> hunk_line(std::string_view line) {
  const std::size_t minus = line.find('-');
  if (minus == std::string_view::npos) return std::nullopt;
  const std::optional<std::size_t> number = number_at(line.substr(minus + 1));
  if (!number) return std::nullopt;
  return *number == 0 ? 0 : *number - 1;
}

// A line of a hunk; false for one that ends it.
bool take_hunk_line(std::string_view line, Edit& edit) {
  if (starts_with(line, "\\ No newline")) return true;
  const char sign = line.empty() ? ' ' : line[0];
  if (sign != ' ' && sign != '-' && sign != '+') return false;
  const std::string_view body = line.empty() ? line : line.substr(1);
  if (sign != '+') edit.old_lines.push_back(body);
  if (sign != '-') edit.new_lines.push_back(body);
  return true;
}

Edits hunks(std::string_view text) {
  Edits found;
  bool inside = false;
  const Lines lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool names_file = starts_with(lines[i], "--- ") && i + 1 < lines.size() && starts_with(lines[i + 1], "+++ ");
    if (is_hunk(lines[i])) {
      found.edits.push_back({{}, {}, hunk_line(lines[i])});
      inside = true;
    } else if (names_file) {
      inside = false;
      ++i;
    } else if (inside) {
      inside = take_hunk_line(lines[i], found.edits.back());
    }
  }
  // Blank lines behind the last hunk belong to the reply.
  for (Edit& edit : found.edits)
    while (!edit.old_lines.empty() && !edit.new_lines.empty() && edit.old_lines.back().empty() && edit.new_lines.back().empty()) {
      edit.old_lines.pop_back();
      edit.new_lines.pop_back();
    }
  return found;
}

std::size_t nearest(const std::vector<std::size_t>& found, std::size_t wanted) {
  const auto distance = [&](std::size_t place) { return place > wanted ? place - wanted : wanted - place; };
  return *std::min_element(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
}

Status check_number(const Edits& found) {
  constexpr std::size_t kMost = 500;
  if (found.edits.size() > kMost) return invalid_input(fmt::format("the reply has {} edits, at most {} are applied; answer with the whole file", found.edits.size(), kMost));
  return ok();
}

Status check_change(std::string_view previous, const Edited& edited) {
  if (edited.edits == 0) return invalid_input("the edit has no lines; answer with the whole file as one fenced python block");
  if (edited.text == text_of(lines_of(previous))) return invalid_input("the edits change nothing; answer with a kernel that differs from the previous one");
  return ok();
}

}  // namespace

bool has_search_blocks(std::string_view text) {
  const Lines lines = lines_of(text);
  return std::any_of(lines.begin(), lines.end(), opens);
}

bool has_diff(std::string_view text) {
  bool hunk = false, changed = false;
  for (const std::string_view line : lines_of(text)) {
    hunk |= is_hunk(line);
    changed |= hunk && (starts_with(line, "+") || starts_with(line, "-"));
  }
  return hunk && changed;
}

Result<Edited> apply_search_blocks(std::string_view previous, std::string_view text) {
  const Edits found = search_blocks(text);
  Lines lines = lines_of(previous);
  Edited edited;
  edited.cut = found.cut;
  KA_TRY(check_number(found));
  for (const Edit& edit : found.edits) {
    const std::size_t number = static_cast<std::size_t>(edited.edits) + 1;
    if (edited.cut && number == found.edits.size()) break;
    if (edit.old_lines.empty()) return invalid_input(fmt::format("edit {} has no lines to search for; {}", number, kInstead));
    const std::vector<std::size_t> at = places(lines, edit.old_lines, 0);
    if (at.empty()) return invalid_input(not_found_sentence(lines, edit, number));
    if (at.size() > 1)
      return invalid_input(fmt::format("edit {} fits {} places of the previous kernel; add lines around it until it fits one", number, at.size()));
    replace(lines, at[0], edit);
    ++edited.edits;
  }
  edited.text = text_of(lines);
  if (!edited.cut) KA_TRY(check_change(previous, edited));
  return edited;
}

Result<Edited> apply_diff(std::string_view previous, std::string_view text) {
  const Edits found = hunks(text);
  Lines lines = lines_of(previous);
  const std::size_t given = lines.size();
  Edited edited;
  std::size_t from = 0;
  KA_TRY(check_number(found));
  for (const Edit& edit : found.edits) {
    const std::size_t number = static_cast<std::size_t>(edited.edits) + 1;
    const bool new_file = edit.old_lines.empty() && found.edits.size() == 1 && edit.line.value_or(0) == 0;
    if (new_file) lines.clear();
    if (edit.old_lines.empty() && !new_file) return invalid_input(fmt::format("hunk {} of the diff has no line of the previous kernel around it; {}", number, kInstead));
    std::vector<std::size_t> at = new_file ? std::vector<std::size_t>{0} : places(lines, edit.old_lines, from);
    if (at.empty()) return invalid_input(not_found_sentence(lines, edit, number));
    if (at.size() > 1 && !edit.line)
      return invalid_input(fmt::format("hunk {} of the diff fits {} places of the previous kernel; add lines around it until it fits one", number, at.size()));
    // Lines that earlier hunks have added or taken away move the place that is claimed.
    const std::size_t claimed = edit.line.value_or(0) + lines.size();
    const std::size_t place = nearest(at, claimed > given ? claimed - given : 0);
    replace(lines, place, edit);
    from = place + edit.new_lines.size();
    ++edited.edits;
  }
  edited.text = text_of(lines);
  KA_TRY(check_change(previous, edited));
  return edited;
}

}  // namespace ka::prompt

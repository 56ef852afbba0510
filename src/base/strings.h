// Small text functions that the standard library of C++20 lacks. None of them knows about locales: text is
// bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ka {

// Cuts at every separator and keeps empty pieces: split("a,,b", ',') has three, split("", ',') has one.
std::vector<std::string> split(std::string_view text, char separator);

// Without the blanks, tabs and line ends at both ends.
std::string trim(std::string_view text);

bool starts_with(std::string_view text, std::string_view prefix);
bool ends_with(std::string_view text, std::string_view suffix);

std::string join(std::span<const std::string> pieces, std::string_view separator);

// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The word of the list that a misspelling probably meant; nothing when none is near. The first one wins a
// tie.
std::optional<std::string> closest(std::string_view word, std::span<const std::string_view> among);

// One word of a POSIX shell command line that means exactly this text.
std::string quote_shell(std::string_view text);

// At most `max` bytes: keeps head and tail and puts "..." between them. Never cuts inside a UTF-8 character.
std::string elide_middle(std::string text, std::size_t max);

// Words in lines of at most `columns` bytes (a longer word has a line of its own), each behind `indent` blanks and with a line end.
std::string fold(std::string_view text, std::size_t indent, std::size_t columns);

}  // namespace ka

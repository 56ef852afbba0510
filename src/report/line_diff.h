// Which lines of two texts are the same, and which were taken away or added.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ka::report {

enum class Change { same, removed, added };

struct DiffLine {
  Change change = Change::same;
  std::size_t before = 0, after = 0;  // numbers of the line, from 0, in the text that has it
  bool operator==(const DiffLine&) const = default;
};

// A shortest list where the texts are not too different to be compared (then: all of one, all of the other). Removed lines stand before those that took their place.
std::vector<DiffLine> line_diff(std::string_view before, std::string_view after);

// The lines of a text; the last one need not end.
std::vector<std::string_view> lines_of_text(std::string_view text);

}  // namespace ka::report

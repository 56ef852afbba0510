// What is done to the text of a reply before it is read: what models and the ways to them put around and into it is taken away.
#pragma once

#include <string>
#include <string_view>

namespace ka::prompt {

struct CleanText {
  std::string text;
  bool unfinished_thought = false;  // it ends inside <think>
};

// LF line ends; without byte order mark and characters of no width; other blanks as blanks; without <think> blocks.
CleanText clean(std::string_view reply);

// Every run of blanks and line ends as one blank: to compare texts of which only the words matter.
std::string collapsed(std::string_view text);

// A piece of foreign text inside a sentence of ours: one line, at most `most` bytes, no control characters.
std::string excerpt(std::string_view text, std::size_t most = 60);

}  // namespace ka::prompt

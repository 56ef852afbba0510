// The fenced blocks of a reply. Markdown as language models write it: fences inside fences, fences inside the texts of the code, fences
// that are never closed, attributes and file names behind the word for the language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ka::prompt {

enum class Language { python, diff, json, prose, unknown, other };

struct Block {
  Language language = Language::unknown;
  std::string word;  // for the language, as the reply says it: "cuda"; empty where it says none
  std::string file;  // "kernel.py", where the reply names one
  std::string text;  // without the fences and without the indentation that they have
  bool closed = true;
};

// All blocks in order; a block of prose (markdown in markdown) is replaced by those inside it. Linear in the length of the text.
std::vector<Block> find_blocks(std::string_view text);

// By what it looks like, for blocks and replies without a word for it. `other` with the title of the language: "CUDA C++".
struct Guess {
  Language language = Language::unknown;
  std::string title;
};
Guess guess_language(std::string_view text);
// The title of a language's word: "CUDA C++" for "cu"; empty when it is not in the table.
std::string language_title(std::string_view word);

}  // namespace ka::prompt

#include "synth/prompt/fences.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/strings.h"

namespace ka::prompt {
namespace {

struct Word {
  std::string_view word;
  Language language;
  std::string_view title;
};

constexpr auto kWords = std::to_array<Word>({
    {"python", Language::python, "Python"}, {"python3", Language::python, "Python"}, {"py", Language::python, "Python"},
    {"py3", Language::python, "Python"}, {"ipython", Language::python, "Python"}, {"triton", Language::python, "Python"},
    {"diff", Language::diff, "a diff"}, {"patch", Language::diff, "a diff"}, {"udiff", Language::diff, "a diff"},
    {"json", Language::json, "JSON"}, {"jsonc", Language::json, "JSON"},
    {"md", Language::prose, "Markdown"}, {"markdown", Language::prose, "Markdown"},
    {"text", Language::unknown, "plain text"}, {"txt", Language::unknown, "plain text"}, {"plaintext", Language::unknown, "plain text"},
    {"code", Language::unknown, "plain text"},
    {"c", Language::other, "C"}, {"cpp", Language::other, "C++"}, {"c++", Language::other, "C++"}, {"cc", Language::other, "C++"}, {"cxx", Language::other, "C++"},
    {"cuda", Language::other, "CUDA C++"}, {"cu", Language::other, "CUDA C++"}, {"cuda-cpp", Language::other, "CUDA C++"}, {"hip", Language::other, "HIP C++"},
    {"ptx", Language::other, "PTX"}, {"asm", Language::other, "assembler"}, {"rust", Language::other, "Rust"}, {"rs", Language::other, "Rust"},
    {"julia", Language::other, "Julia"}, {"java", Language::other, "Java"}, {"javascript", Language::other, "JavaScript"}, {"js", Language::other, "JavaScript"},
    {"typescript", Language::other, "TypeScript"}, {"ts", Language::other, "TypeScript"}, {"go", Language::other, "Go"}, {"mojo", Language::other, "Mojo"},
    {"metal", Language::other, "Metal"}, {"opencl", Language::other, "OpenCL C"}, {"glsl", Language::other, "GLSL"}, {"mlir", Language::other, "MLIR"},
    {"bash", Language::other, "a shell script"}, {"sh", Language::other, "a shell script"}, {"shell", Language::other, "a shell script"},
    {"console", Language::other, "a shell session"},
    {"yaml", Language::other, "YAML"}, {"toml", Language::other, "TOML"}, {"xml", Language::other, "XML"}, {"html", Language::other, "HTML"},
    {"latex", Language::other, "LaTeX"}, {"tex", Language::other, "LaTeX"}, {"math", Language::other, "LaTeX"}, {"mermaid", Language::other, "a drawing"},
});

const Word* find_word(std::string_view word) {
  const auto row = std::find_if(kWords.begin(), kWords.end(), [&](const Word& known) { return known.word == word; });
  return row == kWords.end() ? nullptr : &*row;
}

// A mark that a language's code has and that of no other in the table.
struct Mark {
  std::string_view mark;
  Language language;
  std::string_view title;
};

constexpr auto kMarks = std::to_array<Mark>({
    {"__global__", Language::other, "CUDA C++"}, {"#include <", Language::other, "C++"}, {"#include \"", Language::other, "C++"},
    {"fn main(", Language::other, "Rust"}, {"pub fn ", Language::other, "Rust"}, {"let mut ", Language::other, "Rust"},
    {"import triton", Language::python, "Python"}, {"@triton.jit", Language::python, "Python"}, {"import torch", Language::python, "Python"},
});

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// What stands behind the fence: "python", "{.python .numberLines}", "python:kernel.py", "python title=\"kernel.py\"", "kernel.py".
void read_attributes(std::string_view info, Block& block) {
  std::vector<std::string> words(1);
  for (const char c : info) {
    if (std::string_view(" \t{}=\"':,;()[]").find(c) == std::string_view::npos)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  for (std::string word : words) {
    if (ends_with(word, ".py")) {
      if (block.file.empty()) block.file = word;
      continue;
    }
    if (starts_with(word, ".")) word.erase(0, 1);
    if (block.word.empty()) block.word = lower(word);
  }
  if (const Word* known = find_word(block.word)) {
    block.language = known->language;
  } else if (!block.file.empty()) {
    block.language = Language::python;
  }
}

struct Fence {
  char sign = '`';
  std::size_t length = 0, indent = 0;
  std::string_view info;
};

std::optional<Fence> fence_of(std::string_view line) {
  Fence fence;
  while (fence.indent < line.size() && (line[fence.indent] == ' ' || line[fence.indent] == '\t')) ++fence.indent;
  line.remove_prefix(fence.indent);
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return std::nullopt;
  fence.sign = line[0];
  while (fence.length < line.size() && line[fence.length] == fence.sign) ++fence.length;
  fence.info = line.substr(fence.length);
  const std::size_t end = fence.info.find_last_not_of(" \t");
  fence.info = fence.info.substr(0, end + 1);  // npos + 1 is 0
  if (fence.length < 3 || fence.info.find('`') != std::string_view::npos) return std::nullopt;
  return fence;
}

// Whether the lines so far end inside a text over several lines.
class OpenText {
 public:
  bool inside() const { return quote_ != '\0'; }
  void feed(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const bool triple = i + 2 < line.size() && line[i + 1] == c && line[i + 2] == c;
      if (inside()) {
        if (c == '\\') {
          ++i;
        } else if (c == quote_ && triple) {
          quote_ = '\0';
          i += 2;
        }
      } else if (c == '#') {
        return;
      } else if (c == '"' || c == '\'') {
        if (triple) {
          quote_ = c;
          i += 2;
        } else {
          for (++i; i < line.size() && line[i] != c; ++i)
            if (line[i] == '\\') ++i;
        }
      }
    }
  }

 private:
  char quote_ = '\0';
};

// Careful reading: a fence with a word inside a block opens another one, a fence inside a text of Python is a part of it. Plain reading: neither; a fence with a word ends
// the block before it. Plain is what is left when careful reading finds no end.
class Scan {
 public:
  explicit Scan(bool careful) : careful_(careful) {}

  void read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (open_) blocks.back().closed = false;
  }

  std::vector<Block> blocks;
  bool ignored = false;  // a fence that plain reading would not ignore, in the last block

 private:
  void open(const Fence& fence) {
    open_ = fence;
    depth_ = 0;
    ignored = false;
    text_ = {};
    blocks.emplace_back();
    read_attributes(fence.info, blocks.back());
  }

  void take(std::string_view line) {
    const std::optional<Fence> fence = fence_of(line);
    if (!open_) {
      if (fence) open(*fence);
      return;
    }
    if (fence && fence->sign == open_->sign && is_end(*fence)) return;
    std::size_t indent = 0;
    while (indent < open_->indent && indent < line.size() && (line[indent] == ' ' || line[indent] == '\t')) ++indent;
    blocks.back().text.append(line.substr(indent)).append("\n");
    if (careful_) text_.feed(line);
  }

  bool is_end(const Fence& fence) {
    if (careful_ && text_.inside()) {
      ignored = true;
      return false;
    }
    if (!fence.info.empty()) {
      if (!careful_ && fence.length >= open_->length) {
        open(fence);
        return true;
      }
      ++depth_;
      ignored = true;
      return false;
    }
    if (depth_ > 0) {
      --depth_;
      return false;
    }
    if (fence.length < open_->length) return false;
    open_.reset();
    return true;
  }

  bool careful_;
  std::optional<Fence> open_;
  int depth_ = 0;
  OpenText text_;
};

}  // namespace

std::vector<Block> find_blocks(std::string_view text) {
  Scan careful(true);
  careful.read(text);
  std::vector<Block> found = std::move(careful.blocks);
  if (!found.empty() && !found.back().closed && careful.ignored) {
    Scan plain(false);
    plain.read(text);
    found = std::move(plain.blocks);
  }
  std::vector<Block> blocks;
  for (Block& block : found) {
    const bool may_hold_more = block.language == Language::prose || (block.language == Language::unknown && block.text.find("```") != std::string::npos);
    std::vector<Block> inner;
    if (may_hold_more) {
      Scan scan(true);
      scan.read(block.text);
      inner = std::move(scan.blocks);
    }
    if (inner.empty()) {
      blocks.push_back(std::move(block));
    } else {
      std::move(inner.begin(), inner.end(), std::back_inserter(blocks));
    }
  }
  return blocks;
}

Guess guess_language(std::string_view text) {
  Guess guess;
  std::size_t first = std::string_view::npos;
  for (const Mark& mark : kMarks) {
    const std::size_t at = text.find(mark.mark);
    if (at < first) {
      first = at;
      guess = {mark.language, std::string(mark.title)};
    }
  }
  // C++ that begins with an include and has kernels is CUDA.
  if (guess.title == "C++" && text.find("__global__") != std::string_view::npos) guess.title = "CUDA C++";
  return guess;
}

std::string language_title(std::string_view word) {
  const Word* known = find_word(word);
  return known == nullptr ? std::string() : std::string(known->title);
}

}  // namespace ka::prompt

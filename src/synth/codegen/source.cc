#include "synth/codegen/source.h"

#include <fmt/format.h>

#include "ir/python_text.h"

namespace ka::codegen {

Source::Source() {
  for (const char* word : ir::python_keywords()) reserve(word);
  // the functions that Triton knows by their Python names, and the modules of a kernel file
  for (const char* word : {"abs", "bool", "float", "int", "len", "max", "min", "pow", "range", "round", "sum", "tl", "torch", "triton",
                           "libdevice", "math"})
    reserve(word);
}

void Source::line(std::string_view text) {
  if (!text.empty()) text_.append(static_cast<std::size_t>(depth_) * 4, ' ');
  text_ += text;
  text_ += '\n';
}

int Source::mark() {
  marks_.push_back({text_.size(), depth_});
  return static_cast<int>(marks_.size()) - 1;
}

void Source::line_at(int mark, std::string_view text) {
  const Mark here = marks_[static_cast<std::size_t>(mark)];
  const std::string line = fmt::format("{}{}\n", std::string(static_cast<std::size_t>(here.depth) * 4, ' '), text);
  text_.insert(here.at, line);
  for (std::size_t k = 0; k < marks_.size(); ++k)
    if (marks_[k].at > here.at || static_cast<int>(k) >= mark) marks_[k].at += line.size();
}

std::string Source::unique(const std::string& wish) {
  std::string name = wish;
  for (int k = 1; !taken_.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
  return name;
}

}  // namespace ka::codegen

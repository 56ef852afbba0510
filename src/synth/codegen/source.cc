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

std::string Source::unique(const std::string& wish) {
  std::string name = wish;
  for (int k = 1; !taken_.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
  return name;
}

}  // namespace ka::codegen

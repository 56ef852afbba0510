// The composed file as text: what it says about itself, kernel_function, and the test of itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compose/compose.h"

namespace ka::compose {

struct Kernel {
  std::string name, what;  // what it does, where the part's file says so
};

// What the child made of the parts.
struct Merged {
  std::string imports, definitions;
  std::map<std::string, std::string> functions;          // by part
  std::map<std::string, std::vector<Kernel>> launched;  // by part
  std::vector<std::string> kernels;
  std::vector<std::string> returned;  // names
  std::map<std::string, std::vector<std::string>> weights;  // by part: those that its signature names, others are not given
};

// A Python literal over as many lines as the text has, whose value is exactly the text (UTF-8).
std::string python_text(const std::string& text);

// kernel_function: a line per call; a value is deleted after its last use, so that its memory is used again.
std::string function_text(const Program& program, const Merged& merged);

// What `python composed_kernel.py` does.
std::string self_test_text(const Program& program);

std::string file_text(const Program& program, const std::vector<Part>& parts, const Merged& merged);

}  // namespace ka::compose

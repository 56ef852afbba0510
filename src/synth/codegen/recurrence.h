// What the ways of computing a recurrent layer share: the cells that there are.
#pragma once

#include <string>
#include <vector>

namespace ka::codegen {

struct Cell {
  const char* name;
  int gates;
  std::vector<const char*> names;  // of the gates, in PyTorch's order
};

const Cell& cell_of(const std::string& kind);

}  // namespace ka::codegen

// What is thrown where operands do not fit what is to be done with them: an index of another rank, extents that cannot be broadcast, a product
// that is too large for a number. PyTorch has seen to that for programs which it exported; a file may hold anything. Caught where a
// program is imported, and where one is planned and written.
#pragma once

#include <stdexcept>

namespace ka::ir {

class Misfit : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool fits, const char* otherwise) {
  if (!fits) throw Misfit(otherwise);
}

}  // namespace ka::ir

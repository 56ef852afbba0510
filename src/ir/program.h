// A program of PyTorch's operators as numbers: which reads what. Its parts are what it is cut into.
#pragma once

#include <compare>
#include <vector>

namespace ka::ir {

// Output `output` of operator number `op`; an argument is number -1 - op.
struct ProgramRef {
  int op = 0, output = 0;
  auto operator<=>(const ProgramRef&) const = default;
};

struct ProgramOp {
  std::vector<ProgramRef> reads;
  bool draws = false;  // random numbers, whose order is part of the program
};

struct Program {
  std::vector<ProgramOp> ops;
  std::vector<ProgramRef> outputs;  // as Graph::outputs
  std::vector<ProgramRef> updates;  // as Graph::updates: the new values
};

struct Part {
  std::vector<int> ops;                     // in order; an operator that is cheap to compute twice may be in several parts
  std::vector<ProgramRef> inputs, outputs;  // what it reads from outside, weights included; what others read, or the program returns
  std::vector<int> updates;                 // numbers of the program's updates that it makes
  std::vector<std::size_t> kernels;         // of the plan for the whole
};

}  // namespace ka::ir

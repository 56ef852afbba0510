// Composition: the kernel files of a program's parts become one readable Python file, `composed_kernel.py`, with
// kernel_function(*inputs, **weights) for the whole program and a test of itself (docs/compose.md).
//
// Nothing is executed here: the texts of the parts are parsed in a sandboxed child (python/bridge/compose.py), and what comes
// back is a text that the judge has to accept like any other. A part without a kernel, a name that nothing makes, a
// text that cannot be renamed with certainty: one sentence, invalid_input.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "os/cancel.h"
#include "os/sandbox.h"

namespace ka::compose {

struct Part {             // one unique subgraph
  std::string id;         // a Python identifier: conv2d_relu, linear_2
  std::string text;       // its kernel file, with kernel_function(*inputs, **weights); empty = there is none
  bool is_torch = false;  // the text is PyTorch, which the user allowed; the composed file says so
};

struct Call {  // one occurrence, in order
  std::string part;
  std::vector<std::string> inputs;                           // names of the program, positionally
  std::vector<std::pair<std::string, std::string>> weights;  // keyword of the part -> keyword of the program
  std::vector<std::string> outputs;                          // values that it makes: one is a tensor, several are a tuple, none: it updates weights
};

struct Program {
  std::string title;    // what it computes, in some words; may be empty
  std::string version;  // of the writer
  std::vector<std::string> inputs;   // of kernel_function, in the order of forward's arguments
  std::vector<std::string> weights;  // keywords of kernel_function
  std::vector<Call> calls;
  std::string returns;  // over the names of the program: "relu_3", "(a, b,)", "{'y': a}"
  // The original problem, for the test: its file's name and text, and the object in it (empty: Model); train or eval.
  std::string problem_name, problem_text, problem_object, mode = "train";
};

struct ComposedPart {
  std::string id;
  std::string function;              // its name in the file; parts that compute alike share one
  std::vector<std::string> kernels;  // that it launches
};

struct Composed {
  std::string text;
  std::vector<std::string> kernels;      // names, in the order of the file
  std::vector<ComposedPart> parts;       // in the order of their first call
  std::vector<std::string> torch_parts;  // ids of those that are PyTorch
  std::vector<std::string> returned;     // values in what it returns
  std::int64_t launches = 0;             // that a call makes at least
  std::string uncaptured;                // why these launches must not be replayed from a graph; empty: they may
};

struct Options {
  os::SandboxRequest sandbox;
  std::chrono::milliseconds limit{300'000};
};

// Parts that no call names are left out.
Result<Composed> compose(const Program& program, const std::vector<Part>& parts, const Options& options,
                         bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);

// A composed program that somebody else wrote, with the test of itself that every composed file has.
std::string with_self_test(const Program& program, const std::string& text);

}  // namespace ka::compose

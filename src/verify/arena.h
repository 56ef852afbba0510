// Tensors in a shared memory file, as both sides of the judge exchange them. A description that came from a child is
// checked against the file's size before a byte is read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "ir/tensor_spec.h"
#include "os/memory_file.h"
#include "verify/compare.h"

namespace ka::verify {

// One argument of the program: a tensor, or a plain value (number, boolean, null) kept as JSON text.
struct Argument {
  std::string name;
  std::optional<ir::TensorSpec> tensor;
  std::string scalar;  // JSON text, when it is no tensor
};

// Arguments and where their bytes are. The mapping stays valid as long as this lives.
struct ArgumentSet {
  std::vector<Argument> inputs;
  std::map<std::string, ir::TensorSpec> weights;  // by keyword
};

// Inputs and weights copied into a file of their own: what a candidate is given never holds an answer.
struct Arena {
  os::MemoryFile file;
  ArgumentSet arguments;  // with the offsets of `file`
};
Result<Arena> copy_arguments(const ArgumentSet& from, std::span<const std::byte> bytes);

// {"scalar": 1.5} or a TensorSpec, as the protocol has it.
Json to_json(const Argument& argument);
Result<Argument> argument_from_json(const Json& json);
// A list of specs, each checked against a file of `file_size` bytes.
Result<std::vector<ir::TensorSpec>> checked_specs(const Json& list, std::uint64_t file_size, ir::Storage storage,
                                                  const std::string& where);
TensorView view_of(const ir::TensorSpec& spec, std::span<const std::byte> bytes);

}  // namespace ka::verify

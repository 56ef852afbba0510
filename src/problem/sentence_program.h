// A PyTorch program that grows operation by operation, with the shape of what it has computed so far.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ir/dtype.h"
#include "problem/sentence_reading.h"

namespace ka::problem {

// A size and its name in the program; without a name where it is computed by a window.
struct Size {
  std::int64_t value = 0;
  std::string name;
};
using Sizes = std::vector<Size>;

// How a convolution or a pool moves over its input.
struct Window {
  std::string kernel, options, words;
  Sizes result;
};

class SentenceProgram {
 public:
  explicit SentenceProgram(const Reading& reading) : reading_(reading), dtype_(reading.dtype.value_or(ir::DType::float32)) {}

  // All operations of the reading. Bad input: what does not fit together.
  Status build();

  std::string text(std::string_view sentence) const;
  std::string understood() const;

 private:
  Status name_inputs();
  Status apply(const OpUse& use);
  Status apply_pointwise(const OpUse& use);
  Status apply_binary(const OpUse& use);
  Status apply_along(const OpUse& use);
  Status apply_norm(const OpUse& use);
  Status apply_matmul(const OpUse& use);
  Status apply_linear(const OpUse& use);
  Status apply_window(const OpUse& use);
  Status apply_conv(const OpUse& use, Window& made);
  Status apply_attention(const OpUse& use);
  Status apply_split_attention(const OpUse& use);
  Status apply_loss(const OpUse& use);

  Result<Sizes> shape_of_input(std::size_t index, const Sizes* like) const;
  Result<std::size_t> dimension(const OpUse& use, int otherwise) const;
  Result<std::int64_t> count(const OpUse& use, const std::string& parameter, const char* wanted) const;
  Result<std::int64_t> whole(const OpUse& use, const char* name, double otherwise, double least) const;
  Result<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> matmul_shapes(const OpUse& use) const;
  Result<Window> window(const OpUse& use) const;
  Size variable(const std::string& name, std::int64_t value);  // a new one at the top of the file
  std::string argument(const Size& size);                      // of __init__, which gets the size
  void input(const std::string& name, const Sizes& shape);
  void layer(const std::string& name, const std::string& construction);
  void step(const std::string& expression, const std::string& words);
  std::string dtype_argument() const;

  const Reading& reading_;
  ir::DType dtype_;
  bool ended_ = false;  // the result is no tensor that goes on: a loss, indices
  Sizes shape_;
  std::vector<std::pair<std::string, std::string>> inputs_;  // name, Python that draws it
  std::vector<std::string> input_words_;
  std::vector<Size> variables_;
  std::vector<std::pair<std::string, std::string>> arguments_;  // of __init__: name, Python at the top of the file
  std::vector<std::string> layers_, steps_, words_;
};

}  // namespace ka::problem

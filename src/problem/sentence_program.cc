#include "problem/sentence_program.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"
#include "problem/sentence_text.h"
#include "problem/sentence_tokens.h"

namespace ka::problem {
namespace {

// Names of sizes by rank, as people use them.
const std::vector<std::string>& names_of_rank(std::size_t rank) {
  static const std::vector<std::vector<std::string>> names = {
      {}, {"length"}, {"rows", "columns"}, {"batch", "length", "features"}, {"batch", "channels", "height", "width"}, {"batch", "channels", "depth", "height", "width"}};
  return names[rank];
}

bool is_window(const OpUse& use) { return use.op->kind == OpKind::conv || use.op->kind == OpKind::pool; }
bool is_image_op(const OpUse& use) { return is_window(use) || use.op->kind == OpKind::global_pool || use.op->kind == OpKind::batch_norm || use.op->kind == OpKind::group_norm; }

std::vector<std::string> input_names(const OpUse& first) {
  switch (first.op->kind) {
    case OpKind::attention: return {"q", "k", "v"};
    case OpKind::binary:
    case OpKind::matmul:
    case OpKind::dot:
    case OpKind::loss: return {"x", "y"};
    default: return {"x"};
  }
}

}  // namespace

Size SentenceProgram::variable(const std::string& name, std::int64_t value) {
  std::string unique = name;
  for (int n = 2; std::any_of(variables_.begin(), variables_.end(), [&](const Size& size) { return size.name == unique; }); ++n) unique = fmt::format("{}_{}", name, n);
  variables_.push_back({value, unique});
  return variables_.back();
}

std::string SentenceProgram::argument(const Size& size) {
  for (const auto& [name, python] : arguments_)
    if (python == size.name) return name;
  arguments_.emplace_back(size.name, size.name);
  return size.name;
}

std::string SentenceProgram::dtype_argument() const { return dtype_ == ir::DType::float32 ? std::string() : fmt::format(", dtype=torch.{}", ir::to_string(dtype_)); }

void SentenceProgram::input(const std::string& name, const Sizes& shape) {
  const bool positive = std::any_of(reading_.ops.begin(), reading_.ops.end(), [](const OpUse& use) { return use.op->positive; });
  const std::string sizes = python_names(shape);
  std::string drawn = fmt::format("torch.{}({}{})", positive ? "rand" : "randn", sizes, dtype_argument());
  if (!ir::is_float(dtype_)) drawn = fmt::format("torch.randint(-100, 100, ({},){})", sizes, dtype_argument());
  inputs_.emplace_back(name, drawn);
  input_words_.push_back(fmt::format("{} {}", name, shape_words(shape)));
}

void SentenceProgram::layer(const std::string& name, const std::string& construction) { layers_.push_back(fmt::format("self.{} = {}", name, construction)); }

void SentenceProgram::step(const std::string& expression, const std::string& words) {
  steps_.push_back(expression);
  words_.push_back(words);
}

// Names for the sizes of the first shape, and of the second where it goes its own way.
Status SentenceProgram::name_inputs() {
  const OpUse& first = reading_.ops[0];
  if (first.op->kind == OpKind::matmul || first.op->kind == OpKind::attention) return ok();  // they name their own
  const std::vector<std::string> names = input_names(first);
  if (reading_.shapes.empty()) return invalid_input(fmt::format("no size is given: say the shape of the input{}, as in \"of shape (128, 1000)\"", names.size() > 1 ? "s" : ""));
  if (reading_.shapes.size() > names.size())
    return invalid_input(fmt::format("{} has {} input{}, but {} shapes are given", first.op->name, names.size(), names.size() == 1 ? "" : "s", reading_.shapes.size()));
  for (const std::string& name : names) {
    KA_ASSIGN(Sizes shape, shape_of_input(inputs_.size(), inputs_.empty() ? nullptr : &shape_));
    if (inputs_.empty()) {
      const bool sequence = shape.size() == 3 && std::any_of(reading_.ops.begin(), reading_.ops.end(), is_image_op);
      for (std::size_t i = 0; i < shape.size(); ++i)
        shape[i] = variable(sequence && i == 1 ? "channels" : sequence && i == 2 ? "length" : names_of_rank(shape.size())[i], shape[i].value);
      shape_ = shape;
    }
    input(name, shape);
  }
  return ok();
}

// The second input has the first one's shape, or one that fits it.
Result<Sizes> SentenceProgram::shape_of_input(std::size_t index, const Sizes* like) const {
  const std::vector<std::int64_t>& given = reading_.shapes[std::min(index, reading_.shapes.size() - 1)];
  if (given.size() > 5) return invalid_input(fmt::format("a shape of {} dimensions; up to 5 are understood", given.size()));
  if (like != nullptr && given.size() > like->size()) return invalid_input("the second shape has more dimensions than the first");
  Sizes shape;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (like == nullptr) {
      shape.push_back({given[i], {}});
      continue;
    }
    const Size& other = (*like)[like->size() - given.size() + i];
    if (given[i] != other.value && given[i] != 1) return invalid_input(fmt::format("the second shape does not fit the first: {} beside {}", given[i], other.value));
    shape.push_back(given[i] == other.value ? other : Size{1, "1"});
  }
  return shape;
}

Result<std::int64_t> SentenceProgram::count(const OpUse& use, const std::string& parameter, const char* wanted) const {
  if (!use.has(parameter)) return invalid_input(fmt::format("{} needs {}", use.op->name, wanted));
  const double value = use.value(parameter, 0);
  if (!is_size(value) || value > 1'000'000) return invalid_input(fmt::format("{} of {}: a whole number from 1 to 1000000 is needed", parameter, use.op->name));
  return static_cast<std::int64_t>(value);
}

Result<std::size_t> SentenceProgram::dimension(const OpUse& use, int otherwise) const {
  const double wanted = use.value("dim", otherwise);
  const auto rank = static_cast<double>(shape_.size());
  if (wanted != std::floor(wanted) || wanted >= rank || wanted < -rank)
    return invalid_input(fmt::format("{} over dimension {}, but there are {} dimensions (0 to {})", use.op->name, wanted, rank, rank - 1));
  return static_cast<std::size_t>(wanted < 0 ? wanted + rank : wanted);
}

Status SentenceProgram::build() {
  constexpr double kMostElements = 4294967296.0;
  for (const std::vector<std::int64_t>& shape : reading_.shapes) {
    double elements = 1;
    for (const std::int64_t size : shape) elements *= static_cast<double>(size);
    if (elements > kMostElements) return invalid_input("a tensor of more than 2^32 elements");
  }
  for (const OpUse& use : reading_.ops)
    if (!ir::is_float(dtype_) && !use.op->integers) return invalid_input(fmt::format("{} needs a floating-point type, not {}", use.op->name, ir::to_string(dtype_)));
  if (reading_.two_inputs && input_names(reading_.ops[0]).size() != 2)
    return invalid_input(fmt::format("two tensors are named, but {} has not two inputs", reading_.ops[0].op->name));
  if (reading_.rank && (reading_.shapes.empty() || static_cast<std::size_t>(*reading_.rank) != reading_.shapes[0].size()))
    return invalid_input(fmt::format("a tensor of {} dimension{} is named, but no such shape is given", *reading_.rank, *reading_.rank == 1 ? "" : "s"));
  KA_TRY(name_inputs());
  for (const OpUse& use : reading_.ops) {
    if (ended_) return invalid_input(fmt::format("nothing can follow {}", words_.back()));
    KA_TRY(apply(use));
  }
  return ok();
}

Status SentenceProgram::apply(const OpUse& use) {
  switch (use.op->kind) {
    case OpKind::unary:
    case OpKind::scalar:
    case OpKind::clamp:
    case OpKind::transpose: return apply_pointwise(use);
    case OpKind::binary:
    case OpKind::bias: return apply_binary(use);
    case OpKind::reduce:
    case OpKind::scan:
    case OpKind::along:
    case OpKind::normalize: return apply_along(use);
    case OpKind::layer_norm:
    case OpKind::batch_norm:
    case OpKind::group_norm: return apply_norm(use);
    case OpKind::matmul:
    case OpKind::dot: return apply_matmul(use);
    case OpKind::linear: return apply_linear(use);
    case OpKind::conv:
    case OpKind::pool:
    case OpKind::global_pool: return apply_window(use);
    case OpKind::attention: return apply_attention(use);
    case OpKind::loss:
    case OpKind::cross_entropy: return apply_loss(use);
  }
  return ok();
}

std::string SentenceProgram::understood() const {
  std::string result = shape_.empty() ? "one number" : shape_words(shape_);
  return fmt::format("{}; {} {}; result {}", fmt::join(words_, ", then "), ir::to_string(dtype_), fmt::join(input_words_, ", "), result);
}

std::string SentenceProgram::text(std::string_view sentence) const {
  std::string out = fmt::format("\"\"\"{}\n\nUnderstood as: {}.\n\"\"\"\n\nimport torch\nimport torch.nn as nn\n\n", docstring_words(sentence), understood());
  for (const Size& size : variables_) out += fmt::format("{} = {}\n", size.name, size.value);
  out += "\n\nclass Model(nn.Module):\n";
  std::vector<std::string> names, passed, inputs, draws;
  for (const auto& [name, python] : arguments_) {
    names.push_back(", " + name);
    passed.push_back(python);
  }
  for (const auto& [name, python] : inputs_) {
    inputs.push_back(name);
    draws.push_back(python);
  }
  if (!layers_.empty()) {
    out += fmt::format("    def __init__(self{}):\n        super().__init__()\n", fmt::join(names, ""));
    for (const std::string& line : layers_) out += fmt::format("        {}\n", line);
    out += "\n";
  }
  out += fmt::format("    def forward(self, {}):\n", fmt::join(inputs, ", "));
  for (std::size_t i = 0; i < steps_.size(); ++i) out += fmt::format("        {}{}\n", i + 1 == steps_.size() ? "return " : "x = ", steps_[i]);
  out += fmt::format("\n\ndef get_inputs():\n    return [{}]\n", fmt::join(draws, ", "));
  out += fmt::format("\n\ndef get_init_inputs():\n    return [{}]\n", fmt::join(passed, ", "));
  return out;
}

}  // namespace ka::problem

// What each kind of operation does to the program: its line of Python, its words, the shape that it leaves.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"
#include "problem/sentence_program.h"
#include "problem/sentence_text.h"
#include "problem/sentence_tokens.h"

namespace ka::problem {
namespace {

std::string plain_name(const OpUse& use) {
  std::string name(use.op->name);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace

Status SentenceProgram::apply_pointwise(const OpUse& use) {
  const OpKind kind = use.op->kind;
  std::string number, words = plain_name(use);
  if (kind == OpKind::scalar) {
    number = number_text(*use.number);
    words = with_holes(use.op->python, {{"{x}", "x"}, {"{n}", number}, {"torch.", ""}});
  }
  if (kind == OpKind::clamp) {
    if (!use.has("range")) return invalid_input("clamp needs its limits, as in \"clamp between 0 and 1\"");
    const std::vector<double>& range = use.parameters.at("range");
    if (!(range[0] < range[1])) return invalid_input("the limits of clamp are not in order");
    number = number_text(range[0]) + ", " + number_text(range[1]);
    words += fmt::format(" to [{}]", number);
  }
  if (use.has("slope")) {
    if (use.op->python.find("{n}") == std::string_view::npos) return invalid_input(fmt::format("{} has no slope", words));
    number = ", " + number_text(use.value("slope", 0));
    words += " of slope" + number.substr(1);
  }
  if (kind == OpKind::transpose) {
    if (shape_.size() < 2) return invalid_input("transpose needs at least two dimensions");
    std::swap(shape_[shape_.size() - 1], shape_[shape_.size() - 2]);
    words = "transpose of the last two dimensions";
  }
  step(with_holes(use.op->python, {{"{x}", "x"}, {"{n}", number}}), words);
  return ok();
}

Status SentenceProgram::apply_binary(const OpUse& use) {
  if (use.op->kind == OpKind::bias) {
    if (shape_.empty() || shape_.back().name.empty()) return invalid_input(fmt::format("a bias behind {} is not understood", words_.empty() ? "nothing" : words_.back()));
    const std::string name = layers_.empty() ? "bias" : fmt::format("bias_{}", layers_.size());
    layer(name, fmt::format("nn.Parameter(torch.randn({}{}))", argument(shape_.back()), dtype_argument()));
    step(with_holes(use.op->python, {{"{x}", "x"}, {"{w}", name}}), fmt::format("bias ({},)", shape_.back().value));
    return ok();
  }
  std::string other = "y";
  if (!steps_.empty()) {  // one more input, like what there is so far
    if (std::any_of(shape_.begin(), shape_.end(), [](const Size& size) { return size.name.empty(); }))
      return invalid_input(fmt::format("{} behind {} is not understood", plain_name(use), words_.back()));
    constexpr std::array<const char*, 4> names = {"y", "z", "u", "v"};
    if (inputs_.size() > names.size()) return invalid_input("too many inputs");
    other = names[inputs_.size() - 1];
    input(other, shape_);
  }
  step(with_holes(use.op->python, {{"{x}", "x"}, {"{y}", other}}), fmt::format("{} of {} and {}", plain_name(use), steps_.empty() ? "x" : "this", other));
  return ok();
}

Status SentenceProgram::apply_along(const OpUse& use) {
  const OpKind kind = use.op->kind;
  const std::string words = plain_name(use);
  if (use.has("all") && use.has("dim")) return invalid_input(fmt::format("{} over all elements and over one dimension", words));
  if (kind == OpKind::reduce && !use.has("dim") && !use.has("all") && shape_.size() != 1)
    return invalid_input(fmt::format("{} needs a dimension, as in \"over dim 1\" or \"over the last dimension\", or \"over all elements\"", words));
  if (use.has("all")) {
    std::vector<std::string> dims;
    for (std::size_t i = 0; i < shape_.size(); ++i) dims.push_back(std::to_string(i));
    const std::string dim = use.op->name == "logsumexp" ? fmt::format(", dim=({},)", fmt::join(dims, ", ")) : std::string();
    step(with_holes(use.op->python, {{"{x}", "x"}, {"{dim}", dim}}), words + " over all elements");
    shape_.clear();
  } else {
    KA_ASSIGN(const std::size_t dim, dimension(use, -1));
    const bool counted_from_end = use.value("dim", -1) < 0;
    const std::string python = number_text(static_cast<double>(dim) - (counted_from_end ? static_cast<double>(shape_.size()) : 0));
    const char* by_default = use.has("dim") || shape_.size() == 1 ? "" : " (the last, by default)";
    step(with_holes(use.op->python, {{"{x}", "x"}, {"{dim}", ", dim=" + python}}), fmt::format("{} over dim {}{}", words, dim, by_default));
    if (kind == OpKind::reduce) shape_.erase(shape_.begin() + static_cast<std::ptrdiff_t>(dim));
  }
  ended_ = starts_with(use.op->name, "arg") || shape_.empty();
  return ok();
}

Status SentenceProgram::apply_norm(const OpUse& use) {
  const std::string words = plain_name(use), layer_name = fmt::format("norm{}", layers_.empty() ? std::string() : fmt::format("_{}", layers_.size()));
  const std::string eps = use.has("eps") ? ", eps=" + number_text(use.value("eps", 0)) : std::string();
  const bool over_last = use.op->kind == OpKind::layer_norm;
  if (shape_.size() < (over_last ? 1U : 2U)) return invalid_input(fmt::format("{} needs more dimensions", words));
  const std::size_t at = over_last ? shape_.size() - 1 : 1;
  if (over_last) {
    KA_ASSIGN(const std::size_t dim, dimension(use, -1));
    if (dim != at) return invalid_input(fmt::format("{} is understood over the last dimension only", words));
  }
  const Size size = shape_[at];
  if (size.name.empty()) return invalid_input(fmt::format("{} behind {} is not understood", words, words_.back()));
  const std::string name = argument(size);
  std::string construction, more = fmt::format(" over dim {}", at);
  if (use.op->kind == OpKind::group_norm) {
    KA_ASSIGN(const std::int64_t groups, count(use, "groups", "the number of groups, as in \"with 8 groups\""));
    if (size.value % groups != 0) return invalid_input(fmt::format("{} channels cannot be cut into {} groups", size.value, groups));
    construction = fmt::format("nn.GroupNorm({}, {}{}{})", groups, name, eps, dtype_argument());
    more = fmt::format(" with {} groups", groups);
  } else if (over_last) {
    construction = fmt::format("nn.{}({}{}{})", use.op->python, name, eps, dtype_argument());
  } else {
    const bool instance = use.op->name == "instance_norm";
    if (shape_.size() == 2 && instance) return invalid_input("instance norm needs at least three dimensions");
    const int rank = shape_.size() <= 3 ? 1 : static_cast<int>(shape_.size()) - 2;
    construction = fmt::format("nn.{}{}d({}{}{})", use.op->python, rank, name, eps, dtype_argument());
    more = fmt::format(" of {} channels", size.value);
  }
  layer(layer_name, construction);
  step(fmt::format("self.{}(x)", layer_name), words + more);
  return ok();
}

// Two shapes, one that is square, or m, n and k.
Result<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> SentenceProgram::matmul_shapes(const OpUse& use) const {
  const bool by_name = use.has("m") || use.has("n") || use.has("k");
  if (by_name && !reading_.shapes.empty()) return invalid_input("matmul has shapes, and m, n or k besides");
  if (by_name) {
    KA_ASSIGN(const std::int64_t m, count(use, "m", "m, n and k"));
    KA_ASSIGN(const std::int64_t n, count(use, "n", "m, n and k"));
    KA_ASSIGN(const std::int64_t k, count(use, "k", "m, n and k"));
    return std::pair(std::vector<std::int64_t>{m, k}, std::vector<std::int64_t>{k, n});
  }
  const std::vector<std::vector<std::int64_t>>& shapes = reading_.shapes;
  if (shapes.size() == 2) return std::pair(shapes[0], shapes[1]);
  const bool square = shapes.size() == 1 && shapes[0].size() >= 2 && shapes[0].back() == shapes[0][shapes[0].size() - 2];
  if (square) return std::pair(shapes[0], shapes[0]);
  return invalid_input("matmul needs two shapes, as in \"matmul of (512, 256) and (256, 1024)\"");
}

Status SentenceProgram::apply_matmul(const OpUse& use) {
  if (!steps_.empty()) return invalid_input(fmt::format("{} is understood as the first operation only; \"linear\" multiplies by a weight", plain_name(use)));
  if (use.op->kind == OpKind::dot) {
    if (shape_.size() != 1) return invalid_input("dot product needs vectors");
    shape_.clear();
    ended_ = true;
    step(with_holes(use.op->python, {{"{x}", "x"}, {"{y}", "y"}}), "dot product of x and y");
    return ok();
  }
  KA_ASSIGN(const auto shapes, matmul_shapes(use));
  const auto& [a, b] = shapes;
  if (a.size() < 2 || a.size() > 4 || b.empty() || b.size() > a.size())
    return invalid_input("matmul of these numbers of dimensions is not understood; (m, k) and (k, n), (b, m, k) and (b, k, n), (m, k) and (k,) are");
  const std::int64_t depth = b.size() == 1 ? b[0] : b[b.size() - 2];
  if (a.back() != depth) return invalid_input(fmt::format("the shapes of matmul do not fit: {} columns by {} rows", a.back(), depth));
  Sizes left, right, result;
  for (std::size_t i = 0; i + 2 < a.size(); ++i) {
    left.push_back(variable(i == 0 ? "batch" : "heads", a[i]));
    if (b.size() == a.size() && b[i] != a[i]) return invalid_input("the batches of the two shapes are not the same");
  }
  if (b.size() != a.size() && b.size() > 2) return invalid_input("the batches of the two shapes are not the same");
  if (b.size() == a.size()) right = left;
  result = left;
  left.push_back(variable("m", a[a.size() - 2]));
  result.push_back(left.back());
  left.push_back(variable("k", depth));
  right.push_back(left.back());
  if (b.size() > 1) {
    right.push_back(variable("n", b.back()));
    result.push_back(right.back());
  }
  input("x", left);
  input("y", right);
  shape_ = result;
  step(with_holes(use.op->python, {{"{x}", "x"}, {"{y}", "y"}}), "matmul of x and y");
  return ok();
}

Status SentenceProgram::apply_linear(const OpUse& use) {
  if (shape_.empty() || shape_.back().name.empty()) return invalid_input(fmt::format("linear behind {} is not understood", words_.empty() ? "nothing" : words_.back()));
  std::int64_t outputs = 0;
  if (use.has("from_to")) {
    const std::vector<double>& range = use.parameters.at("from_to");
    if (range[0] != static_cast<double>(shape_.back().value))
      return invalid_input(fmt::format("linear from {} features, but the last dimension has {}", number_text(range[0]), shape_.back().value));
    if (!is_size(range[1])) return invalid_input("linear needs a whole number of outputs");
    outputs = static_cast<std::int64_t>(range[1]);
  } else {
    KA_ASSIGN(outputs, count(use, "outputs", "the number of outputs, as in \"with 512 outputs\" or \"from 256 to 512\""));
  }
  const bool bias = use.value("bias", 1) != 0;
  const Size size = variable("outputs", outputs);
  const std::string name = fmt::format("linear{}", layers_.empty() ? std::string() : fmt::format("_{}", layers_.size())), in = argument(shape_.back()), out = argument(size);
  layer(name, fmt::format("nn.Linear({}, {}{}{})", in, out, bias ? "" : ", bias=False", dtype_argument()));
  step(fmt::format("self.{}(x)", name), fmt::format("linear from {} to {} {} bias", shape_.back().value, outputs, bias ? "with" : "without"));
  shape_.back() = size;
  return ok();
}

// A whole number among the parameters of a window.
Result<std::int64_t> SentenceProgram::whole(const OpUse& use, const char* name, double otherwise, double least) const {
  const double value = use.value(name, otherwise);
  if (value < least || value > 1000 || value != std::floor(value))
    return invalid_input(fmt::format("{} of {} must be a whole number from {} to 1000", name, plain_name(use), least));
  return static_cast<std::int64_t>(value);
}

Result<Window> SentenceProgram::window(const OpUse& use) const {
  const std::string words = plain_name(use);
  const bool is_conv = use.op->kind == OpKind::conv;
  const std::size_t rank = shape_.size() - 2;
  if (!use.has("kernel")) return invalid_input(fmt::format("{} needs the size of its {}, as in \"3x3\" or \"kernel size 3\"", words, is_conv ? "kernel" : "window"));
  std::vector<double> kernel = use.parameters.at("kernel");
  if (kernel.size() == 1) kernel.resize(rank, kernel[0]);
  if (kernel.size() != rank) return invalid_input(fmt::format("{} over {} dimensions with a kernel of {}", words, rank, kernel.size()));
  KA_ASSIGN(const std::int64_t stride, whole(use, "stride", is_conv ? 1 : kernel[0], 1));
  KA_ASSIGN(const std::int64_t padding, whole(use, "padding", 0, 0));
  KA_ASSIGN(const std::int64_t dilation, whole(use, "dilation", 1, 1));
  Window window{{}, {}, {}, {shape_[0], shape_[1]}};
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!is_size(kernel[i]) || kernel[i] > 1000) return invalid_input(fmt::format("the kernel of {} must have whole sizes", words));
    const auto reach = dilation * (static_cast<std::int64_t>(kernel[i]) - 1) + 1;
    const std::int64_t room = shape_[2 + i].value + 2 * padding - reach;
    if (room < 0) return invalid_input(fmt::format("the kernel of {} is larger than what it moves over", words));
    if (!is_conv && 2 * padding > static_cast<std::int64_t>(kernel[i])) return invalid_input(fmt::format("padding of {} is at most half of its window", words));
    window.result.push_back({room / stride + 1, {}});
    sizes.push_back(number_text(kernel[i]));
  }
  const bool square = std::all_of(sizes.begin(), sizes.end(), [&](const std::string& size) { return size == sizes[0]; });
  window.kernel = square ? sizes[0] : fmt::format("({})", fmt::join(sizes, ", "));
  window.options = fmt::format(", stride={}, padding={}{}", stride, padding, dilation > 1 ? fmt::format(", dilation={}", dilation) : std::string());
  window.words = fmt::format("{}, stride {}, padding {}{}", fmt::join(sizes, "x"), stride, padding, dilation > 1 ? fmt::format(", dilation {}", dilation) : std::string());
  return window;
}

Status SentenceProgram::apply_window(const OpUse& use) {
  const std::string words = plain_name(use);
  const char digit = use.op->name[use.op->name.size() - 2];
  const std::size_t named = digit >= '1' && digit <= '3' ? static_cast<std::size_t>(digit - '0') : 0;
  if (shape_.size() < 3 || (named != 0 && shape_.size() != named + 2))
    return invalid_input(fmt::format("{} needs a shape of {} dimensions: (batch, channels, ...)", words, named == 0 ? "3 to 5" : std::to_string(named + 2)));
  const std::size_t rank = shape_.size() - 2;
  if (use.op->kind == OpKind::global_pool) {
    constexpr std::array<const char*, 3> dims = {"2", "(2, 3)", "(2, 3, 4)"};
    step(with_holes(use.op->python, {{"{x}", "x"}, {"{dims}", dims[rank - 1]}}), words);
    shape_.resize(2);
    return ok();
  }
  KA_ASSIGN(Window made, window(use));
  if (use.op->kind == OpKind::conv) return apply_conv(use, made);
  step(fmt::format("nn.functional.{}{}d(x, {}{})", use.op->python, rank, made.kernel, made.options), fmt::format("{} {}", words, made.words));
  shape_ = made.result;
  return ok();
}

Status SentenceProgram::apply_conv(const OpUse& use, Window& made) {
  const Size channels = shape_[1];
  if (channels.name.empty()) return invalid_input(fmt::format("{} behind {} is not understood", plain_name(use), words_.back()));
  const bool depthwise = use.has("depthwise");
  if (depthwise && (use.has("groups") || use.value("filters", static_cast<double>(channels.value)) != static_cast<double>(channels.value)))
    return invalid_input("a depthwise convolution has one filter for each channel");
  KA_ASSIGN(const std::int64_t groups, whole(use, "groups", 1, 1));
  const std::string in = argument(channels);
  std::string out = in, group_text = depthwise ? ", groups=" + in : std::string(), kind = depthwise ? "depthwise " : "";
  if (!depthwise) {
    KA_ASSIGN(const std::int64_t filters, count(use, "filters", "the number of filters, as in \"with 64 filters\""));
    if (channels.value % groups != 0 || filters % groups != 0)
      return invalid_input(fmt::format("{} channels and {} filters cannot be cut into {} groups", channels.value, filters, groups));
    made.result[1] = variable("filters", filters);
    out = argument(made.result[1]);
    if (groups > 1) group_text = fmt::format(", groups={}", groups);
    if (groups > 1) kind = fmt::format("grouped ({}) ", groups);
  }
  const bool bias = use.value("bias", 1) != 0;
  const std::size_t rank = shape_.size() - 2;
  const std::string name = fmt::format("conv{}", layers_.empty() ? std::string() : fmt::format("_{}", layers_.size()));
  layer(name, fmt::format("nn.Conv{}d({}, {}, {}{}{}{}{})", rank, in, out, made.kernel, made.options, group_text, bias ? "" : ", bias=False", dtype_argument()));
  step(fmt::format("self.{}(x)", name), fmt::format("{}conv{}d {}, {} filters {} bias", kind, rank, made.words, made.result[1].value, bias ? "with" : "without"));
  shape_ = made.result;
  return ok();
}

Status SentenceProgram::apply_attention(const OpUse& use) {
  if (!steps_.empty()) return invalid_input("attention is understood as the first operation only");
  constexpr std::array<std::pair<const char*, const char*>, 4> wanted = {{{"batch", "batch"}, {"heads", "heads"}, {"length", "length"}, {"head_dim", "head_dim"}}};
  if (reading_.shapes.size() > 1) return invalid_input("attention needs one shape: (batch, heads, length, head dimension)");
  if (!reading_.shapes.empty() && reading_.shapes[0].size() == 3 && use.has("heads")) return apply_split_attention(use);
  std::vector<std::int64_t> sizes;
  if (!reading_.shapes.empty()) {
    sizes = reading_.shapes[0];
    if (sizes.size() != 4) return invalid_input("attention needs a shape (batch, heads, length, head dimension), or (batch, length, features) and the number of heads");
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!reading_.shapes.empty()) {
      if (use.has(wanted[i].first) && use.value(wanted[i].first, 0) != static_cast<double>(sizes[i]))
        return invalid_input(fmt::format("attention: the shape has {} for {}, the words say otherwise", sizes[i], wanted[i].second));
    } else {
      KA_ASSIGN(const std::int64_t size, count(use, wanted[i].first,
          "a shape (batch, heads, length, head dimension), or all four: batch, heads, sequence length, head dimension"));
      sizes.push_back(size);
    }
  }
  Sizes shape;
  for (std::size_t i = 0; i < sizes.size(); ++i) shape.push_back(variable(wanted[i].second, sizes[i]));
  for (const char* name : {"q", "k", "v"}) input(name, shape);
  shape_ = shape;
  const bool causal = use.has("causal");
  step(with_holes(use.op->python, {{"{n}", causal ? ", is_causal=True" : ""}}), causal ? "causal attention of q, k, v" : "attention of q, k, v");
  return ok();
}

// (batch, length, features): the features are cut into heads.
Status SentenceProgram::apply_split_attention(const OpUse& use) {
  if (use.has("batch") || use.has("length") || use.has("head_dim")) return invalid_input("attention: a size is given by the shape and by a word");
  const std::vector<std::int64_t>& sizes = reading_.shapes[0];
  KA_ASSIGN(const std::int64_t heads, count(use, "heads", "heads"));
  if (sizes[2] % heads != 0) return invalid_input(fmt::format("{} features cannot be cut into {} heads", sizes[2], heads));
  shape_ = {variable("batch", sizes[0]), variable("length", sizes[1]), variable("features", sizes[2])};
  for (const char* name : {"q", "k", "v"}) input(name, shape_);
  layer("heads", argument(variable("heads", heads)));
  const bool causal = use.has("causal");
  const std::string cut = "*(t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))";
  step(fmt::format("nn.functional.scaled_dot_product_attention({}{}).transpose(1, 2).flatten(2)", cut, causal ? ", is_causal=True" : ""),
       fmt::format("{}attention of q, k, v in {} heads of {} features", causal ? "causal " : "", heads, sizes[2] / heads));
  return ok();
}

Status SentenceProgram::apply_loss(const OpUse& use) {
  if (!steps_.empty()) return invalid_input(fmt::format("{} is understood as the first operation only", plain_name(use)));
  if (use.op->kind == OpKind::cross_entropy) {
    if (shape_.size() != 2) return invalid_input("cross entropy needs scores of shape (batch, classes)");
    inputs_.emplace_back("y", fmt::format("torch.randint(0, {}, ({},))", shape_[1].name, shape_[0].name));
    input_words_.push_back(fmt::format("y ({},) of class numbers", shape_[0].value));
  }
  step(with_holes(use.op->python, {{"{x}", "x"}, {"{y}", "y"}}), fmt::format("{} of x and y", plain_name(use)));
  shape_.clear();
  ended_ = true;
  return ok();
}

}  // namespace ka::problem

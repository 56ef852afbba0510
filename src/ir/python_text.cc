#include "ir/python_text.h"

#include <cctype>

#include <fmt/format.h>

namespace ka::ir {

std::span<const char* const> python_keywords() {
  static constexpr const char* words[] = {"False", "None", "True",   "and",    "as",    "assert", "async",    "await",  "break",    "class", "continue", "def",
                                          "del",   "elif", "else",   "except", "finally", "for",  "from",     "global", "if",       "import", "in",      "is",
                                          "lambda", "nonlocal", "not", "or",   "pass",  "raise",  "return",   "try",    "while",    "with",  "yield"};
  return words;
}

std::string python_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    out += plain ? c : '_';
  }
  return out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0 ? "_" + out : out;
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else out += c;
  }
  return out + "'";
}

std::string short_name(const std::string& origin) {
  std::string name = origin.starts_with("aten.") ? origin.substr(5) : origin;
  name = name.substr(0, name.find('.'));
  while (!name.empty() && name.front() == '_') name.erase(0, 1);
  while (!name.empty() && name.back() == '_') name.pop_back();
  // what PyTorch calls the variants of one function says nothing to the reader of a kernel
  if (name.starts_with("native_")) name.erase(0, 7);
  if (const std::size_t variant = name.find("_legit"); variant != std::string::npos) name.erase(variant);
  return name.empty() ? "value" : name;
}

std::string value_text(const SizeSource& size, const std::string& argument) {
  if (size.argument < 0) return size.value.text();
  const std::string extent = fmt::format("{}.shape[{}]", argument, size.dim);
  return size.per_square == 0 ? extent : fmt::format("round(({} // {}) ** 0.5)", extent, size.per_square);
}

std::string tuple_text(const std::vector<Sym>& list) {
  std::string out;
  for (const Sym& item : list) out += (out.empty() ? "" : ", ") + item.text();
  return list.size() == 1 ? "(" + out + ",)" : "(" + out + ")";
}

std::string torch_type(DType dtype) { return fmt::format("torch.{}", to_string(dtype)); }

std::string packed_text(const std::string& structure, const std::vector<std::string>& parts) {
  if (structure == "tensor") return parts.empty() ? "None" : parts.front();
  if (structure == "tuple" && parts.empty()) return "()";
  if (structure == "tuple") return fmt::format("({},)", fmt::join(parts, ", "));
  if (structure == "list") return fmt::format("[{}]", fmt::join(parts, ", "));
  std::string out;
  bool quoted = false;  // keys of dictionaries may contain the sign too
  std::size_t next = 0;
  for (const char c : structure) {
    if (c == '\'') quoted = !quoted;
    if (c == '_' && !quoted && next < parts.size()) out += parts[next++];
    else out += c;
  }
  return out;
}

namespace {

// "(1, 0, 2)" of an attribute of a random draw that was made in another order of memory; nothing where it was not.
std::string order_of(const Node& node, const char* name) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? "" : tuple_text(std::get<std::vector<Sym>>(found->second));
}

// A tensor as the program's lies in memory, what is drawn into it, and back to an order in which it is contiguous.
std::string drawn_into(const Node& node, const std::string& tensor, const std::string& before, const std::string& after) {
  const std::string place = order_of(node, "place");
  if (place.empty()) return before + tensor + after;
  return fmt::format("{}{}.permute{}{}.permute{}", before, tensor, place, after, order_of(node, "order"));
}

}  // namespace

std::string draw_text(const Graph& graph, ValueId value, const std::string& device) {
  const Node& node = *graph.maker(value);
  const Shape& shape = graph.shape(value);
  const std::string& kind = text_attribute(node, "kind");
  const std::string what = fmt::format("dtype={}, device={}", torch_type(graph.type(value).dtype), device);
  const auto number = [&](const char* name) { return float_attribute(node, name); };
  const auto into_empty = [&](const std::string& call) { return drawn_into(node, fmt::format("torch.empty({}, {})", tuple_text(shape), what), "", "." + call); };
  if (kind == "dropout") {  // PyTorch's own, of ones: which elements it keeps follows from the shape, the dtype and the layout
    const bool gaps = bool_attribute(node, "gaps");
    Shape wider = shape;
    if (gaps) wider.push_back(Sym(2));
    const std::string ones = fmt::format("torch.ones({}, {}){}", tuple_text(wider), what, gaps ? ".select(-1, 0)" : "");
    return drawn_into(node, ones, "torch.native_dropout(", fmt::format(", {}, True)[0]", number("p")));
  }
  if (kind == "bernoulli") return into_empty(fmt::format("bernoulli_({})", number("p")));
  if (kind == "exponential_") return into_empty(fmt::format("exponential_({})", number("p")));
  if (kind == "uniform_" || kind == "normal_") return into_empty(fmt::format("{}({}, {})", kind, number("p"), number("q")));
  if (!order_of(node, "place").empty() && (kind == "rand" || kind == "randn")) return into_empty(kind == "rand" ? "uniform_()" : "normal_()");
  if (kind == "randint")
    return fmt::format("torch.randint({}, {}, {}, {})", static_cast<std::int64_t>(number("p")), static_cast<std::int64_t>(number("q")), tuple_text(shape), what);
  if (kind == "randperm") return fmt::format("torch.randperm({}, {})", shape[0].text(), what);
  return fmt::format("torch.{}({}, {})", kind, tuple_text(shape), what);
}

}  // namespace ka::ir

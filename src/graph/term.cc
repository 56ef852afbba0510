// Grammar, loosest first:
//   term    = "let" name "=" term ";" term | "if" term "then" term "else" term | either
//   either  = both ("or" both)*        both = compare ("and" compare)*
//   compare = sum (("==" | "!=" | "<" | "<=" | ">" | ">=") sum)?
//   sum     = product (("+" | "-") product)*       product = unary (("*" | "/") unary)*
//   unary   = "-" unary | "not" unary | primary
//   primary = number | 'text' | name | name "(" operands ")" | "(" term ")" | "[" terms "]"
#include "graph/term.h"

#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "graph/term_functions.h"

namespace ka::graph {

enum class TermKind { literal, name, call, list, let, conditional, binary, negate, invert };

struct TermNode {
  TermKind kind;
  std::string text;  // name, function or operator
  Arg literal;
  std::vector<Term> parts;
  std::vector<std::string> labels;  // of a call's operands; empty = positional
};

namespace {

constexpr int kMaxDepth = 200;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Result<Term> whole() {
    Term result = term();
    if (failed_.empty() && !token_.empty()) fail("unexpected " + token_);
    if (!failed_.empty()) return internal_error(fmt::format("term \"{}\": {}", text_, failed_));
    return result;
  }

 private:
  // Counts how deep the parser has called itself, so that no text exhausts the stack.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) parser_.fail("it is nested too deeply");
    }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --parser_.depth_; }
    bool fits() const { return parser_.depth_ <= kMaxDepth; }

   private:
    Parser& parser_;
  };

  static Term make(TermKind kind, std::string text, std::vector<Term> parts = {}, Arg literal = {}) {
    return std::make_shared<TermNode>(TermNode{kind, std::move(text), std::move(literal), std::move(parts), {}});
  }

  Term term() {
    const Nesting nesting(*this);
    if (!nesting.fits()) return make(TermKind::literal, "");
    if (accept("let")) {
      const std::string name = take();
      expect("=");
      Term value = term();
      expect(";");
      return make(TermKind::let, name, {value, term()});
    }
    if (accept("if")) {
      Term condition = term();
      expect("then");
      Term yes = term();
      expect("else");
      return make(TermKind::conditional, "", {condition, yes, term()});
    }
    return chain({"or"}, [this] {
      return chain({"and"}, [this] { return compare(); });
    });
  }

  Term compare() {
    Term left = sum();
    for (const char* symbol : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (accept(symbol)) return make(TermKind::binary, symbol, {left, sum()});
    }
    return left;
  }

  Term sum() {
    return chain({"+", "-"}, [this] {
      return chain({"*", "/"}, [this] { return unary(); });
    });
  }

  Term chain(const std::vector<std::string>& symbols, const std::function<Term()>& operand) {
    Term left = operand();
    while (failed_.empty()) {
      std::string found;
      for (const std::string& symbol : symbols) {
        if (token_ == symbol) found = symbol;
      }
      if (found.empty()) break;
      advance();
      left = make(TermKind::binary, found, {left, operand()});
    }
    return left;
  }

  Term unary() {
    const Nesting nesting(*this);
    if (!nesting.fits()) return make(TermKind::literal, "");
    if (accept("-")) return make(TermKind::negate, "", {unary()});
    if (accept("not")) return make(TermKind::invert, "", {unary()});
    return primary();
  }

  Term primary() {
    if (accept("(")) {
      Term inner = term();
      expect(")");
      return inner;
    }
    if (accept("[")) {
      Term list = make(TermKind::list, "");
      std::vector<Term> parts;
      while (failed_.empty() && !accept("]")) {
        parts.push_back(term());
        if (token_ != "]") expect(",");
      }
      return make(TermKind::list, "", std::move(parts));
    }
    if (!token_.empty() && token_[0] == '\'') {
      const std::string quoted = take();
      return make(TermKind::literal, "", {}, Arg{quoted.substr(1)});
    }
    if (!token_.empty() && std::isdigit(static_cast<unsigned char>(token_[0])) != 0) return number(take());
    const std::string name = take();
    if (name.empty() || (std::isalpha(static_cast<unsigned char>(name[0])) == 0 && name[0] != '_')) fail("a value is missing");
    if (name == "true" || name == "false") return make(TermKind::literal, "", {}, Arg{name == "true"});
    if (name == "none") return make(TermKind::literal, "");
    if (name == "inf") return make(TermKind::literal, "", {}, Arg{std::numeric_limits<double>::infinity()});
    if (!accept("(")) return make(TermKind::name, name);
    TermNode call{TermKind::call, name, {}, {}, {}};
    while (failed_.empty() && !accept(")")) {
      Term value = term();
      std::string label;
      if (accept("=")) {
        label = value->text;
        value = term();
      }
      call.parts.push_back(value);
      call.labels.push_back(label);
      if (token_ != ")") expect(",");
    }
    return std::make_shared<TermNode>(std::move(call));
  }

  template <class Number>
  Number parsed(const std::string& text) {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size()) fail(text + " is no number");
    return value;
  }

  Term number(const std::string& text) {
    if (text.find_first_of(".e") == std::string::npos) return make(TermKind::literal, "", {}, Arg{ir::Sym(parsed<std::int64_t>(text))});
    return make(TermKind::literal, "", {}, Arg{parsed<double>(text)});
  }

  void advance() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::size_t begin = at_;
    if (at_ == text_.size()) {
      token_.clear();
      return;
    }
    const auto is_word = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.' ||
                                    ((text_[at_] == '-' || text_[at_] == '+') && text_[at_ - 1] == 'e')))
        ++at_;
    } else if (is_word(text_[at_])) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else if (text_[at_] == '\'') {
      ++at_;
      while (at_ < text_.size() && text_[at_] != '\'') ++at_;
      token_ = std::string(text_.substr(begin, at_ - begin));
      if (at_ == text_.size()) fail("a text has no end");
      else ++at_;
      return;
    } else {
      ++at_;
      if (at_ < text_.size() && text_[at_] == '=' && std::string_view("=!<>").find(text_[begin]) != std::string_view::npos) ++at_;
    }
    token_ = std::string(text_.substr(begin, at_ - begin));
  }

  std::string take() {
    std::string out = token_;
    advance();
    return out;
  }
  bool accept(std::string_view token) {
    if (token_ != token) return false;
    advance();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("\"{}\" is missing before \"{}\"", token, token_));
  }
  void fail(const std::string& what) {
    if (failed_.empty()) failed_ = what;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string token_;
  std::string failed_;
  int depth_ = 0;
};

bool is_number(const Arg& arg) {
  return std::holds_alternative<double>(arg.value) || std::holds_alternative<bool>(arg.value) ||
         (arg.integer() != nullptr && arg.integer()->is_constant());
}

double number_of(const Arg& arg) {
  if (const bool* flag = std::get_if<bool>(&arg.value)) return *flag ? 1 : 0;
  if (const ir::Sym* integer = arg.integer()) return static_cast<double>(*integer->constant());
  return std::get<double>(arg.value);
}

std::optional<Arg> static_comparison(const std::string& symbol, const Arg& a, const Arg& b) {
  if (symbol == "==" || symbol == "!=") {
    std::optional<bool> same;
    if (is_number(a) && is_number(b)) same = number_of(a) == number_of(b);
    else if (a.integer() != nullptr && b.integer() != nullptr) same = *a.integer() == *b.integer();
    else if (a.tensor() == nullptr && b.tensor() == nullptr && !is_number(a) && !is_number(b)) same = describe(a) == describe(b);
    else if (a.is_none() || b.is_none()) same = a.is_none() && b.is_none();
    if (same) return Arg{symbol == "==" ? *same : !*same};
    return std::nullopt;
  }
  if (!is_number(a) || !is_number(b)) return std::nullopt;
  const double x = number_of(a), y = number_of(b);
  if (symbol == "<") return Arg{x < y};
  if (symbol == "<=") return Arg{x <= y};
  if (symbol == ">") return Arg{x > y};
  if (symbol == ">=") return Arg{x >= y};
  if (symbol == "and") return Arg{x != 0 && y != 0};
  if (symbol == "or") return Arg{x != 0 || y != 0};
  return std::nullopt;
}

std::optional<Arg> static_arithmetic(const std::string& symbol, const Arg& a, const Arg& b) {
  if (a.integer() != nullptr && b.integer() != nullptr && symbol != "/") {
    if (symbol == "+") return Arg{*a.integer() + *b.integer()};
    if (symbol == "-") return Arg{*a.integer() - *b.integer()};
    if (symbol == "*") return Arg{*a.integer() * *b.integer()};
  }
  if (!is_number(a) || !is_number(b)) return std::nullopt;
  const double x = number_of(a), y = number_of(b);
  if (symbol == "+") return Arg{x + y};
  if (symbol == "-") return Arg{x - y};
  if (symbol == "*") return Arg{x * y};
  if (symbol == "/") return Arg{x / y};
  return std::nullopt;
}

const std::map<std::string, std::string>& elementwise_of_symbols() {
  static const std::map<std::string, std::string> names = {
      {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"==", "eq"}, {"!=", "ne"},
      {"<", "lt"},  {"<=", "le"}, {">", "gt"},  {">=", "ge"}, {"and", "and"}, {"or", "or"}};
  return names;
}

Result<Arg> binary(const std::string& symbol, const Arg& a, const Arg& b, ir::Builder& builder) {
  if (std::optional<Arg> known = static_comparison(symbol, a, b)) return *known;
  if (std::optional<Arg> known = static_arithmetic(symbol, a, b)) return *known;
  return call_function(elementwise_of_symbols().at(symbol), {a, b}, {}, builder);
}

}  // namespace

Result<Term> parse_term(std::string_view text) {
  return Parser(text).whole();
}

Result<Arg> evaluate(const Term& term, const Names& names, ir::Builder& builder) {
  const auto part = [&](std::size_t i) { return evaluate(term->parts[i], names, builder); };
  switch (term->kind) {
    case TermKind::literal: return term->literal;
    case TermKind::name: {
      const auto found = names.find(term->text);
      if (found == names.end()) {
        if (Result<ir::DType> dtype = ir::parse_dtype(term->text)) return Arg{*dtype};
        return internal_error(fmt::format("there is no operand \"{}\"", term->text));
      }
      return found->second;
    }
    case TermKind::let: {
      KA_ASSIGN(Arg value, part(0));
      Names inner = names;
      inner[term->text] = std::move(value);
      return evaluate(term->parts[1], inner, builder);
    }
    case TermKind::conditional: {
      KA_ASSIGN(Arg condition, part(0));
      if (!is_number(condition)) return internal_error("a condition is not known when the graph is built");
      return part(number_of(condition) != 0 ? 1 : 2);
    }
    case TermKind::list: {
      ArgList items;
      for (std::size_t i = 0; i < term->parts.size(); ++i) {
        KA_ASSIGN(Arg item, part(i));
        items.push_back(std::move(item));
      }
      return Arg{std::move(items)};
    }
    case TermKind::binary: {
      KA_ASSIGN(Arg a, part(0));
      KA_ASSIGN(Arg b, part(1));
      return binary(term->text, a, b, builder);
    }
    case TermKind::negate: {
      KA_ASSIGN(Arg a, part(0));
      if (a.integer() != nullptr) return Arg{*a.integer() * -1};
      if (is_number(a)) return Arg{-number_of(a)};
      return call_function("neg", {a}, {}, builder);
    }
    case TermKind::invert: {
      KA_ASSIGN(Arg a, part(0));
      if (is_number(a)) return Arg{number_of(a) == 0};
      return call_function("not", {a}, {}, builder);
    }
    case TermKind::call: {
      ArgList positional;
      Names named;
      for (std::size_t i = 0; i < term->parts.size(); ++i) {
        KA_ASSIGN(Arg value, part(i));
        if (term->labels[i].empty()) positional.push_back(std::move(value));
        else named[term->labels[i]] = std::move(value);
      }
      return call_function(term->text, positional, named, builder);
    }
  }
  return internal_error("unknown term");
}

Result<ir::ValueId> as_tensor(const Arg& arg, ir::Builder& builder) {
  if (const Tensor* tensor = arg.tensor()) return tensor->id;
  if (const bool* flag = std::get_if<bool>(&arg.value)) return builder.constant(*flag ? 1 : 0, ir::DType::bool_);
  if (const double* number = std::get_if<double>(&arg.value)) return builder.constant(*number, ir::DType::float32);
  if (const ir::Sym* integer = arg.integer()) {
    if (integer->constant()) return builder.constant(static_cast<double>(*integer->constant()), ir::DType::int64);
    return builder.index({}, *integer);
  }
  return internal_error("a tensor is needed, not " + describe(arg));
}

std::string describe(const Arg& arg) {
  struct Printer {
    std::string operator()(std::monostate) const { return "none"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const ir::Sym& value) const { return value.text(); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(ir::DType value) const { return ir::to_string(value); }
    std::string operator()(const Tensor& value) const { return fmt::format("%{}", value.id); }
    std::string operator()(const ArgList& list) const {
      std::string out;
      for (const Arg& item : list) out += (out.empty() ? "" : ", ") + describe(item);
      return "[" + out + "]";
    }
  };
  return std::visit(Printer{}, arg.value);
}

}  // namespace ka::graph

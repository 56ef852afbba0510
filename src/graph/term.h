// The small language in which composite operators are written as rows of a table:
//
//   let e = exp(x - amax(x, dim)); e / sum(e, dim)
//   if approximate == 'tanh' then ... else ...
//
// A term is parsed once and evaluated against named operands. What is known when the graph is built (flags, numbers, sizes,
// texts) is computed then; what is a tensor becomes nodes of the graph. Names are operands, let-bound values, or functions:
// the elementwise primitives, the functions of term_functions.cc, and the macros of macros.cc.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ir/builder.h"

namespace ka::graph {

struct Tensor {
  ir::ValueId id = -1;
};

struct Arg;
using ArgList = std::vector<Arg>;

// An operand or a result: a tensor, or something known when the graph is built.
struct Arg {
  std::variant<std::monostate, bool, ir::Sym, double, std::string, ir::DType, Tensor, ArgList> value;

  bool is_none() const { return std::holds_alternative<std::monostate>(value); }
  const Tensor* tensor() const { return std::get_if<Tensor>(&value); }
  const ir::Sym* integer() const { return std::get_if<ir::Sym>(&value); }
};

using Names = std::map<std::string, Arg>;

struct TermNode;
using Term = std::shared_ptr<const TermNode>;

Result<Term> parse_term(std::string_view text);

// Evaluates. Errors: a name that is not known, operands that do not fit. They carry no place; the caller adds it.
Result<Arg> evaluate(const Term& term, const Names& names, ir::Builder& builder);
// Calls a function of the language with positional and named operands.
Result<Arg> call_function(const std::string& name, const ArgList& positional, const Names& named, ir::Builder& builder);

// An Arg as a tensor: numbers become constants, sizes become index nodes.
Result<ir::ValueId> as_tensor(const Arg& arg, ir::Builder& builder);
std::string describe(const Arg& arg);

}  // namespace ka::graph

#include "graph/term_functions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"
#include "ir/misfit.h"
#include "ir/primitives.h"

namespace ka::graph {
namespace {

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : list) {
    if (c == ',') {
      out.push_back(word);
      word.clear();
    } else if (c != ' ') {
      word += c;
    }
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

Result<Names> bound_names(std::string_view name, std::string_view parameters, const ArgList& positional, const Names& named) {
  const std::vector<std::string> order = words(parameters);
  Names out;
  for (const std::string& parameter : order) out[parameter] = Arg{};
  if (positional.size() > order.size()) return internal_error(fmt::format("{}: too many operands", name));
  for (std::size_t i = 0; i < positional.size(); ++i) out[order[i]] = positional[i];
  for (const auto& [label, value] : named) {
    if (!out.contains(label)) return internal_error(fmt::format("{}: no operand \"{}\"", name, label));
    out[label] = value;
  }
  return out;
}

const Function* find_function(const std::string& name) {
  for (const std::span<const Function> group : {reduce_functions(), view_functions(), contraction_functions(), index_functions(),
                                                network_functions(), recurrent_functions(), resample_functions(), scatter_functions(),
                                                sort_functions()}) {
    for (const Function& row : group) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

const Macro* find_macro(const std::string& name) {
  for (const std::span<const Macro> group : {all_macros(), scatter_macros(), sort_macros()}) {
    for (const Macro& row : group) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

// Operands that fit neither the function nor each other end here, whoever noticed it.
Result<Arg> run(const Function& function, Operands& operands) try {
  return function.run(operands);
} catch (const Refusal& refusal) {
  return refusal.error;
} catch (const ir::Misfit& misfit) {
  return invalid_input(misfit.what());
} catch (const std::logic_error&) {  // of a list: it has no such item, or cannot be that long
  return invalid_input("its operands do not fit each other");
}

}  // namespace

Result<Arg> call_function(const std::string& name, const ArgList& positional, const Names& named, ir::Builder& builder) {
  if (const Macro* macro = find_macro(name)) {
    KA_ASSIGN(Names names, bound_names(name, macro->parameters, positional, named));
    KA_ASSIGN(Term term, parse_term(macro->term));
    Result<Arg> out = evaluate(term, names, builder);
    return out ? out : out.error().with(name);
  }
  if (const Function* function = find_function(name)) {
    KA_ASSIGN(Names names, bound_names(name, function->parameters, positional, named));
    Operands operands(std::move(names), builder);
    Result<Arg> out = run(*function, operands);
    return out || name == "refused" ? out : out.error().with(name);
  }
  const ir::Primitive* primitive = ir::find_primitive(name);
  if (primitive == nullptr || primitive->fusion != ir::Fusion::elementwise)
    return internal_error(fmt::format("unknown function \"{}\"", name));
  if (primitive->arity != static_cast<int>(positional.size()))
    return internal_error(fmt::format("{}: takes {} operands", name, primitive->arity));
  std::vector<ir::ValueId> operands;
  for (const Arg& arg : positional) {
    KA_ASSIGN(ir::ValueId id, as_tensor(arg, builder));
    operands.push_back(id);
  }
  return tensor_arg(builder.elementwise(name, std::move(operands)));
}

bool Operands::has(const std::string& name) const {
  return !arg(name).is_none();
}

const Arg& Operands::arg(const std::string& name) const {
  const auto found = names_.find(name);
  KA_CHECK(found != names_.end());
  return found->second;
}

void Operands::fail(const std::string& what) const {
  throw Refusal{unsupported(what)};
}

void Operands::need(bool fits, const std::string& otherwise) const {
  if (!fits) throw Refusal{invalid_input(otherwise)};
}

ir::ValueId Operands::tensor_of(const Result<Arg>& called) {
  if (!called) throw Refusal{called.error()};
  KA_CHECK(called->tensor() != nullptr);
  return called->tensor()->id;
}

ir::ValueId Operands::tensor(const std::string& name, int least_rank) {
  const Result<ir::ValueId> id = as_tensor(arg(name), builder_);
  need(static_cast<bool>(id), id ? "" : fmt::format("{}: {}", name, id.error().message));
  need(builder_.rank(*id) >= least_rank, fmt::format("{} needs at least {} dimension{}", name, least_rank, least_rank == 1 ? "" : "s"));
  return *id;
}

std::vector<ir::ValueId> Operands::tensors(const std::string& name) {
  const ArgList* list = std::get_if<ArgList>(&arg(name).value);
  need(list != nullptr, name + " is not a list");
  std::vector<ir::ValueId> out;
  for (const Arg& item : *list) {
    const Result<ir::ValueId> id = as_tensor(item, builder_);
    need(static_cast<bool>(id), id ? "" : fmt::format("{}: {}", name, id.error().message));
    out.push_back(*id);
  }
  return out;
}

ir::Sym Operands::integer_or(const std::string& name, const ir::Sym& otherwise) {
  return has(name) ? integer(name) : otherwise;
}

ir::Sym Operands::integer(const std::string& name) {
  if (const ir::Sym* integer = arg(name).integer()) return *integer;
  const bool* flag = std::get_if<bool>(&arg(name).value);
  need(flag != nullptr, fmt::format("{} is {}, not an integer", name, describe(arg(name))));
  return *flag ? 1 : 0;
}

std::int64_t Operands::fixed(const std::string& name, std::int64_t otherwise) {
  if (!has(name)) return otherwise;
  const ir::Sym value = integer(name);
  if (!value.constant()) fail(fmt::format("{} is {}, which is not the same for all sizes", name, value.text()));
  return *value.constant();
}

std::vector<ir::Sym> Operands::integers(const std::string& name) {
  if (const ir::Sym* one = arg(name).integer()) return {*one};
  std::vector<ir::Sym> out;
  if (!has(name)) return out;
  const ArgList* list = std::get_if<ArgList>(&arg(name).value);
  need(list != nullptr, fmt::format("{} is {}, not a list of integers", name, describe(arg(name))));
  for (const Arg& item : *list) {
    need(item.integer() != nullptr, fmt::format("{} holds {}, not an integer", name, describe(item)));
    out.push_back(*item.integer());
  }
  return out;
}

std::vector<ir::Sym> Operands::integers(const std::string& name, std::size_t n, const std::vector<ir::Sym>& otherwise) {
  std::vector<ir::Sym> out = integers(name);
  if (out.empty()) out = otherwise;
  if (out.size() == 1) out.resize(n, ir::Sym(out[0]));
  need(out.size() == n, fmt::format("{} has {} numbers, not {}", name, out.size(), n));
  return out;
}

std::vector<ir::Sym> Operands::positive(const std::string& name, std::size_t n, const std::vector<ir::Sym>& otherwise) {
  std::vector<ir::Sym> out = integers(name, n, otherwise);
  for (const ir::Sym& number : out) need(number.constant().value_or(1) > 0, fmt::format("{} is {}, and must be positive", name, number.text()));
  return out;
}

double Operands::number(const std::string& name, double otherwise) {
  const Arg& value = arg(name);
  if (value.is_none()) return otherwise;
  if (const double* number = std::get_if<double>(&value.value)) return *number;
  if (const bool* flag = std::get_if<bool>(&value.value)) return *flag ? 1 : 0;
  if (const ir::Sym* integer = value.integer(); integer != nullptr && integer->constant())
    return static_cast<double>(*integer->constant());
  fail(fmt::format("{} is {}, not a number known beforehand", name, describe(value)));
}

bool Operands::flag(const std::string& name, bool otherwise) {
  if (!has(name)) return otherwise;
  if (const bool* flag = std::get_if<bool>(&arg(name).value)) return *flag;
  return fixed(name, otherwise ? 1 : 0) != 0;
}

std::string Operands::text(const std::string& name, const std::string& otherwise) {
  const std::string* text = std::get_if<std::string>(&arg(name).value);
  return text == nullptr ? otherwise : *text;
}

// A number without dimensions may be asked for its dimension 0 or -1, as if it had one.
int Operands::dim(const std::string& name, int rank) {
  std::int64_t d = fixed(name, 0);
  const int most = std::max(rank, 1);
  need(d >= -most && d < most, fmt::format("{} = {} is out of range", name, d));
  if (d < 0) d += most;
  return static_cast<int>(d);
}

std::vector<int> Operands::dims(const std::string& name, int rank) {
  std::vector<int> out;
  const int most = std::max(rank, 1);
  for (const ir::Sym& item : integers(name)) {
    std::int64_t d = item.constant().value_or(0);
    need(d >= -most && d < most, fmt::format("{} = {} is out of range", name, d));
    if (d < 0) d += most;
    if (rank > 0) out.push_back(static_cast<int>(d));
  }
  if (out.empty()) {
    for (int d = 0; d < rank; ++d) out.push_back(d);
  }
  return out;
}

ir::Sym extent_of(const ir::Shape& shape, const std::vector<int>& dims) {
  ir::Sym out = 1;
  for (const int d : dims) out = out * shape.at(static_cast<std::size_t>(d));
  return out;
}

const char* extent_name(std::size_t k, std::size_t n) {
  if (n == 1) return "length";
  constexpr const char* names[] = {"width", "height", "depth"};
  return n - 1 - k < 3 ? names[n - 1 - k] : "extent";
}

ir::Shape without(const ir::Shape& shape, const std::vector<int>& dims) {
  ir::Shape out;
  for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) out.push_back(shape[static_cast<std::size_t>(d)]);
  }
  return out;
}

}  // namespace ka::graph

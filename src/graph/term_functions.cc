#include "graph/term_functions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"
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
    Arg out = function->run(operands);
    if (!operands.failed().empty()) return unsupported(name == "refused" ? operands.failed() : fmt::format("{}: {}", name, operands.failed()));
    return out;
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

void Operands::fail(const std::string& what) {
  if (failed_.empty()) failed_ = what;
}

ir::ValueId Operands::tensor(const std::string& name) {
  Result<ir::ValueId> id = as_tensor(arg(name), builder_);
  if (id) return *id;
  fail(fmt::format("{}: {}", name, id.error().message));
  return builder_.constant(0, ir::DType::float32);
}

std::vector<ir::ValueId> Operands::tensors(const std::string& name) {
  const ArgList* list = std::get_if<ArgList>(&arg(name).value);
  std::vector<ir::ValueId> out;
  if (list == nullptr) {
    fail(name + " is not a list");
    return out;
  }
  for (const Arg& item : *list) {
    Result<ir::ValueId> id = as_tensor(item, builder_);
    if (id) out.push_back(*id);
    else fail(fmt::format("{}: {}", name, id.error().message));
  }
  return out;
}

ir::Sym Operands::integer_or(const std::string& name, const ir::Sym& otherwise) {
  return has(name) ? integer(name) : otherwise;
}

ir::Sym Operands::integer(const std::string& name) {
  if (const ir::Sym* integer = arg(name).integer()) return *integer;
  if (const bool* flag = std::get_if<bool>(&arg(name).value)) return *flag ? 1 : 0;
  fail(fmt::format("{} is {}, not an integer", name, describe(arg(name))));
  return 0;
}

std::int64_t Operands::fixed(const std::string& name, std::int64_t otherwise) {
  if (!has(name)) return otherwise;
  const ir::Sym value = integer(name);
  if (value.constant()) return *value.constant();
  fail(fmt::format("{} is {}, which is not the same for all sizes", name, value.text()));
  return otherwise;
}

std::vector<ir::Sym> Operands::integers(const std::string& name) {
  if (const ir::Sym* one = arg(name).integer()) return {*one};
  std::vector<ir::Sym> out;
  if (const ArgList* list = std::get_if<ArgList>(&arg(name).value)) {
    for (const Arg& item : *list) {
      if (const ir::Sym* integer = item.integer()) out.push_back(*integer);
      else fail(fmt::format("{} holds {}, not an integer", name, describe(item)));
    }
  } else if (has(name)) {
    fail(fmt::format("{} is {}, not a list of integers", name, describe(arg(name))));
  }
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
  return otherwise;
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

int Operands::dim(const std::string& name, int rank) {
  std::int64_t d = fixed(name, 0);
  if (d < 0) d += rank;
  if (rank == 0 && d == 0) return 0;
  if (d < 0 || d >= rank) fail(fmt::format("{} = {} is out of range", name, d));
  return static_cast<int>(d);
}

std::vector<int> Operands::dims(const std::string& name, int rank) {
  std::vector<int> out;
  for (const ir::Sym& item : integers(name)) {
    std::int64_t d = item.constant().value_or(0);
    if (d < 0) d += rank;
    if ((d < 0 || d >= rank) && rank > 0) fail(fmt::format("{} = {} is out of range", name, d));
    else if (rank > 0) out.push_back(static_cast<int>(d));
  }
  if (out.empty()) {
    for (int d = 0; d < rank; ++d) out.push_back(d);
  }
  return out;
}

ir::Sym extent_of(const ir::Shape& shape, const std::vector<int>& dims) {
  ir::Sym out = 1;
  for (const int d : dims) out = out * shape[static_cast<std::size_t>(d)];
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

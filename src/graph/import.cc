// Node by node: the operands of all samples become one (numbers that differ between samples become expressions over sizes),
// the operator's term is evaluated, and the result is held against what PyTorch said: dtype, and the shape in every sample.
#include "graph/import.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "graph/operators.h"
#include "graph/size_fit.h"
#include "graph/term.h"
#include "ir/legality.h"
#include "ir/misfit.h"
#include "ir/python_text.h"

namespace ka::graph {
namespace {

class Importer {
 public:
  explicit Importer(const Exported& exported) : exported_(exported), fit_(exported), builder_(out_.graph) {}

  // A whole number whose samples no expression gives, where there was one.
  const Numbers& unexplained() const { return unexplained_; }

  Result<Imported> run() {
    KA_TRY(add_arguments());
    for (std::size_t i = 0; i < first().nodes.size(); ++i) {
      Status added = guarded([&] { return add_node(i); });
      // PyTorch exports what it can execute: operands that do not fit are then something that is not understood here
      if (!added && added.error().kind == ErrorKind::invalid_input && exported_.way != kFromFile) added = unsupported(added.error().message);
      if (!added && unexplained_.empty() && added.error().kind == ErrorKind::unsupported && stand_in(i, added.error().message)) continue;
      if (!added) return located(added.error(), first().nodes[i]);
    }
    KA_TRY(guarded([&] { return add_results(); }));
    KA_TRY(check_constants());
    out_.way = exported_.way;
    out_.refusals = exported_.refusals;
    if (const Status legal = ir::check_graph(out_.graph); !legal) return legal.error().with(exported_.way == kFromFile ? "its operands do not fit" : "illegal after import");
    return std::move(out_);
  }

 private:
  const ExportedGraph& first() const { return exported_.samples[0]; }

  template <class Work>
  static Status guarded(const Work& work) try {
    return work();
  } catch (const ir::Misfit& misfit) {
    return invalid_input(misfit.what());
  }

  static Error located(const Error& error, const ExportedNode& node) {
    return error.with(node.where.empty() ? node.op : node.where + ": " + node.op);
  }

  Status add_arguments() {
    for (std::size_t i = 0; i < first().arguments.size(); ++i) {
      const ExportedArgument& argument = first().arguments[i];
      if (!argument.tensor) {
        KA_ASSIGN(values_[argument.node], static_operand({&argument.scalar}));
        out_.graph.arguments.push_back({ir::ArgumentKind::input, argument.name, argument.keyword, -1, {}});
        continue;
      }
      const ir::ArgumentKind kind = argument.kind == "input"       ? ir::ArgumentKind::input
                                    : argument.kind == "parameter" ? ir::ArgumentKind::parameter
                                    : argument.kind == "buffer"    ? ir::ArgumentKind::buffer
                                                                   : ir::ArgumentKind::constant;
      const ir::ValueId id = builder_.argument(kind, argument.name, argument.keyword, {argument.tensor->dtype, fit_.argument_shape(i)});
      out_.graph.arguments.back().data = argument.data;
      positions_[i] = id;
      values_[argument.node] = Arg{Tensor{id}};
      for (const ir::Sym& extent : fit_.argument_shape(i)) fit_.remember(extent);
    }
    for (const SizeFit::Source& source : fit_.sources()) add_size(source);
    return ok();
  }

  void add_size(const SizeFit::Source& source) {
    if (source.whole.empty()) out_.graph.sizes.push_back({source.symbol, positions_[source.argument], source.dim, source.given, source.per_square, {}});
    else out_.graph.sizes.push_back({source.symbol, -1, 0, source.given, 0, ir::floor_div(ir::Sym::size(source.whole), source.parts)});
    const std::optional<Numbers> numbers = fit_.values(ir::Sym::size(source.symbol));
    if (numbers && numbers->size() > 1) out_.scaled[source.symbol] = (*numbers)[1];
  }

  // Tensors that the module keeps as plain attributes. One that the program overwrites before it reads it is none of its inputs.
  Status check_constants() const {
    for (const auto& [i, id] : positions_) {
      if (first().arguments[i].kind == "constant" && is_read(id)) KA_TRY(check_constant(i));
    }
    return ok();
  }

  bool is_read(ir::ValueId id) const {
    const auto among = [&](const std::vector<ir::ValueId>& ids) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
    return among(out_.graph.outputs) || std::any_of(out_.graph.nodes.begin(), out_.graph.nodes.end(), [&](const ir::Node& node) { return among(node.inputs); });
  }

  // Sizes that the operator's term has given a name.
  void learn_sizes() {
    for (; sizes_learnt_ < out_.graph.sizes.size(); ++sizes_learnt_) {
      const ir::SizeSource& size = out_.graph.sizes[sizes_learnt_];
      if (size.argument >= 0) continue;
      fit_.derive(size.symbol, size.value);
      const std::optional<Numbers> numbers = fit_.values(size.value);
      if (numbers && numbers->size() > 1) out_.scaled[size.symbol] = (*numbers)[1];
    }
  }

  Status check_constant(std::size_t i) const {
    const ExportedArgument& argument = first().arguments[i];
    for (const ExportedUpdate& update : first().updates) {
      if (update.target == argument.node)
        return unsupported(fmt::format("the tensor {} is an attribute that the program reads and changes, so that its answer depends on earlier calls; "
                                       "register it as a buffer", argument.name));
    }
    if (!argument.has_data)
      return unsupported(fmt::format("the tensor {} is neither an input nor a parameter or buffer, and it is too large or has no "
                                     "known values; register it as a buffer", argument.name));
    for (const ExportedGraph& sample : exported_.samples) {
      if (sample.arguments[i].data != argument.data)
        return unsupported(fmt::format("the tensor {} is a constant that changes with the sizes; register it as a buffer", argument.name));
    }
    return ok();
  }

  // The same operand in every sample.
  Result<Arg> operand(const std::vector<const Operand*>& samples) {
    const Operand& one = *samples[0];
    if (const TensorRef* ref = std::get_if<TensorRef>(&one.value)) return referenced(*ref);
    if (const OperandList* list = std::get_if<OperandList>(&one.value)) {
      ArgList out;
      for (std::size_t k = 0; k < list->size(); ++k) {
        std::vector<const Operand*> items;
        for (const Operand* sample : samples) {
          const OperandList* other = std::get_if<OperandList>(&sample->value);
          if (other == nullptr || other->size() != list->size()) return unsupported("the length of a list depends on the sizes");
          items.push_back(&(*other)[k]);
        }
        KA_ASSIGN(Arg item, operand(items));
        out.push_back(std::move(item));
      }
      return Arg{std::move(out)};
    }
    return static_operand(samples);
  }

  Result<Arg> referenced(const TensorRef& ref) {
    const auto found = values_.find(ref.node);
    if (found == values_.end()) return internal_error("unknown value " + ref.node);
    if (const ArgList* list = std::get_if<ArgList>(&found->second.value)) {
      if (static_cast<std::size_t>(ref.output) >= list->size()) return unsupported("an output that is not computed is used");
      const Arg& item = (*list)[static_cast<std::size_t>(ref.output)];
      if (item.is_none()) return unsupported(fmt::format("output {} of {} is not computed", ref.output, ref.node));
      return item;
    }
    return found->second;
  }

  Result<Arg> static_operand(const std::vector<const Operand*>& samples) {
    const Operand& one = *samples[0];
    if (std::holds_alternative<std::int64_t>(one.value)) {
      Numbers numbers;
      for (const Operand* sample : samples) {
        const std::int64_t* number = std::get_if<std::int64_t>(&sample->value);
        if (number == nullptr) return unsupported("an operand is a number for some sizes only");
        numbers.push_back(*number);
      }
      if (std::optional<ir::Sym> sym = fit_.express(numbers)) return Arg{*sym};
      if (std::optional<ir::Sym> sym = fit_.root(numbers)) {
        add_size(fit_.sources().back());
        return Arg{*sym};
      }
      if (std::optional<ir::Sym> sym = fit_.fraction(numbers)) return Arg{*sym};
      unexplained_ = numbers;
      return unsupported(fmt::format("how the number {} follows from the sizes could not be found out", numbers[0]));
    }
    if (const double* number = std::get_if<double>(&one.value)) return real_operand(samples, *number);
    if (const bool* flag = std::get_if<bool>(&one.value)) return Arg{*flag};
    if (const std::string* text = std::get_if<std::string>(&one.value)) return Arg{*text};
    if (const ir::DType* dtype = std::get_if<ir::DType>(&one.value)) return Arg{*dtype};
    return Arg{};
  }

  // A float that differs between samples is a root or the inverse of a size, or of a root.
  struct Form {
    double (*size_of)(double);
    const char *term, *python;
  };
  static constexpr Form kForms[] = {{[](double v) { return v; }, "cast(s, float32)", "float({})"},
                                    {[](double v) { return 1 / v; }, "1.0 / s", "1 / ({})"},
                                    {[](double v) { return v * v; }, "sqrt(cast(s, float32))", "({}) ** 0.5"},
                                    {[](double v) { return 1 / (v * v); }, "rsqrt(cast(s, float32))", "({}) ** -0.5"}};

  static bool same_everywhere(const std::vector<const Operand*>& samples, double given) {
    return std::all_of(samples.begin(), samples.end(), [&](const Operand* sample) {
      const double* number = std::get_if<double>(&sample->value);
      return number != nullptr && (*number == given || (*number != *number && given != given));
    });
  }

  std::optional<std::pair<const Form*, ir::Sym>> form_of(const std::vector<const Operand*>& samples) const {
    for (const Form& form : kForms) {
      Numbers sizes;
      for (const Operand* sample : samples) {
        const double* number = std::get_if<double>(&sample->value);
        if (number == nullptr) return std::nullopt;
        const double size = form.size_of(*number), whole = std::round(size);
        if (!(std::abs(size - whole) <= 1e-9 * std::abs(size)) || std::abs(whole) > 0x1p53) break;
        sizes.push_back(static_cast<std::int64_t>(whole));
      }
      if (sizes.size() != samples.size()) continue;
      if (const std::optional<ir::Sym> sym = fit_.express(sizes)) return std::pair(&form, *sym);
    }
    return std::nullopt;
  }

  Result<Arg> real_operand(const std::vector<const Operand*>& samples, double given) {
    if (same_everywhere(samples, given)) return Arg{given};
    if (const auto found = form_of(samples)) {
      KA_ASSIGN(Term term, parse_term(found->first->term));
      return evaluate(term, {{"s", Arg{found->second}}}, builder_);
    }
    return unsupported(fmt::format("how the number {} follows from the sizes could not be found out", given));
  }

  std::string float_text(const std::vector<const Operand*>& samples, double given) const {
    if (std::isnan(given) || std::isinf(given)) return fmt::format("float('{}')", given);
    const auto found = same_everywhere(samples, given) ? std::nullopt : form_of(samples);
    if (found) return fmt::format(fmt::runtime(found->first->python), found->second.text());
    const std::string text = fmt::format("{}", given);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }

  Status add_node(std::size_t i) {
    const ExportedNode& node = first().nodes[i];
    if (node.op == "aten._assert_tensor_metadata.default" || node.op == "aten._assert_scalar.default") return ok();
    const Operator* row = find_operator(node.op);
    if (row == nullptr) return unsupported("this operator is not supported");
    builder_.set_origin(node.op, node.where);
    Names names;
    OperatorText text{node.op, node.name, node.where, {}};
    for (const auto& [name, value] : node.operands) {
      std::vector<const Operand*> samples;
      for (const ExportedGraph& sample : exported_.samples) {
        const auto found = sample.nodes[i].operands.find(name);
        if (found == sample.nodes[i].operands.end()) return internal_error("operand " + name + " is missing in a sample");
        samples.push_back(&found->second);
      }
      KA_ASSIGN(Arg arg, operand(samples));
      names[name] = widened(arg);
      text.operands.emplace_back(name, text_of(samples));
    }
    out_.operators.push_back(std::move(text));
    if (node.outputs.size() != 1) several_.insert(node.name);
    for (const ExportedGraph& sample : exported_.samples) {
      if (sample.nodes[i].outputs.size() != node.outputs.size()) return unsupported("the number of its results depends on the sizes");
    }
    for (const char* name : {"order", "gaps", "inplace"}) names.try_emplace(name, Arg{});  // stated for random draws only
    names["results"] = Arg{ir::Sym(static_cast<std::int64_t>(node.outputs.size()))};
    if (!node.outputs.empty() && node.outputs[0]) names["result_dtype"] = Arg{node.outputs[0]->dtype};
    KA_ASSIGN(Term term, parse_term(row->term));
    KA_ASSIGN(Arg result, evaluate(term, names, builder_));
    learn_sizes();
    return keep(i, result);
  }

  // "torch.channels_last"
  static bool is_torch_name(std::string_view text) {
    return text.starts_with("torch.") && std::all_of(text.begin(), text.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; });
  }

  // The same operand as Python.
  std::string text_of(const std::vector<const Operand*>& samples) {
    const Operand& one = *samples[0];
    if (const TensorRef* ref = std::get_if<TensorRef>(&one.value)) return several_.contains(ref->node) ? fmt::format("{}[{}]", ref->node, ref->output) : ref->node;
    if (const OperandList* list = std::get_if<OperandList>(&one.value)) {
      std::vector<std::string> items;
      for (std::size_t k = 0; k < list->size(); ++k) {
        std::vector<const Operand*> item;
        for (const Operand* sample : samples) item.push_back(&std::get<OperandList>(sample->value)[k]);
        items.push_back(text_of(item));
      }
      return fmt::format("[{}]", fmt::join(items, ", "));
    }
    if (std::holds_alternative<std::int64_t>(one.value)) {
      const Result<Arg> number = static_operand(samples);
      return number && number->integer() != nullptr ? number->integer()->text() : std::to_string(std::get<std::int64_t>(one.value));
    }
    if (const bool* flag = std::get_if<bool>(&one.value)) return *flag ? "True" : "False";
    if (const double* number = std::get_if<double>(&one.value)) return float_text(samples, *number);
    if (const std::string* text = std::get_if<std::string>(&one.value)) return is_torch_name(*text) ? *text : ir::quoted(*text);
    if (const ir::DType* dtype = std::get_if<ir::DType>(&one.value)) return ir::torch_type(*dtype);
    return "None";
  }

  // For an operator that cannot be imported: a node that no family computes, so that the rest of the program is still planned
  // and whoever is told "no" is told of everything that is missing, and what is not. False when even its shape is not known.
  bool stand_in(std::size_t i, const std::string& reason) {
    const ExportedNode& node = first().nodes[i];
    std::vector<ir::Type> types;
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      if (!node.outputs[k]) return false;
      ir::Shape shape;
      for (std::size_t d = 0; d < node.outputs[k]->shape.size(); ++d) {
        Numbers numbers;
        for (const ExportedGraph& sample : exported_.samples) {
          if (sample.nodes[i].outputs.size() != node.outputs.size()) return false;
          const std::optional<TensorFacts>& facts = sample.nodes[i].outputs[k];
          if (!facts || d >= facts->shape.size()) return false;
          numbers.push_back(facts->shape[d]);
        }
        const std::optional<ir::Sym> extent = fit_.express(numbers);
        if (!extent) return false;
        shape.push_back(*extent);
      }
      types.push_back({node.outputs[k]->dtype, shape});
    }
    std::vector<ir::ValueId> inputs;
    for (const auto& [name, operand] : node.operands) {
      const TensorRef* ref = std::get_if<TensorRef>(&operand.value);
      if (ref == nullptr) continue;
      const Result<Arg> arg = referenced(*ref);
      if (arg && arg->tensor() != nullptr) inputs.push_back(arg->tensor()->id);
    }
    builder_.set_origin(node.op, node.where);
    ArgList parts;
    for (const ir::ValueId id : builder_.node("unknown", inputs, {{"reason", reason}}, types)) parts.push_back(Arg{Tensor{id}});
    values_[node.name] = parts.size() == 1 ? parts[0] : Arg{parts};
    return !parts.empty();
  }

  // 16-bit operands are computed with in float32; only what is kept is rounded.
  Arg widened(const Arg& arg) {
    if (const Tensor* tensor = arg.tensor()) {
      const ir::DType dtype = builder_.type(tensor->id).dtype;
      const bool half = dtype == ir::DType::float16 || dtype == ir::DType::bfloat16;
      return half ? Arg{Tensor{builder_.cast(tensor->id, ir::DType::float32)}} : arg;
    }
    if (const ArgList* list = std::get_if<ArgList>(&arg.value)) {
      ArgList out;
      for (const Arg& item : *list) out.push_back(widened(item));
      return Arg{std::move(out)};
    }
    return arg;
  }

  Status keep(std::size_t i, const Arg& result) {
    const ExportedNode& node = first().nodes[i];
    ArgList parts;
    if (const ArgList* list = std::get_if<ArgList>(&result.value)) parts = *list;
    else parts.push_back(result);
    for (std::size_t k = 0; k < parts.size() && k < node.outputs.size(); ++k) {
      if (!node.outputs[k] || parts[k].is_none()) continue;
      KA_ASSIGN(ir::ValueId id, as_tensor(parts[k], builder_));
      id = builder_.cast(id, node.outputs[k]->dtype);
      KA_TRY(check_shape(i, k, id));
      for (const ir::Sym& extent : builder_.shape(id)) fit_.remember(extent);
      parts[k] = Arg{Tensor{id}};
      out_.graph.program.push_back({static_cast<int>(i), static_cast<int>(k), id});
    }
    values_[node.name] = node.outputs.size() == 1 && parts.size() == 1 ? parts[0] : Arg{parts};
    return ok();
  }

  Status check_shape(std::size_t i, std::size_t k, ir::ValueId id) const {
    const ir::Shape& shape = builder_.shape(id);
    for (std::size_t s = 0; s < exported_.samples.size(); ++s) {
      const std::vector<std::int64_t>& wanted = exported_.samples[s].nodes[i].outputs[k]->shape;
      bool same = wanted.size() == shape.size();
      for (std::size_t d = 0; same && d < wanted.size(); ++d) {
        const std::optional<Numbers> numbers = fit_.values(shape[d]);
        same = numbers && (*numbers)[s] == wanted[d];
      }
      if (!same)
        return internal_error(fmt::format("result {} should have the shape [{}] and has {}", k, fmt::join(wanted, ", "),
                                          ir::to_text(builder_.type(id))));
    }
    return ok();
  }

  Status add_results() {
    for (const TensorRef& ref : first().outputs) {
      KA_ASSIGN(Arg arg, referenced(ref));
      KA_ASSIGN(ir::ValueId id, as_tensor(arg, builder_));
      out_.graph.outputs.push_back(is_argument(id) ? copied(id) : id);
    }
    out_.graph.structure = first().structure;
    for (const ExportedUpdate& update : first().updates) {
      KA_ASSIGN(Arg arg, referenced(update.value));
      KA_ASSIGN(ir::ValueId id, as_tensor(arg, builder_));
      for (const auto& [i, argument] : positions_) {
        const ExportedArgument& target = first().arguments[i];
        if (target.node != update.target) continue;
        // what is kept in a plain attribute is no business of kernel_function; inputs stay as they are, which the judge asks of every kernel
        if (target.kind == "input") out_.refusals.push_back(fmt::format("the program also writes to its input {}; the kernels compute its results and leave the input as it is", target.name));
        else if (target.kind != "constant") out_.graph.updates.push_back({argument, id});
      }
    }
    return ok();
  }

  // Also through reshapes: these have the argument's memory.
  bool is_argument(ir::ValueId id) const {
    const ir::Node* node = out_.graph.maker(id);
    return node == nullptr || (node->op == "reshape" && is_argument(node->inputs[0]));
  }

  // What is returned must not be what was given: a kernel copies it.
  ir::ValueId copied(ir::ValueId id) { return builder_.node("cast", {id}, {{"copy", true}}, {builder_.type(id)})[0]; }

  const Exported& exported_;
  SizeFit fit_;
  Imported out_;
  mutable ir::Builder builder_;
  Numbers unexplained_;
  std::size_t sizes_learnt_ = 0;
  std::map<std::string, Arg> values_;
  std::set<std::string> several_;  // operators with several results, or a list of them
  std::map<std::size_t, ir::ValueId> positions_;
};

// The export without the samples in which a number is not what it is at the given sizes.
Exported without_others(const Exported& exported, const Numbers& numbers) {
  Exported out = exported;
  out.samples.clear();
  for (std::size_t s = 0; s < exported.samples.size(); ++s) {
    if (numbers[s] == numbers[0]) out.samples.push_back(exported.samples[s]);
  }
  return out;
}

}  // namespace

namespace {

Result<Imported> imported(const Exported& exported) {
  Importer importer(exported);
  Result<Imported> whole = importer.run();
  const Numbers& numbers = importer.unexplained();
  // Samples 0 and 1 are the given sizes and those at which the program is executed without a GPU.
  if (whole || numbers.size() < 3 || numbers[1] != numbers[0]) return whole;
  // A number that varies with a constant of the problem in a way that cannot be told (the side of a patch beside a number of
  // channels): the program is imported for the given value of that constant alone.
  Result<Imported> fixed = imported(without_others(exported, numbers));
  if (fixed) fixed->refusals.push_back(fmt::format("other sizes, at which the number {} is another: {}", numbers[0], whole.error().message));
  return fixed ? std::move(fixed) : std::move(whole);
}

}  // namespace

Result<Imported> import_program(const Exported& exported) {
  Result<Imported> out = imported(exported);
  const bool is_files_fault = !out && out.error().kind == ErrorKind::internal && exported.way == kFromFile;
  return is_files_fault ? invalid_input(out.error().message) : std::move(out);
}

}  // namespace ka::graph

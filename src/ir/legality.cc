#include "ir/legality.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "ir/primitives.h"

namespace ka::ir {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Status wrong(const std::string& what) { return internal_error(what); }

std::map<std::string, std::int64_t> given_sizes(const Graph& graph) {
  std::map<std::string, std::int64_t> out;
  for (const SizeSource& size : graph.sizes) out[size.symbol] = size.given;
  return out;
}

bool exists(const Graph& graph, ValueId value) { return value >= 0 && at(value) < graph.values.size(); }

Status check_sizes(const Graph& graph) {
  std::map<std::string, std::int64_t> known;
  for (const SizeSource& size : graph.sizes) {
    const auto bad = [&](const std::string& what) { return wrong(fmt::format("size {}: {}", size.symbol, what)); };
    if (known.contains(size.symbol)) return bad("it is declared twice");
    std::optional<std::int64_t> found;
    if (size.argument < 0) {
      found = evaluate(size.value, known);
      if (!found) return bad(fmt::format("{} does not follow from earlier sizes", size.value.text()));
      if (found != size.given) return bad(fmt::format("{} is {}, not {}", size.value.text(), *found, size.given));
    } else {
      if (!exists(graph, size.argument) || graph.values[at(size.argument)].node >= 0) return bad("it is looked up at a value that is no argument");
      if (size.dim < 0 || at(size.dim) >= graph.shape(size.argument).size()) return bad("its argument has no such dimension");
    }
    known[size.symbol] = size.given;
  }
  return ok();
}

Status check_values(const Graph& graph, const std::map<std::string, std::int64_t>& given) {
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    const auto bad = [&](const std::string& what) { return wrong(fmt::format("value %{}: {}", v, what)); };
    for (const Sym& extent : value.type.shape) {
      for (const AtomRef& atom : symbols(extent)) {
        if (atom->kind != AtomKind::size || !given.contains(atom->name)) return bad(fmt::format("{} in its shape is no declared size", atom->name));
      }
    }
    const bool made = value.node >= 0;
    if (made && at(value.node) >= graph.nodes.size()) return bad("the node that made it does not exist");
    const auto is_it = [&](const auto& other) { return other == static_cast<ValueId>(v); };
    const bool owned = made ? std::any_of(graph.nodes[at(value.node)].outputs.begin(), graph.nodes[at(value.node)].outputs.end(), is_it)
                            : std::any_of(graph.arguments.begin(), graph.arguments.end(), [&](const Argument& a) { return is_it(a.value); });
    if (!owned) return bad(made ? "its node makes something else" : "neither a node nor an argument");
  }
  return ok();
}

Status check_arguments(const Graph& graph, const std::map<std::string, std::int64_t>& given) {
  for (const Argument& argument : graph.arguments) {
    const auto bad = [&](const std::string& what) { return wrong(fmt::format("argument {}: {}", argument.name, what)); };
    if (argument.value < 0) continue;  // a number
    if (!exists(graph, argument.value) || graph.values[at(argument.value)].node >= 0) return bad("its value is no argument's");
    const std::optional<std::int64_t> elements = evaluate(product(graph.shape(argument.value)), given);
    if (!argument.data.empty() && elements && static_cast<std::size_t>(*elements) != argument.data.size())
      return bad(fmt::format("{} numbers for {} elements", argument.data.size(), *elements));
  }
  return ok();
}

Status check_node(const Graph& graph, std::size_t number, const std::map<std::string, std::int64_t>& given) {
  const Node& node = graph.nodes[number];
  const auto bad = [&](const std::string& what) {
    std::string from = node.origin;
    if (!node.where.empty()) from += (from.empty() ? "" : ", ") + node.where;
    return wrong(fmt::format("node {} ({}{}{}): {}", number, node.op, from.empty() ? "" : ", ", from, what));
  };
  const Primitive* row = find_primitive(node.op);
  if (row == nullptr) return bad("it is no primitive");
  if (row->arity >= 0 && static_cast<int>(node.inputs.size()) != row->arity) return bad(fmt::format("it has {} operands, not {}", node.inputs.size(), row->arity));
  for (const ValueId input : node.inputs) {
    if (!exists(graph, input)) return bad(fmt::format("it reads %{}, which does not exist", input));
    if (graph.values[at(input)].node >= static_cast<int>(number)) return bad(fmt::format("it reads %{}, which is made later", input));
  }
  if (node.outputs.empty() || (node.outputs.size() > 1 && row->fusion != Fusion::opaque)) return bad(fmt::format("it has {} results", node.outputs.size()));
  for (const ValueId output : node.outputs) {
    if (!exists(graph, output) || graph.values[at(output)].node != static_cast<int>(number)) return bad("it does not own its result");
  }
  const std::string what = wrong_about(graph, node, given);
  return what.empty() ? ok() : bad(what);
}

// ---- plans

using Writers = std::map<ValueId, int>;  // which kernel keeps a value

bool is_inlined(const Node& node) {
  const Fusion fusion = find_primitive(node.op)->fusion;
  return fusion == Fusion::source || fusion == Fusion::elementwise || fusion == Fusion::view || fusion == Fusion::gather;
}

std::set<ValueId> values_of(const Graph& graph, const PlannedKernel& kernel) {
  std::set<ValueId> out;
  for (const int number : kernel.nodes) {
    const Node& node = graph.nodes[at(number)];
    out.insert(node.outputs.begin(), node.outputs.end());
  }
  return out;
}

// What the kernel reads, when everything that it computes itself is followed.
Status check_reads(const Graph& graph, const Plan& plan, int k, const Writers& writers) {
  const PlannedKernel& kernel = plan.kernels[at(k)];
  const std::set<ValueId> own = values_of(graph, kernel);
  std::set<ValueId> seen;
  std::vector<ValueId> waiting;
  for (const int number : kernel.nodes) waiting.insert(waiting.end(), graph.nodes[at(number)].inputs.begin(), graph.nodes[at(number)].inputs.end());
  while (!waiting.empty()) {
    const ValueId value = waiting.back();
    waiting.pop_back();
    const Node* node = graph.maker(value);
    if (!seen.insert(value).second || node == nullptr || own.contains(value)) continue;
    const auto writer = writers.find(value);
    if (writer != writers.end() && !kernel.computed.contains(value)) {
      if (writer->second >= k) return wrong(fmt::format("kernel {}: it reads %{}, which kernel {} writes later", k, value, writer->second));
      if (!kernel.needs.contains(writer->second)) return wrong(fmt::format("kernel {}: it reads %{} of kernel {} and does not say so", k, value, writer->second));
      continue;
    }
    if (node->op == "random") {
      if (std::find(plan.randoms.begin(), plan.randoms.end(), value) == plan.randoms.end()) return wrong(fmt::format("kernel {}: it reads %{}, which nobody draws", k, value));
      continue;
    }
    if (!is_inlined(*node)) return wrong(fmt::format("kernel {}: it reads %{} ({}), which no kernel keeps", k, value, node->op));
    waiting.insert(waiting.end(), node->inputs.begin(), node->inputs.end());
  }
  return ok();
}

Status check_kernel(const Graph& graph, const Plan& plan, int k) {
  const PlannedKernel& kernel = plan.kernels[at(k)];
  const auto bad = [&](const std::string& what) { return wrong(fmt::format("kernel {} ({}): {}", k, to_string(kernel.kind), what)); };
  if (kernel.nodes.empty() || kernel.outputs.empty()) return bad("it computes nothing, or keeps nothing");
  for (const int number : kernel.nodes) {
    if (number < 0 || at(number) >= graph.nodes.size()) return bad(fmt::format("node {} does not exist", number));
  }
  for (const int need : kernel.needs) {
    if (need < 0 || need >= k) return bad(fmt::format("it needs kernel {}, which is launched later", need));
  }
  for (const int d : kernel.reduced) {
    if (d < 0 || at(d) >= kernel.domain.size()) return bad(fmt::format("dimension {} of {} is reduced", d, kernel.domain.size()));
  }
  const std::set<ValueId> own = values_of(graph, kernel);
  for (const ValueId output : kernel.outputs) {
    if (!own.contains(output)) return bad(fmt::format("it keeps %{}, which it does not compute", output));
  }
  for (const auto& [value, index] : kernel.index) {
    if (!own.contains(value) || index.size() != graph.shape(value).size()) return bad(fmt::format("the index of %{} is not one of its own", value));
  }
  for (const char* role : {"query", "key", "value", "product", "scores", "sum", "divisor", "softmax", "weights", "result"}) {
    if (kernel.kind == KernelKind::attention && !kernel.roles.contains(role)) return bad(fmt::format("nothing is its {}", role));
  }
  for (const auto& [role, value] : kernel.roles) {
    if (!exists(graph, value)) return bad(fmt::format("its {} does not exist", role));
  }
  return ok();
}

// An argument, a draw, or what a kernel keeps; also through reshapes, which have its memory.
bool is_in_memory(const Graph& graph, ValueId value, const Writers& writers) {
  const Node* node = graph.maker(value);
  if (node == nullptr || node->op == "random" || writers.contains(value)) return true;
  return node->op == "reshape" && is_in_memory(graph, node->inputs[0], writers);
}

[[noreturn]] void stop(std::string_view pass, const Error& error) {
  fmt::print(stderr, "kernelagent: illegal after {}: {}\n", pass, error.message);
  std::abort();
}

}  // namespace

Status check_nodes(const Graph& graph, std::size_t first) {
  const std::map<std::string, std::int64_t> given = given_sizes(graph);
  for (std::size_t i = first; i < graph.nodes.size(); ++i) KA_TRY(check_node(graph, i, given));
  return ok();
}

Status check_graph(const Graph& graph) {
  const std::map<std::string, std::int64_t> given = given_sizes(graph);
  KA_TRY(check_arguments(graph, given));
  KA_TRY(check_sizes(graph));
  KA_TRY(check_values(graph, given));
  KA_TRY(check_nodes(graph, 0));
  for (const ValueId output : graph.outputs) {
    if (!exists(graph, output)) return wrong(fmt::format("the program returns %{}, which does not exist", output));
  }
  for (const Update& update : graph.updates) {
    if (!exists(graph, update.buffer) || !exists(graph, update.value)) return wrong("a buffer is changed that does not exist, or to what does not exist");
    if (graph.values[at(update.buffer)].node >= 0) return wrong(fmt::format("%{} is changed, which is no argument", update.buffer));
    if (evaluate(product(graph.shape(update.buffer)), given) != evaluate(product(graph.shape(update.value)), given))
      return wrong(fmt::format("%{} is changed to %{}, which has another shape", update.buffer, update.value));
  }
  return ok();
}

Status check_plan(const Graph& graph, const Plan& plan) {
  Writers writers;
  std::map<int, int> owners;
  for (int k = 0; k < static_cast<int>(plan.kernels.size()); ++k) {
    KA_TRY(check_kernel(graph, plan, k));
    for (const ValueId output : plan.kernels[at(k)].outputs) {
      const auto [found, fresh] = writers.try_emplace(output, k);
      if (!fresh) return wrong(fmt::format("kernel {}: it keeps %{}, as kernel {} does", k, output, found->second));
    }
    for (const int number : plan.kernels[at(k)].nodes) {
      const auto [found, fresh] = owners.try_emplace(number, k);
      if (!fresh) return wrong(fmt::format("kernel {}: node {} belongs to kernel {}", k, number, found->second));
    }
  }
  for (int k = 0; k < static_cast<int>(plan.kernels.size()); ++k) KA_TRY(check_reads(graph, plan, k, writers));
  std::vector<ValueId> wanted = graph.outputs;
  for (const Update& update : graph.updates) wanted.push_back(update.value);
  for (const ValueId value : wanted) {
    if (!is_in_memory(graph, value, writers)) return wrong(fmt::format("nobody keeps %{}, which the program returns", value));
  }
  return ok();
}

void after_pass(std::string_view pass, const Graph& graph) {
  if constexpr (!kChecksPasses) return;
  if (const Status status = check_graph(graph); !status) stop(pass, status.error());
}

void after_rewrite(std::string_view rule, const Graph& graph, std::size_t first) {
  if constexpr (!kChecksPasses) return;
  if (const Status status = check_nodes(graph, first); !status) stop(rule, status.error());
}

void after_pass(std::string_view pass, const Graph& graph, const Plan& plan) {
  if constexpr (!kChecksPasses) return;
  if (const Status status = check_plan(graph, plan); !status) stop(pass, status.error());
}

}  // namespace ka::ir

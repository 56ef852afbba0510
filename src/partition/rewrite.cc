#include "partition/rewrite.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/legality.h"

namespace ka::partition {

using ir::Sym;
using ir::ValueId;

DerivedSizes::DerivedSizes(ir::Graph& graph) : graph_(graph) {
  for (const ir::SizeSource& size : graph.sizes) {
    given_[size.symbol] = size.given;
    if (size.argument < 0) known_[size.value.text()] = Sym::size(size.symbol);
  }
}

Sym DerivedSizes::size(const std::string& wish, const Sym& value) {
  const bool is_symbol = value.atom() != nullptr && value.atom()->kind == ir::AtomKind::size;
  if (value.is_constant() || is_symbol) return value;
  const std::string text = value.text();
  if (const auto found = known_.find(text); found != known_.end()) return found->second;
  std::string name = wish;
  for (int k = 1; given_.contains(name); ++k) name = fmt::format("{}_{}", wish, k);
  const std::int64_t number = given(value);
  given_[name] = number;
  graph_.sizes.push_back({name, -1, 0, number, 0, value});
  return known_[text] = Sym::size(name);
}

std::int64_t DerivedSizes::given(const Sym& sym) const {
  return ir::evaluate(sym, given_).value_or(1);
}

namespace {

std::vector<int> readers_of(const ir::Graph& graph) {
  std::vector<int> out(graph.values.size(), 0);
  const auto read = [&](ValueId value) { ++out[static_cast<std::size_t>(value)]; };
  for (const ir::Node& node : graph.nodes) std::for_each(node.inputs.begin(), node.inputs.end(), read);
  std::for_each(graph.outputs.begin(), graph.outputs.end(), read);
  for (const ir::Update& update : graph.updates) read(update.value);
  return out;
}

}  // namespace

void Rewriting::decide(const std::string& what, const std::string& how) const {
  if (decisions == nullptr) return;
  std::string line = fmt::format("{}{}: {}", what, node.where.empty() ? "" : fmt::format(" ({})", node.where), how);
  if (std::find(decisions->begin(), decisions->end(), line) == decisions->end()) decisions->push_back(std::move(line));
}

std::string time_text(double seconds) {
  const double us = seconds * 1e6;
  return us < 10 ? fmt::format("{:.1f} us", us) : us < 1e4 ? fmt::format("{:.0f} us", us) : fmt::format("{:.1f} ms", us / 1e3);
}

std::optional<ValueId> checked(std::string_view rule, Rewriting& here, std::optional<ValueId> other) {
  if (other) ir::after_rewrite(rule, here.builder.graph(), here.made);
  return other;
}

ir::Graph rewritten(const ir::Graph& graph, const Replace& replace, const ir::Gpu& gpu, std::vector<std::string>* decisions) {
  ir::Graph out;
  ir::Builder builder(out);
  std::vector<ValueId> now(graph.values.size(), -1);
  const auto moved = [&](ValueId value) { return value < 0 ? value : now[static_cast<std::size_t>(value)]; };
  for (const ir::Argument& argument : graph.arguments) {
    ir::Argument copy = argument;
    if (argument.value >= 0) {
      copy.value = static_cast<ValueId>(out.values.size());
      out.values.push_back({argument.keyword, graph.type(argument.value), -1});
      now[static_cast<std::size_t>(argument.value)] = copy.value;
    }
    out.arguments.push_back(std::move(copy));
  }
  out.sizes = graph.sizes;
  for (ir::SizeSource& size : out.sizes) size.argument = moved(size.argument);
  DerivedSizes sizes(out);
  const std::vector<int> readers = readers_of(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& node = graph.nodes[i];
    builder.set_origin(node.origin, node.where);
    Rewriting here{builder, sizes, static_cast<int>(i), node, graph, readers, {}, now, out.nodes.size(), gpu, decisions};
    for (const ValueId input : node.inputs) here.inputs.push_back(moved(input));
    if (const std::optional<ValueId> other = replace(here)) {
      here.others.insert(here.others.begin(), *other);
      KA_CHECK(node.outputs.size() == here.others.size());
      for (std::size_t k = 0; k < here.others.size(); ++k) {
        KA_CHECK(builder.type(here.others[k]) == graph.type(node.outputs[k]));
        now[static_cast<std::size_t>(node.outputs[k])] = here.others[k];
      }
      continue;
    }
    std::vector<ir::Type> types;
    for (const ValueId output : node.outputs) types.push_back(graph.type(output));
    const std::vector<ValueId> made = builder.node(node.op, here.inputs, node.attributes, types);
    for (std::size_t k = 0; k < made.size(); ++k) now[static_cast<std::size_t>(node.outputs[k])] = made[k];
  }
  for (const ValueId output : graph.outputs) out.outputs.push_back(moved(output));
  out.structure = graph.structure;
  for (const ir::Update& update : graph.updates) out.updates.push_back({moved(update.buffer), moved(update.value)});
  for (const ir::ProgramValue& made : graph.program) out.program.push_back({made.op, made.output, moved(made.value)});
  return out;
}

}  // namespace ka::partition

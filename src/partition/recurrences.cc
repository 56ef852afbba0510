// A layer's share of the gates is a product of the states below with its input weights, and one or two biases:
//
//   add(add(reshape(matmul(reshape(states), reshape(permute(weight)))), bias), bias)
//
// That is matched from the recurrence downwards. All that the joined node needs besides the lowest layer's gates does not depend on these layers, so it can be
// computed before them; the nodes are put into such an order first.
#include "partition/recurrences.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ir/legality.h"
#include "ir/recurrence.h"
#include "partition/rewrite.h"

namespace ka::partition {
namespace {

using ir::Graph;
using ir::Node;
using ir::Sym;
using ir::ValueId;

struct Layer {
  int node = -1;
  ValueId below = -1, weight = -1;  // states of the layer below, and the input weights [g*h, h]
  std::vector<ValueId> biases = {};
};

const Node* made_by(const Graph& graph, ValueId value, const char* op) {
  const Node* node = graph.maker(value);
  return node != nullptr && node->op == op ? node : nullptr;
}

// Below a reshape, where there is one.
ValueId unshaped(const Graph& graph, ValueId value) {
  const Node* node = made_by(graph, value, "reshape");
  return node == nullptr ? value : node->inputs[0];
}

bool can_be_joined(const Graph& graph, const Node& node) {
  return node.op == "recurrence" && !ir::bool_attribute(node, "reverse") && !node.attributes.contains("layers") && ir::size_of(graph.type(node.outputs[0]).dtype) <= 4;
}

// What a recurrence is fed with, where that is another layer of the same kind and size.
std::optional<Layer> fed_by_layer(const Graph& graph, int number) {
  const Node& node = graph.nodes[static_cast<std::size_t>(number)];
  if (!can_be_joined(graph, node)) return std::nullopt;
  Layer out{number};
  ValueId at = node.inputs[0];
  for (const Node* add = made_by(graph, at, "add"); add != nullptr; add = made_by(graph, at, "add")) {
    if (graph.shape(add->inputs[1]).size() != 1 || graph.maker(add->inputs[1]) != nullptr || out.biases.size() == 2) return std::nullopt;
    out.biases.insert(out.biases.begin(), add->inputs[1]);
    at = add->inputs[0];
  }
  const Node* product = made_by(graph, unshaped(graph, at), "matmul");
  if (product == nullptr || product->inputs.size() != 2) return std::nullopt;
  const Node* turned = made_by(graph, unshaped(graph, product->inputs[1]), "permute");
  if (turned == nullptr || graph.shape(turned->inputs[0]).size() != 2) return std::nullopt;
  out.below = unshaped(graph, product->inputs[0]);
  out.weight = turned->inputs[0];
  const Node* lower = made_by(graph, out.below, "recurrence");
  const bool alike = lower != nullptr && can_be_joined(graph, *lower) && lower->outputs[0] == out.below && lower->inputs.size() == node.inputs.size() &&
                     ir::text_attribute(*lower, "kind") == ir::text_attribute(node, "kind") && graph.type(out.below) == graph.type(node.outputs[0]);
  return alike ? std::optional(out) : std::nullopt;
}

std::int64_t given(const Graph& graph, const Sym& sym) {
  std::map<std::string, std::int64_t> sizes;
  for (const ir::SizeSource& size : graph.sizes) sizes[size.symbol] = size.given;
  return ir::evaluate(sym, sizes).value_or(1);
}

// The most layers, from the lowest on, that fit onto the GPU together.
std::size_t that_fit(const Graph& graph, const std::vector<Layer>& chain, const ir::Gpu& gpu) {
  const Node& first = graph.nodes[static_cast<std::size_t>(chain[0].node)];
  const ir::Shape& shape = graph.shape(first.outputs[0]);
  const std::string& kind = ir::text_attribute(first, "kind");
  const std::int64_t batch = given(graph, shape[1]), units = given(graph, shape[2]);
  std::size_t layers = chain.size();
  const auto fit = [&](std::size_t n) {
    const auto tiles = ir::recurrence_tiles(gpu, kind == "lstm" || kind == "gru", batch, units, static_cast<std::int64_t>(n));
    const auto blocks = [](std::int64_t extent, std::int64_t block) { return (extent + block - 1) / block; };
    return tiles && blocks(batch, tiles->rows) * blocks(units, tiles->units) * static_cast<std::int64_t>(n) <= gpu.multiprocessors;
  };
  while (layers > 1 && !fit(layers)) --layers;
  return layers;
}

// The first chain of two layers or more; its first layer is fed by anything.
std::vector<Layer> find_chain(const Graph& graph, const ir::Gpu& gpu) {
  std::map<ValueId, Layer> by_below;
  std::set<int> upper;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::optional<Layer> found = fed_by_layer(graph, static_cast<int>(i));
    if (!found || by_below.contains(found->below)) continue;
    by_below[found->below] = *found;
    upper.insert(found->node);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!can_be_joined(graph, graph.nodes[i]) || upper.contains(static_cast<int>(i))) continue;
    std::vector<Layer> chain{{static_cast<int>(i)}};
    for (auto next = by_below.find(graph.nodes[i].outputs[0]); next != by_below.end();
         next = by_below.find(graph.nodes[static_cast<std::size_t>(chain.back().node)].outputs[0])) {
      if (chain.size() > 1 && next->second.biases.size() != chain[1].biases.size()) break;
      chain.push_back(next->second);
    }
    if (chain.size() > 1) chain.resize(that_fit(graph, chain, gpu));
    if (chain.size() > 1) return chain;
  }
  return {};
}

// The same graph, with what depends on a node behind everything else.
Graph put_last(const Graph& graph, int first, std::vector<int>& numbers) {
  Graph out = graph;
  std::vector<bool> late(graph.values.size(), false);
  std::vector<std::size_t> order, behind;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const bool waits = static_cast<int>(i) == first || std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return v >= 0 && late[static_cast<std::size_t>(v)]; });
    (waits ? behind : order).push_back(i);
    if (!waits) continue;
    for (const ValueId output : node.outputs) late[static_cast<std::size_t>(output)] = true;
  }
  order.insert(order.end(), behind.begin(), behind.end());
  numbers.assign(graph.nodes.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    out.nodes[k] = graph.nodes[order[k]];
    numbers[order[k]] = static_cast<int>(k);
    for (const ValueId output : out.nodes[k].outputs) out.values[static_cast<std::size_t>(output)].node = static_cast<int>(k);
  }
  return out;
}

class Joiner {
 public:
  Joiner(const Graph& graph, const std::vector<Layer>& chain, const ir::Gpu& gpu) : gpu_(gpu) {
    std::vector<int> numbers;
    graph_ = put_last(graph, chain[0].node, numbers);
    for (const Layer& layer : chain) {
      layers_.push_back(layer);
      layers_.back().node = numbers[static_cast<std::size_t>(layer.node)];
    }
  }

  Graph run(std::vector<std::string>* decisions) {
    return rewritten(graph_, [this](Rewriting& here) { return replaced(here); }, gpu_, decisions);
  }

 private:
  std::optional<ValueId> replaced(Rewriting& here) {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (layers_[l].node != here.number) continue;
      if (l == 0) join(here);
      for (std::size_t k = 1; k < made_.size(); ++k) here.others.push_back(part(here, made_[k], l));
      return part(here, made_[0], l);
    }
    return std::nullopt;
  }

  void join(Rewriting& here) {
    std::vector<ValueId> operands = here.inputs;
    for (std::size_t l = 1; l < layers_.size(); ++l) {
      const Node& node = graph_.nodes[static_cast<std::size_t>(layers_[l].node)];
      for (std::size_t k = 1; k < node.inputs.size(); ++k) operands.push_back(here.moved(node.inputs[k]));
      operands.push_back(here.moved(layers_[l].weight));
      for (const ValueId bias : layers_[l].biases) operands.push_back(here.moved(bias));
    }
    std::vector<ir::Type> types;
    const Sym count(static_cast<std::int64_t>(layers_.size()));
    for (const ValueId output : here.node.outputs) {
      types.push_back(graph_.type(output));
      types.back().shape.insert(types.back().shape.begin(), count);
    }
    ir::Attributes attributes = here.node.attributes;
    attributes["layers"] = count;
    attributes["biases"] = Sym(static_cast<std::int64_t>(layers_[1].biases.size()));
    made_ = here.builder.node("recurrence", operands, attributes, types);
    here.decide(fmt::format("{} layers of {}", layers_.size(), ir::text_attribute(here.node, "kind")), "in one launch, each some steps behind the one below");
  }

  ValueId part(Rewriting& here, ValueId all, std::size_t layer) {
    ir::Shape shape = here.builder.shape(all);
    shape.erase(shape.begin());
    std::vector<Sym> index = ir::index_symbols(shape);
    index.insert(index.begin(), Sym(static_cast<std::int64_t>(layer)));
    return here.builder.remap(all, shape, index);
  }

  Graph graph_;
  std::vector<Layer> layers_;
  const ir::Gpu& gpu_;
  std::vector<ValueId> made_;
};

}  // namespace

Graph layers_together(const Graph& graph, const ir::Gpu& gpu, std::vector<std::string>* decisions) {
  // drawn numbers keep their order
  const bool draws = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.op == "random"; });
  if (!gpu.writes(ir::Form::persistent) || !gpu.cuda || draws) return graph;
  Graph out = graph;
  for (std::vector<Layer> chain = find_chain(out, gpu); !chain.empty(); chain = find_chain(out, gpu)) {
    out = Joiner(out, chain, gpu).run(decisions);
    ir::after_pass("layers_together", out);
  }
  return out;
}

}  // namespace ka::partition

#include "partition/prepare.h"

#include "ir/legality.h"
#include "partition/attention.h"
#include "partition/half_products.h"
#include "partition/joins.h"
#include "partition/long_reductions.h"
#include "partition/products.h"
#include "partition/recurrences.h"
#include "partition/shared_rows.h"
#include "partition/steps.h"

namespace ka::partition {

namespace {

// The division of scores is exact: what it is off by, the exponential makes larger.
std::optional<ir::ValueId> exact_scores(Rewriting& here) {
  ir::Builder& b = here.builder;
  if (here.node.op != "div" || b.rank(here.inputs[1]) != 0 || here.old.type(here.node.outputs[0]).dtype != ir::DType::float32) return std::nullopt;
  return b.elementwise("div_rn", here.inputs);
}

// The one of which a node is a product.
const Attention* attention_with(const std::map<int, Attention>& attention, int number) {
  for (const auto& [last, found] : attention) {
    if (last == number || found.first == number) return &found;
  }
  return nullptr;
}

// An argument or a random draw, also through reshapes, which have its memory.
bool is_written_by_no_kernel(const ir::Graph& graph, ir::ValueId id) {
  const ir::Node* node = graph.maker(id);
  return node == nullptr || node->op == "random" || (node->op == "reshape" && is_written_by_no_kernel(graph, node->inputs[0]));
}

// What is returned is written by a kernel. A maximum over one element, say, has become the argument itself by now.
void copy_outputs(ir::Graph& graph) {
  ir::Builder b(graph);
  for (ir::ValueId& output : graph.outputs) {
    if (is_written_by_no_kernel(graph, output)) output = b.node("cast", {output}, {{"copy", true}}, {b.type(output)})[0];
  }
}

}  // namespace

ir::Graph prepared(const ir::Graph& given, const std::string& tier, const ir::Gpu& gpu, std::vector<std::string>* decisions) {
  const ir::Graph graph = layers_together(given, gpu, decisions);
  const std::map<int, Attention> attention = find_attention(graph);
  std::set<int> inside;
  for (const auto& [last, found] : attention) inside.insert(found.inside.begin(), found.inside.end());
  const std::set<int> exact = before_steps(graph);
  const std::set<int> shared = reductions_of_shared_rows(graph, gpu);
  ir::Graph out = rewritten(graph, [&](Rewriting& here) {
    if (inside.contains(here.number) || attention.contains(here.number)) {
      if (const std::optional<ir::ValueId> scores = checked("exact_scores", here, exact_scores(here))) return scores;
      if (const Attention* whole = attention_with(attention, here.number)) {
        if (const std::optional<ir::ValueId> product = checked("half_attention", here, half_attention(here, tier, *whole))) return product;
      }
      return checked("narrow_product", here, narrow_product(here));
    }
    if (exact.contains(here.number)) {
      if (const std::optional<ir::ValueId> other = checked("exact_before_step", here, exact_before_step(here))) return other;
    }
    if (const std::optional<ir::ValueId> joined = checked("joined_onto", here, joined_onto(here))) return joined;
    if (const std::optional<ir::ValueId> product = checked("half_product", here, half_product(here, tier))) return product;
    if (const std::optional<ir::ValueId> product = checked("arranged_product", here, arranged_product(here))) return product;
    if (shared.contains(here.number)) return std::optional<ir::ValueId>();
    if (const std::optional<ir::ValueId> squares = checked("split_squares", here, split_squares(here))) return squares;
    if (const std::optional<ir::ValueId> squares = checked("split_distances", here, split_distances(here))) return squares;
    if (const std::optional<ir::ValueId> sum = checked("split_exponentials", here, split_exponentials(here))) return sum;
    return checked("split_reduction", here, split_reduction(here));
  }, gpu, decisions);
  ir::after_pass("preparation", out);
  copy_outputs(out);
  ir::after_pass("copy_outputs", out);
  return out;
}

}  // namespace ka::partition

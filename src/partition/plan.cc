// One walk over the nodes in order. A pointwise node joins the kernel that its operands belong to when it can be computed at
// the same point of that kernel's domain; otherwise these operands are kept in memory and the node is inlined by whoever reads
// it. Reductions and contractions open kernels; a reduction joins an open kernel that visits the same rows.
#include "partition/plan.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "ir/builder.h"
#include "ir/legality.h"
#include "ir/primitives.h"
#include "partition/attention.h"
#include "partition/inlining.h"
#include "partition/launch_order.h"
#include "partition/siblings.h"

namespace ka::partition {
namespace {

using ir::Fusion;
using ir::Node;
using ir::Shape;
using ir::Sym;
using ir::ValueId;
using ir::KernelKind;
using ir::Plan;
using ir::points;
using Kernel = ir::PlannedKernel;

constexpr int kNobody = -1;

class Planner {
 public:
  explicit Planner(const ir::Graph& graph)
      : graph_(graph), attention_(find_attention(graph)), inlining_(graph.values.size()), owner_(graph.values.size(), kNobody), kept_(graph.values.size(), false) {
    for (const ir::Argument& argument : graph.arguments) {
      if (argument.value >= 0) kept_[at(argument.value)] = true;
    }
    for (const auto& [last, found] : attention_) inside_attention_.insert(found.inside.begin(), found.inside.end());
  }

  Result<Plan> run() {
    const std::vector<bool> needed = needed_nodes(graph_);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!needed[i] || inside_attention_.contains(static_cast<int>(i))) continue;
      KA_TRY(place(static_cast<int>(i)));
    }
    std::vector<ValueId> wanted = graph_.outputs;
    for (const ir::Update& update : graph_.updates) wanted.push_back(update.value);
    for (const ValueId value : wanted) {
      if (graph_.maker(value) != nullptr) place_in_memory(graph_.values[at(value)].node);
    }
    connect();
    join_siblings(graph_, plan_);
    KA_TRY(order_launches(plan_));
    ir::after_pass("partition", graph_, plan_);
    return std::move(plan_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Status place(int number) {
    const Node& node = graph_.nodes[at(number)];
    const Fusion fusion = ir::find_primitive(node.op)->fusion;
    switch (fusion) {
      case Fusion::source: return ok();
      case Fusion::elementwise:
      case Fusion::view:
        place_pointwise(number);
        if (node.attributes.contains("kept")) place_in_memory(number);
        return ok();
      case Fusion::gather: keep_owned_inputs(node); return ok();
      case Fusion::reduce: place_reduction(number); return ok();
      case Fusion::contraction: attention_.contains(number) ? place_attention(number) : place_contraction(number); return ok();
      case Fusion::scan: place_alone(number, KernelKind::scan); return ok();
      case Fusion::opaque: break;
    }
    if (node.op == "random") {
      for (const ValueId input : node.inputs) keep(input);
      for (const ValueId output : node.outputs) {
        kept_[at(output)] = true;
        plan_.randoms.push_back(output);
      }
      return ok();
    }
    place_alone(number, node.op == "recurrence" ? KernelKind::recurrence : node.op == "order" ? KernelKind::order : KernelKind::opaque);
    return ok();
  }

  // The kernels that own a value this node needs, directly or through inlined values.
  std::set<int> owners(const Node& node) const {
    std::set<int> out;
    for (const ValueId leaf : leaves(node)) {
      if (owner_[at(leaf)] != kNobody && !kept_[at(leaf)]) out.insert(owner_[at(leaf)]);
    }
    return out;
  }

  // Values that a node reads when everything inlined is followed: kept or owned ones.
  std::vector<ValueId> leaves(const Node& node) const {
    std::set<ValueId> seen, out;
    std::vector<ValueId> waiting = node.inputs;
    while (!waiting.empty()) {
      const ValueId value = waiting.back();
      waiting.pop_back();
      if (!seen.insert(value).second) continue;
      if (kept_[at(value)] || owner_[at(value)] != kNobody) {
        out.insert(value);
        continue;
      }
      if (const Node* maker = graph_.maker(value)) waiting.insert(waiting.end(), maker->inputs.begin(), maker->inputs.end());
    }
    return {out.begin(), out.end()};
  }

  void place_pointwise(int number) {
    const Node& node = graph_.nodes[at(number)];
    const std::set<int> who = owners(node);
    const auto is_read = [this](ValueId value) { return kept_[at(value)] || owner_[at(value)] != kNobody; };
    for (const int k : who) {
      if (!is_apart(node, plan_.kernels[at(k)]) && join(number, k)) return;
    }
    if (!who.empty()) keep_owned_inputs(node);
    // without an owner it is inlined by whoever reads it, unless that is too much of it
    while (const std::optional<ValueId> too_much = inlining_.add(node, number, is_read)) keep(*too_much);
  }

  static bool is_apart(const Node& node, const Kernel& kernel) {
    return node.attributes.contains("apart") && (kernel.kind != KernelKind::row || ir::text_attribute(node, "apart") == "always");
  }

  // What is wanted in memory is written by a kernel that knows an operand of it, where there is one. Counters that are all of the
  // shape [] share one.
  void place_in_memory(int number) {
    const Node& node = graph_.nodes[at(number)];
    const ValueId first = node.outputs[0];
    std::set<int> candidates;
    for (const ValueId leaf : leaves(node)) candidates.insert(owner_[at(leaf)]);
    for (int k = 0; k < static_cast<int>(plan_.kernels.size()); ++k) {
      const Kernel& kernel = plan_.kernels[at(k)];
      const bool counts = kernel.kind == KernelKind::pointwise && kernel.domain.empty() && kernel.needs.empty() && graph_.shape(first).empty();
      const bool knows = candidates.contains(k) && (kernel.kind == KernelKind::pointwise || kernel.kind == KernelKind::row);
      if (owner_[at(first)] != kNobody || kept_[at(first)] || node.op == "reshape" || !(counts || knows)) continue;
      adopt_views(node, k);
      join(number, k);
    }
    for (const ValueId value : node.outputs) keep(value);
  }

  // What was moved before it was read belongs to the kernel that has computed it.
  void adopt_views(const Node& node, int k) {
    for (const ValueId input : node.inputs) {
      const Node* maker = graph_.maker(input);
      if (maker == nullptr || owner_[at(input)] != kNobody) continue;
      adopt_views(*maker, k);
      if ((maker->op == "reshape" || maker->op == "permute") && owner_[at(maker->inputs[0])] == k) own(graph_.values[at(input)].node, k, ir::moved_index(graph_, *maker, plan_.kernels[at(k)].index.at(maker->inputs[0])));
    }
  }

  void keep_owned_inputs(const Node& node) {
    for (const ValueId leaf : leaves(node)) {
      if (owner_[at(leaf)] != kNobody) keep(leaf);
    }
  }

  void refuse(int number, int k, std::string reason) { plan_.refusals.push_back({number, k, std::move(reason)}); }

  bool join(int number, int k) {
    const Node& node = graph_.nodes[at(number)];
    Kernel& kernel = plan_.kernels[at(k)];
    const bool has_epilogue = kernel.kind == KernelKind::pointwise || kernel.kind == KernelKind::row || kernel.kind == KernelKind::matmul ||
                              kernel.kind == KernelKind::attention;
    if (!has_epilogue) return false;
    for (const int other : owners(node)) {
      if (other == k) continue;
      if (reaches(other, k)) {
        refuse(number, k, "another operand is computed from this kernel's results");
        return false;
      }
    }
    for (const ValueId leaf : leaves(node)) {
      if (kept_[at(leaf)] && owner_[at(leaf)] != kNobody && owner_[at(leaf)] != k && reaches(owner_[at(leaf)], k)) {
        refuse(number, k, "another operand is computed from this kernel's results");
        return false;
      }
    }
    const std::optional<std::vector<Sym>> index = index_in(node, kernel, k);
    if (!index) {
      refuse(number, k, fmt::format("{} needs elements of another point of the kernel's domain", node.op));
      return false;
    }
    for (const ValueId leaf : leaves(node)) {
      if (owner_[at(leaf)] != kNobody && owner_[at(leaf)] != k) keep(leaf);
    }
    own(number, k, *index);
    return true;
  }

  void own(int number, int k, const std::vector<Sym>& index) {
    const Node& node = graph_.nodes[at(number)];
    Kernel& kernel = plan_.kernels[at(k)];
    kernel.nodes.push_back(number);
    for (const ValueId output : node.outputs) {
      owner_[at(output)] = k;
      kernel.index[output] = index;
    }
    for (const ValueId leaf : leaves(node)) {
      if (owner_[at(leaf)] != kNobody && owner_[at(leaf)] != k) kernel.needs.insert(owner_[at(leaf)]);
    }
  }

  // The index of the node's result at a point of the kernel's domain, when every owned operand is needed at its own index.
  std::optional<std::vector<Sym>> index_in(const Node& node, const Kernel& kernel, int k) const {
    const Shape& shape = graph_.shape(node.outputs[0]);
    if (node.op == "reshape" || node.op == "permute") {
      const ValueId x = node.inputs[0];
      if (owner_[at(x)] != k || kept_[at(x)]) return std::nullopt;
      return ir::moved_index(graph_, node, kernel.index.at(x));
    }
    if (node.op == "remap" && kernel.kind == KernelKind::matmul && ir::is_crop(graph_, node)) {
      const ValueId x = node.inputs[0];
      if (owner_[at(x)] != k || kept_[at(x)]) return std::nullopt;
      return kernel.index.at(x);
    }
    if (ir::find_primitive(node.op)->fusion != Fusion::elementwise) return std::nullopt;
    std::optional<std::vector<Sym>> index = index_of_operands(node, kernel, k);
    if (!index && shape == kernel.domain) index = points(kernel.domain);
    if (!index) return std::nullopt;
    return consistent(node, kernel, k, *index) ? index : std::nullopt;
  }

  // Where an operand of the same shape is known to the kernel, also through what is inlined.
  std::optional<std::vector<Sym>> index_of_operands(const Node& node, const Kernel& kernel, int k) const {
    std::optional<std::vector<Sym>> index;
    for (const ValueId input : node.inputs) {
      const Node* maker = graph_.maker(input);
      if (graph_.shape(input) != graph_.shape(node.outputs[0]) || maker == nullptr) continue;
      if (owner_[at(input)] == k) index = kernel.index.at(input);
      else if (!index && owner_[at(input)] == kNobody && ir::find_primitive(maker->op)->fusion == Fusion::elementwise) index = index_of_operands(*maker, kernel, k);
    }
    return index;
  }

  bool consistent(const Node& node, const Kernel& kernel, int k, const std::vector<Sym>& index) const {
    for (const ValueId input : node.inputs) {
      const Shape& shape = graph_.shape(input);
      std::vector<Sym> wanted(index.end() - static_cast<std::ptrdiff_t>(shape.size()), index.end());
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d].is(1)) wanted[d] = 0;
      }
      if (!reachable_at(input, wanted, kernel, k)) return false;
    }
    return true;
  }

  // Whether a value, wanted at an index, needs values of this kernel at their own index only. That they are kept too does
  // not help: a program cannot read what others of the same launch write.
  bool reachable_at(ValueId value, const std::vector<Sym>& index, const Kernel& kernel, int k) const {
    if (owner_[at(value)] == k) return kernel.index.at(value) == index;
    if (!is_made_from(value, k)) return true;
    const Node& node = *graph_.maker(value);
    if (ir::find_primitive(node.op)->fusion != Fusion::elementwise) return false;
    return consistent(node, kernel, k, index);
  }

  // Whether values of the kernel are read when what is inlined, and what has the memory of another value, is followed.
  bool is_made_from(ValueId value, int k) const {
    std::set<ValueId> seen;
    std::vector<ValueId> waiting{value};
    while (!waiting.empty()) {
      const ValueId next = waiting.back();
      waiting.pop_back();
      if (!seen.insert(next).second) continue;
      if (owner_[at(next)] == k) return true;
      const Node* node = graph_.maker(next);
      if (owner_[at(next)] != kNobody || node == nullptr || (kept_[at(next)] && node->op != "reshape")) continue;
      waiting.insert(waiting.end(), node->inputs.begin(), node->inputs.end());
    }
    return false;
  }

  void place_reduction(int number) {
    const Node& node = graph_.nodes[at(number)];
    const ValueId x = node.inputs[0];
    keep_operands_of_products(x);
    std::vector<int> dims;
    for (const Sym& d : ir::ints_attribute(node, "dims")) dims.push_back(static_cast<int>(*d.constant()));
    for (const int k : owners({"", {x}, {}, {}, "", ""})) {
      if (join_reduction(number, k, dims)) return;
    }
    keep_owned_inputs(node);
    for (int k = static_cast<int>(plan_.kernels.size()) - 1; k >= 0; --k) {
      if (shares_a_leaf(node, k) && join_reduction(number, k, dims)) return;
    }
    Kernel kernel;
    kernel.kind = KernelKind::row;
    kernel.domain = graph_.shape(x);
    kernel.reduced = dims;
    plan_.kernels.push_back(std::move(kernel));
    own(number, static_cast<int>(plan_.kernels.size()) - 1, reduced_index(graph_.shape(x), dims));
  }

  static std::vector<Sym> reduced_index(const Shape& domain, const std::vector<int>& dims) {
    std::vector<Sym> index = points(domain);
    for (const int d : dims) index[at(d)] = 0;
    return index;
  }

  bool join_reduction(int number, int k, const std::vector<int>& dims) {
    const Node& node = graph_.nodes[at(number)];
    const ValueId x = node.inputs[0];
    Kernel& kernel = plan_.kernels[at(k)];
    if (kernel.kind != KernelKind::row) {
      refuse(number, k, fmt::format("a {} kernel has no place for a reduction", to_string(kernel.kind)));
      return false;
    }
    if (kernel.domain != graph_.shape(x) || kernel.reduced != dims) {
      refuse(number, k, "the reduction goes over other rows");
      return false;
    }
    for (const ValueId leaf : leaves(node)) {
      if (owner_[at(leaf)] != kNobody && owner_[at(leaf)] != k && reaches(owner_[at(leaf)], k)) {
        refuse(number, k, "its operand is computed from this kernel's results");
        return false;
      }
    }
    if (!reachable_at(x, points(kernel.domain), kernel, k)) {
      refuse(number, k, "its operand is needed at another point of the kernel's domain");
      return false;
    }
    for (const ValueId leaf : leaves(node)) {
      if (owner_[at(leaf)] != kNobody && owner_[at(leaf)] != k) keep(leaf);
    }
    own(number, k, reduced_index(kernel.domain, dims));
    return true;
  }

  // Whether both read the same tensor, or tensors that one kernel wrote: partial sums of the same parts.
  bool shares_a_leaf(const Node& node, int k) const {
    const Kernel& kernel = plan_.kernels[at(k)];
    if (kernel.kind != KernelKind::row) return false;
    const std::vector<ValueId> mine = leaves(node);
    const auto is_mine = [&](ValueId leaf) {
      return std::any_of(mine.begin(), mine.end(), [&](ValueId own) {
        return own == leaf || (owner_[at(leaf)] != kNobody && owner_[at(leaf)] != k && owner_[at(own)] == owner_[at(leaf)]);
      });
    };
    for (const int other : kernel.nodes) {
      for (const ValueId leaf : leaves(graph_.nodes[at(other)])) {
        if (!graph_.shape(leaf).empty() && is_mine(leaf)) return true;
      }
    }
    return false;
  }

  // A matrix times a vector is a reduction of products: what is multiplied was computed before, once, as for a matmul.
  void keep_operands_of_products(ValueId x) {
    const Node* node = graph_.maker(x);
    while (node != nullptr && owner_[at(x)] == kNobody && !kept_[at(x)] && ir::find_primitive(node->op)->fusion == Fusion::view && node->op != "cat") {
      x = node->inputs[0];
      node = graph_.maker(x);
    }
    if (node == nullptr || !node->attributes.contains("operands_kept")) return;
    for (const ValueId input : node->inputs) {
      if (!is_view_of_kept(input)) keep(input);
    }
  }

  void place_contraction(int number) {
    const Node& node = graph_.nodes[at(number)];
    for (const ValueId input : node.inputs) {
      if (!is_view_of_kept(input)) keep(input);
    }
    keep_owned_inputs(node);
    Kernel kernel;
    kernel.kind = KernelKind::matmul;
    kernel.domain = graph_.shape(node.outputs[0]);
    plan_.kernels.push_back(std::move(kernel));
    own(number, static_cast<int>(plan_.kernels.size()) - 1, points(graph_.shape(node.outputs[0])));
  }

  void place_attention(int number) {
    const Attention& found = attention_.at(number);
    std::vector<ValueId> operands{found.query, found.key, found.value};
    const Node &first = graph_.nodes[at(found.first)], &last = graph_.nodes[at(number)];
    if (first.inputs.size() == 4) operands.insert(operands.end(), {first.inputs[2], first.inputs[3]});
    if (last.inputs.size() == 4) operands.push_back(last.inputs[3]);
    for (const ValueId input : operands) {
      if (!is_view_of_kept(input)) keep(input);
    }
    keep_owned_inputs(last);
    Kernel kernel;
    kernel.kind = KernelKind::attention;
    kernel.domain = graph_.shape(graph_.nodes[at(number)].outputs[0]);
    kernel.nodes.assign(found.inside.begin(), found.inside.end());
    kernel.roles = {{"query", found.query},   {"key", found.key},         {"value", found.value},     {"product", found.product}, {"scores", found.scores},
                    {"sum", found.sum},       {"divisor", found.divisor}, {"softmax", found.softmax}, {"weights", found.weights},
                    {"result", graph_.nodes[at(number)].outputs[0]}};
    const std::vector<Sym> index = points(kernel.domain);
    plan_.kernels.push_back(std::move(kernel));
    own(number, static_cast<int>(plan_.kernels.size()) - 1, index);
  }

  // Views cost nothing where they are read; what is computed is computed once, not once per tile. Keeps what is below.
  bool is_view_of_kept(ValueId value) {
    if (kept_[at(value)]) return true;
    const Node* node = graph_.maker(value);
    if (node == nullptr) return true;
    if (owner_[at(value)] != kNobody) return false;
    const Fusion fusion = ir::find_primitive(node->op)->fusion;
    if (fusion == Fusion::source) return true;
    if ((fusion != Fusion::view || node->op == "cat") && node->op != "cast") return false;
    if (!is_view_of_kept(node->inputs[0])) keep(node->inputs[0]);
    return true;
  }

  void place_alone(int number, KernelKind kind) {
    const Node& node = graph_.nodes[at(number)];
    if (kind != KernelKind::scan) {
      for (const ValueId input : node.inputs) {
        if (!is_view_of_kept(input)) keep(input);
      }
    }
    keep_owned_inputs(node);
    Kernel kernel;
    kernel.kind = kind;
    kernel.domain = graph_.shape(node.outputs[0]);
    plan_.kernels.push_back(std::move(kernel));
    const int k = static_cast<int>(plan_.kernels.size()) - 1;
    own(number, k, points(graph_.shape(node.outputs[0])));
    for (const ValueId output : node.outputs) keep(output);
  }

  // Keeps a value in memory: as an output of the kernel that owns it, or of a pointwise kernel of its own.
  void keep(ValueId value) {
    if (kept_[at(value)]) return;
    const Node* node = graph_.maker(value);
    if (node == nullptr) return;
    if (owner_[at(value)] == kNobody) {
      // a reshape of something kept is that thing: the memory is the same
      if (node->op == "reshape") {
        keep(node->inputs[0]);
        kept_[at(value)] = true;
        return;
      }
      keep_owned_inputs(*node);
      own_pointwise(value);
    }
    kept_[at(value)] = true;
    plan_.kernels[at(owner_[at(value)])].outputs.push_back(value);
  }

  void own_pointwise(ValueId value) {
    const int number = graph_.values[at(value)].node;
    Kernel kernel;
    kernel.kind = KernelKind::pointwise;
    kernel.domain = graph_.shape(value);
    plan_.kernels.push_back(std::move(kernel));
    own(number, static_cast<int>(plan_.kernels.size()) - 1, points(graph_.shape(value)));
  }

  bool reaches(int from, int to) const { return partition::reaches(plan_, from, to); }

  // What was inlined when its reader was placed may have been kept later: then it is read from memory, unless that would
  // make two kernels wait for each other.
  void connect() {
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      std::set<ValueId> seen;
      std::vector<ValueId> waiting;
      for (const int node : plan_.kernels[k].nodes)
        waiting.insert(waiting.end(), graph_.nodes[at(node)].inputs.begin(), graph_.nodes[at(node)].inputs.end());
      while (!waiting.empty()) {
        const ValueId value = waiting.back();
        waiting.pop_back();
        const Node* node = graph_.maker(value);
        if (node == nullptr || owner_[at(value)] == static_cast<int>(k) || !seen.insert(value).second) continue;
        const int owner = owner_[at(value)];
        if (kept_[at(value)] && (owner == kNobody ? node->op == "random" : !reaches(owner, static_cast<int>(k)))) {
          if (owner != kNobody) plan_.kernels[k].needs.insert(owner);
          continue;
        }
        if (owner != kNobody) plan_.kernels[k].computed.insert(value);
        waiting.insert(waiting.end(), node->inputs.begin(), node->inputs.end());
      }
    }
  }

  const ir::Graph& graph_;
  const std::map<int, Attention> attention_;  // by their last node
  std::set<int> inside_attention_;
  Plan plan_;
  Inlining inlining_;
  std::vector<int> owner_;   // by value; kNobody: inlined, kept as an argument, or a view of something kept
  std::vector<bool> kept_;
};

}  // namespace

Result<ir::Plan> partition(const ir::Graph& graph) { return Planner(graph).run(); }

}  // namespace ka::partition

#include "partition/siblings.h"

#include <algorithm>

#include <fmt/format.h>

#include "partition/launch_order.h"

namespace ka::partition {
namespace {

using ir::Node;
using ir::ValueId;
using Kernel = ir::PlannedKernel;

// Beyond these the numbers of one point do not fit into a thread's registers.
constexpr std::size_t kMostOutputs = 8, kMostInputs = 12, kMostNodes = 96;
// So few points are visited in less time than a launch takes, in whatever order memory is read.
constexpr std::int64_t kFewPoints = 1 << 16;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Siblings {
 public:
  Siblings(const ir::Graph& graph, ir::Plan& plan) : graph_(graph), plan_(plan) {
    for (const ir::SizeSource& size : graph.sizes) given_[size.symbol] = size.given;
    for (const Kernel& kernel : plan.kernels) kept_.insert(kernel.outputs.begin(), kernel.outputs.end());
    for (const ir::Update& update : graph.updates) updated_.insert(update.value);
  }

  void run() {
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) reads_.push_back(reads_of(plan_.kernels[k]));
    for (std::size_t a = 0; a < plan_.kernels.size(); ++a) {
      for (std::size_t b = a + 1; b < plan_.kernels.size() && is_open(a); ++b) {
        if (is_open(b) && are_siblings(a, b)) join(a, b);
      }
    }
  }

 private:
  // What a kernel looks at, with everything that is inlined into it.
  struct Reads {
    std::set<ValueId> tensors;  // in memory
    std::set<int> nodes;
    bool turned = false;  // something is read along another dimension than is written, which may need squares of both
  };

  Reads reads_of(const Kernel& kernel) const {
    Reads out;
    out.nodes.insert(kernel.nodes.begin(), kernel.nodes.end());
    std::vector<ValueId> waiting;
    const auto follow = [&](const Node& node) {
      out.turned = out.turned || node.op == "permute";
      waiting.insert(waiting.end(), node.inputs.begin(), node.inputs.end());
    };
    for (const int node : kernel.nodes) follow(graph_.nodes[at(node)]);
    while (!waiting.empty()) {
      const ValueId value = waiting.back();
      waiting.pop_back();
      const Node* node = graph_.maker(value);
      const bool is_read = node == nullptr || node->op == "random" || (kept_.contains(value) && !kernel.computed.contains(value) && !kernel.index.contains(value));
      if (is_read) out.tensors.insert(value);
      else if (out.nodes.insert(graph_.values[at(value)].node).second) follow(*node);
    }
    return out;
  }

  bool is_open(std::size_t k) const {
    const Kernel& kernel = plan_.kernels[k];
    const auto is_updated = [this](ValueId value) { return updated_.contains(value); };  // may be written over what others read
    return kernel.kind == ir::KernelKind::pointwise && !kernel.outputs.empty() && std::none_of(kernel.outputs.begin(), kernel.outputs.end(), is_updated);
  }

  bool are_siblings(std::size_t a, std::size_t b) {
    const Kernel &one = plan_.kernels[a], &other = plan_.kernels[b];
    if (one.domain != other.domain || !share_a_tensor(a, b) || knows(one, other) || knows(other, one)) return false;
    const bool few = ir::evaluate(ir::product(one.domain), given_).value_or(kFewPoints) < kFewPoints;
    const auto refuse = [&](std::string reason) {
      if (told_.insert(other.nodes.back()).second) plan_.refusals.push_back({other.nodes.back(), static_cast<int>(a), std::move(reason)});
      return false;
    };
    if (!few && (reads_[a].turned || reads_[b].turned)) return refuse("both read the same tensor, but one along another dimension than it writes");
    if (reaches(plan_, static_cast<int>(a), static_cast<int>(b)) || reaches(plan_, static_cast<int>(b), static_cast<int>(a))) return false;
    if (one.outputs.size() + other.outputs.size() > kMostOutputs) return refuse(fmt::format("both read the same tensor, but one kernel has at most {} outputs", kMostOutputs));
    if (joined(reads_[a].tensors, reads_[b].tensors).size() > kMostInputs) return refuse(fmt::format("both read the same tensor, but one kernel has at most {} inputs", kMostInputs));
    if (joined(reads_[a].nodes, reads_[b].nodes).size() > kMostNodes) return refuse("both read the same tensor, but together they are too long for the registers");
    return true;
  }

  // What is made from nothing but sizes shares nothing, and costs nothing either.
  bool share_a_tensor(std::size_t a, std::size_t b) const {
    const std::set<ValueId>&one = reads_[a].tensors, &other = reads_[b].tensors;
    if (one.empty() && other.empty()) return true;
    return std::any_of(one.begin(), one.end(), [&](ValueId value) { return !graph_.shape(value).empty() && other.contains(value); });
  }

  // Whether one computes again what the other owns: it would have it at another point.
  static bool knows(const Kernel& one, const Kernel& other) {
    return std::any_of(one.computed.begin(), one.computed.end(), [&](ValueId value) { return other.index.contains(value); });
  }

  template <class T>
  static std::set<T> joined(std::set<T> one, const std::set<T>& other) {
    one.insert(other.begin(), other.end());
    return one;
  }

  void join(std::size_t a, std::size_t b) {
    Kernel &into = plan_.kernels[a], &from = plan_.kernels[b];
    into.nodes.insert(into.nodes.end(), from.nodes.begin(), from.nodes.end());
    std::sort(into.nodes.begin(), into.nodes.end());
    into.outputs.insert(into.outputs.end(), from.outputs.begin(), from.outputs.end());
    into.index.merge(from.index);
    into.computed.merge(from.computed);
    into.needs.merge(from.needs);
    from = {};
    for (Kernel& kernel : plan_.kernels) {
      if (kernel.needs.erase(static_cast<int>(b)) > 0) kernel.needs.insert(static_cast<int>(a));
    }
    for (ir::FusionRefusal& refusal : plan_.refusals) {
      if (refusal.kernel == static_cast<int>(b)) refusal.kernel = static_cast<int>(a);
    }
    reads_[a] = reads_of(into);
  }

  const ir::Graph& graph_;
  ir::Plan& plan_;
  std::map<std::string, std::int64_t> given_;
  std::set<ValueId> kept_, updated_;
  std::vector<Reads> reads_;  // by kernel
  std::set<int> told_;        // nodes about which there is a reason already
};

}  // namespace

void join_siblings(const ir::Graph& graph, ir::Plan& plan) { Siblings(graph, plan).run(); }

}  // namespace ka::partition

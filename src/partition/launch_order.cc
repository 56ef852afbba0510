#include "partition/launch_order.h"

#include <algorithm>
#include <functional>

namespace ka::partition {

std::vector<bool> needed_nodes(const ir::Graph& graph) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<bool> values(graph.values.size(), false), nodes(graph.nodes.size(), false);
  for (const ir::ValueId output : graph.outputs) values[at(output)] = true;
  for (const ir::Update& update : graph.updates) values[at(update.value)] = true;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const ir::Node& node = graph.nodes[i];
    const bool used = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ir::ValueId v) { return values[at(v)]; });
    if (!used && node.op != "random") continue;  // draws stay, whoever reads them: they move the generator
    nodes[i] = true;
    for (const ir::ValueId input : node.inputs) values[at(input)] = true;
  }
  return nodes;
}

// Each kernel is looked at once: the paths through a network of residual blocks are too many to follow one by one.
bool reaches(const ir::Plan& plan, int from, int to) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<bool> seen(plan.kernels.size(), false);
  std::vector<int> waiting{from};
  while (!waiting.empty()) {
    const int kernel = waiting.back();
    waiting.pop_back();
    if (kernel == to) return true;
    if (seen[at(kernel)]) continue;
    seen[at(kernel)] = true;
    const std::set<int>& needs = plan.kernels[at(kernel)].needs;
    waiting.insert(waiting.end(), needs.begin(), needs.end());
  }
  return false;
}

Status order_launches(ir::Plan& plan) {
  enum class State { untouched, open, done };
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const std::size_t n = plan.kernels.size();
  std::vector<int> position(n, -1), order;
  std::vector<State> state(n, State::untouched);
  const std::function<bool(int)> visit = [&](int k) {
    if (state[at(k)] != State::untouched) return state[at(k)] == State::done;
    state[at(k)] = State::open;
    for (const int need : plan.kernels[at(k)].needs) {
      if (!visit(need)) return false;
    }
    state[at(k)] = State::done;
    if (plan.kernels[at(k)].outputs.empty()) return true;
    position[at(k)] = static_cast<int>(order.size());
    order.push_back(k);
    return true;
  };
  for (std::size_t k = 0; k < n; ++k) {
    if (!visit(static_cast<int>(k))) return internal_error("partition: kernels need each other");
  }
  std::vector<ir::PlannedKernel> kernels;
  for (const int k : order) {
    ir::PlannedKernel kernel = std::move(plan.kernels[at(k)]);
    std::set<int> needs;
    for (const int need : kernel.needs) {
      if (position[at(need)] >= 0) needs.insert(position[at(need)]);  // nobody reads what keeps nothing
    }
    kernel.needs = std::move(needs);
    kernels.push_back(std::move(kernel));
  }
  for (ir::FusionRefusal& refusal : plan.refusals) refusal.kernel = position[at(refusal.kernel)];
  std::erase_if(plan.refusals, [](const ir::FusionRefusal& refusal) { return refusal.kernel < 0; });
  plan.kernels = std::move(kernels);
  return ok();
}

}  // namespace ka::partition

#include "partition/launch_order.h"

#include <functional>

namespace ka::partition {

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
    for (const int need : kernel.needs) needs.insert(position[at(need)]);
    kernel.needs = std::move(needs);
    if (!kernel.outputs.empty()) kernels.push_back(std::move(kernel));
  }
  for (ir::FusionRefusal& refusal : plan.refusals) refusal.kernel = position[at(refusal.kernel)];
  plan.kernels = std::move(kernels);
  return ok();
}

}  // namespace ka::partition

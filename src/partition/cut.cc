#include "partition/cut.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ka::partition {
namespace {

using ir::Part;
using ir::Program;
using ir::ProgramRef;
using ir::ValueId;

std::size_t nth(int index) { return static_cast<std::size_t>(index); }

// Kernels that belong together.
class Groups {
 public:
  explicit Groups(std::size_t count) : leader_(count) { std::iota(leader_.begin(), leader_.end(), 0); }
  int of(int member) {
    while (leader_[nth(member)] != member) member = leader_[nth(member)] = leader_[nth(leader_[nth(member)])];
    return member;
  }
  // Whether they were apart.
  bool join(int a, int b) {
    a = of(a), b = of(b);
    leader_[nth(std::max(a, b))] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<int> leader_;
};

class Cutter {
 public:
  Cutter(const ir::Graph& graph, const ir::Plan& plan, const Program& program) : graph_(graph), plan_(plan), program_(program), groups_(plan.kernels.size()) {
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
      for (const ValueId output : plan.kernels[k].outputs) writer_[output] = static_cast<int>(k);
    }
    for (const ir::ProgramValue& made : graph.program) {
      const int writer = made.value < 0 ? -1 : written_by(made.value);
      if (writer >= 0) kept_.emplace(ProgramRef{made.op, made.output}, writer);
      if (writer >= 0) shown_.insert(in_memory(made.value));
    }
  }

  std::vector<Part> run(const std::vector<std::vector<std::size_t>>& launches) {
    if (plan_.kernels.empty()) return {whole()};
    for (const std::vector<std::size_t>& together : launches) {
      for (const std::size_t kernel : together) groups_.join(static_cast<int>(together[0]), static_cast<int>(kernel));
    }
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) join_over_hidden_values(static_cast<int>(k));
    while (true) {
      find_parts();
      if (join_shared_draws() || join_cycles()) continue;
      std::vector<int> order = in_order();
      if (join_draws_out_of_order(order)) continue;
      if (!draws_are_all_there()) return {whole()};
      std::vector<Part> out;
      for (const int group : order) out.push_back(finished(group));
      return out;
    }
  }

 private:
  struct Draft {
    std::set<int> ops;
    std::set<ProgramRef> inputs, outputs;
    std::set<int> updates;
    std::set<int> needs;  // groups
  };

  // What has the memory of a value: itself, or what it is a reshape of.
  ValueId in_memory(ValueId value) const {
    const ir::Node* node = graph_.maker(value);
    return node != nullptr && node->op == "reshape" && !writer_.contains(value) ? in_memory(node->inputs[0]) : value;
  }
  int written_by(ValueId value) const {
    const auto found = writer_.find(in_memory(value));
    return found == writer_.end() ? -1 : found->second;
  }

  // A value that a kernel reads and that no operator of the program gave.
  void join_over_hidden_values(int kernel) {
    std::vector<ValueId> waiting;
    std::set<ValueId> seen;
    const auto follow = [&](const ir::Node& node) { waiting.insert(waiting.end(), node.inputs.begin(), node.inputs.end()); };
    for (const int node : plan_.kernels[nth(kernel)].nodes) follow(graph_.nodes[nth(node)]);
    for (const ValueId output : plan_.kernels[nth(kernel)].outputs) {
      if (const ir::Node* node = graph_.maker(output)) follow(*node);
    }
    while (!waiting.empty()) {
      const ValueId value = waiting.back();
      waiting.pop_back();
      if (!seen.insert(value).second) continue;
      const auto writer = writer_.find(value);
      const bool is_read = writer != writer_.end() && writer->second != kernel && !plan_.kernels[nth(kernel)].computed.contains(value);
      if (is_read && !shown_.contains(value)) groups_.join(kernel, writer->second);
      const ir::Node* node = graph_.maker(value);
      if (!is_read && node != nullptr) follow(*node);
    }
  }

  // The operators of each group: back from what it must give to what others give.
  void find_parts() {
    drafts_.clear();
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) want(program_.outputs[i], graph_.outputs[i], -1);
    for (std::size_t i = 0; i < program_.updates.size(); ++i) want(program_.updates[i], graph_.updates[i].value, static_cast<int>(i));
    while (!wanted_.empty()) {
      const auto [group, ref] = wanted_.back();
      wanted_.pop_back();
      take(group, ref);
    }
  }

  void want(const ProgramRef& ref, ValueId value, int update) {
    const auto found = kept_.find(ref);
    const int writer = found != kept_.end() ? found->second : written_by(value);
    const int group = groups_.of(std::max(writer, 0));  // what nobody writes, somebody has to
    if (update >= 0) drafts_[group].updates.insert(update);
    else drafts_[group].outputs.insert(ref);
    wanted_.emplace_back(group, ref);
  }

  void take(int group, const ProgramRef& ref) {
    Draft& draft = drafts_[group];
    if (ref.op < 0) {
      draft.inputs.insert(ref);
      return;
    }
    if (!draft.ops.insert(ref.op).second) return;
    for (const ProgramRef& read : program_.ops[nth(ref.op)].reads) {
      const auto found = kept_.find(read);
      const int from = found == kept_.end() ? group : groups_.of(found->second);
      if (from == group) {
        wanted_.emplace_back(group, read);
        continue;
      }
      draft.inputs.insert(read);
      draft.needs.insert(from);
      if (drafts_[from].outputs.insert(read).second) wanted_.emplace_back(from, read);
    }
  }

  // A random number is drawn once.
  bool join_shared_draws() {
    std::map<int, int> drawer;
    bool joined = false;
    for (const auto& [group, draft] : drafts_) {
      for (const int op : draft.ops) {
        if (!program_.ops[nth(op)].draws) continue;
        const auto [found, fresh] = drawer.try_emplace(op, group);
        joined = (!fresh && groups_.join(found->second, group)) || joined;
      }
    }
    return joined;
  }

  // Groups that need each other are one.
  bool join_cycles() {
    bool joined = false;
    const std::vector<int> order = in_order();
    const std::set<int> done(order.begin(), order.end());
    for (const auto& [group, draft] : drafts_) {
      if (done.contains(group)) continue;
      const std::set<int> reached = reach(group);
      if (!reached.contains(group)) continue;
      for (const int other : reached) {
        if (!done.contains(other) && reach(other).contains(group)) joined = groups_.join(group, other) || joined;
      }
      if (joined) return true;
    }
    return joined;
  }

  std::set<int> reach(int group) const {
    std::set<int> seen;
    std::vector<int> waiting(drafts_.at(group).needs.begin(), drafts_.at(group).needs.end());
    while (!waiting.empty()) {
      const int next = waiting.back();
      waiting.pop_back();
      if (!seen.insert(next).second) continue;
      waiting.insert(waiting.end(), drafts_.at(next).needs.begin(), drafts_.at(next).needs.end());
    }
    return seen;
  }

  // Each group after those that it needs, otherwise as the program has it; those in a cycle are left out.
  std::vector<int> in_order() const {
    std::map<int, std::size_t> open;
    std::map<int, std::vector<int>> readers;
    std::set<std::pair<int, int>> ready;  // first operator, group
    const auto first = [](const Draft& draft) { return draft.ops.empty() ? -1 : *draft.ops.begin(); };
    for (const auto& [group, draft] : drafts_) {
      open[group] = draft.needs.size();
      for (const int need : draft.needs) readers[need].push_back(group);
      if (draft.needs.empty()) ready.emplace(first(draft), group);
    }
    std::vector<int> out;
    while (!ready.empty()) {
      const int group = ready.begin()->second;
      ready.erase(ready.begin());
      out.push_back(group);
      for (const int reader : readers[group]) {
        if (--open[reader] == 0) ready.emplace(first(drafts_.at(reader)), reader);
      }
    }
    return out;
  }

  std::vector<int> draws_of(int group) const {
    std::vector<int> out;
    for (const int op : drafts_.at(group).ops) {
      if (program_.ops[nth(op)].draws) out.push_back(op);
    }
    return out;
  }

  bool join_draws_out_of_order(const std::vector<int>& order) {
    int last = -1, before = -1;
    for (const int group : order) {
      for (const int op : draws_of(group)) {
        if (op < last && groups_.join(before, group)) return true;
        last = op;
        before = group;
      }
    }
    return false;
  }

  bool draws_are_all_there() const {
    std::set<int> drawn;
    for (const auto& [group, draft] : drafts_) {
      for (const int op : draws_of(group)) drawn.insert(op);
    }
    for (std::size_t op = 0; op < program_.ops.size(); ++op) {
      if (program_.ops[op].draws && !drawn.contains(static_cast<int>(op))) return false;
    }
    return true;
  }

  Part finished(int group) {
    const Draft& draft = drafts_.at(group);
    Part out{{draft.ops.begin(), draft.ops.end()}, {}, {}, {draft.updates.begin(), draft.updates.end()}, {}};
    std::set<ProgramRef> seen;
    const auto read = [&](const ProgramRef& ref) {
      if (draft.inputs.contains(ref) && seen.insert(ref).second) out.inputs.push_back(ref);
    };
    for (const int op : out.ops) std::for_each(program_.ops[nth(op)].reads.begin(), program_.ops[nth(op)].reads.end(), read);
    std::for_each(draft.inputs.begin(), draft.inputs.end(), read);  // what is returned as it is
    out.outputs.assign(draft.outputs.begin(), draft.outputs.end());
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      if (groups_.of(static_cast<int>(k)) == group) out.kernels.push_back(k);
    }
    return out;
  }

  Part whole() const {
    Part out;
    std::set<ProgramRef> seen, given(program_.outputs.begin(), program_.outputs.end());
    for (std::size_t op = 0; op < program_.ops.size(); ++op) {
      out.ops.push_back(static_cast<int>(op));
      for (const ProgramRef& ref : program_.ops[op].reads) {
        if (ref.op < 0 && seen.insert(ref).second) out.inputs.push_back(ref);
      }
    }
    for (const ProgramRef& ref : given) {
      if (ref.op < 0 && seen.insert(ref).second) out.inputs.push_back(ref);
    }
    out.outputs.assign(given.begin(), given.end());
    for (std::size_t i = 0; i < program_.updates.size(); ++i) out.updates.push_back(static_cast<int>(i));
    return out;
  }

  const ir::Graph& graph_;
  const ir::Plan& plan_;
  const Program& program_;
  Groups groups_;
  std::map<ValueId, int> writer_;        // the kernel that keeps a value
  std::map<ProgramRef, int> kept_;       // the kernel that keeps a value of the program
  std::set<ValueId> shown_;              // kept values that the program knows
  std::map<int, Draft> drafts_;          // by group
  std::vector<std::pair<int, ProgramRef>> wanted_;
};

}  // namespace

std::vector<ir::Part> cut(const ir::Graph& graph, const ir::Plan& plan, const std::vector<std::vector<std::size_t>>& launches, const ir::Program& program) {
  return Cutter(graph, plan, program).run(launches);
}

}  // namespace ka::partition

#include "partition/regroup.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace ka::partition {
namespace {

using ir::Part;
using ir::Program;
using ir::ProgramRef;

std::size_t nth(int index) { return static_cast<std::size_t>(index); }

class Regrouping {
 public:
  Regrouping(const Program& program, const OperatorName& name) : program_(program), name_(name) {}

  Result<std::vector<Part>> run(const std::vector<int>& wanted, const std::vector<std::vector<int>>& groups) {
    KA_TRY(number(wanted, groups));
    KA_ASSIGN(const std::vector<int> order, in_order());
    KA_TRY(check_draws(order));
    std::vector<Part> out;
    for (const int group : order) out.push_back(part(group));
    give_arguments_back(out);
    return out;
  }

 private:
  Status number(const std::vector<int>& wanted, const std::vector<std::vector<int>>& groups) {
    const std::set<int> known(wanted.begin(), wanted.end());
    for (const std::vector<int>& group : groups) {
      if (group.empty()) continue;
      members_.emplace_back(group.begin(), group.end());
      for (const int op : group) {
        if (!known.contains(op)) return invalid_input(fmt::format("{} is no operation of the list", name_(op)));
        if (!group_.emplace(op, static_cast<int>(members_.size()) - 1).second) return invalid_input(fmt::format("{} is there twice", name_(op)));
      }
    }
    for (const int op : wanted) {
      if (!group_.contains(op)) return invalid_input(fmt::format("{} is in no group", name_(op)));
    }
    return ok();
  }

  // The group that makes a value; -1: an argument.
  int maker(const ProgramRef& ref) const { return ref.op < 0 ? -1 : group_.at(ref.op); }

  Result<std::vector<int>> in_order() const {
    std::vector<std::set<int>> needs(members_.size());
    std::vector<std::vector<int>> readers(members_.size());
    for (const auto& [op, group] : group_) {
      for (const ProgramRef& read : program_.ops[nth(op)].reads) {
        const int from = maker(read);
        if (from >= 0 && from != group && needs[nth(group)].insert(from).second) readers[nth(from)].push_back(group);
      }
    }
    std::set<std::pair<int, int>> ready;  // first operator, group
    std::vector<std::size_t> open;
    for (std::size_t g = 0; g < members_.size(); ++g) {
      open.push_back(needs[g].size());
      if (open[g] == 0) ready.emplace(*members_[g].begin(), static_cast<int>(g));
    }
    std::vector<int> out;
    while (!ready.empty()) {
      const int group = ready.begin()->second;
      ready.erase(ready.begin());
      out.push_back(group);
      for (const int reader : readers[nth(group)]) {
        if (--open[nth(reader)] == 0) ready.emplace(*members_[nth(reader)].begin(), reader);
      }
    }
    if (out.size() == members_.size()) return out;
    const auto waits = std::find_if(open.begin(), open.end(), [](std::size_t left) { return left > 0; });
    const std::size_t group = static_cast<std::size_t>(waits - open.begin());
    return invalid_input(fmt::format("the group with {} needs a result of a group that itself needs a result of the first, or waits for such groups", name_(*members_[group].begin())));
  }

  Status check_draws(const std::vector<int>& order) const {
    int last = -1;
    for (const int group : order) {
      for (const int op : members_[nth(group)]) {
        if (!program_.ops[nth(op)].draws) continue;
        if (op < last) return invalid_input(fmt::format("{} and {} would draw their random numbers in another order than the program does", name_(op), name_(last)));
        last = op;
      }
    }
    return ok();
  }

  Part part(int group) const {
    Part out;
    out.ops.assign(members_[nth(group)].begin(), members_[nth(group)].end());
    std::set<ProgramRef> seen, given;
    for (const int op : out.ops) {
      for (const ProgramRef& read : program_.ops[nth(op)].reads) {
        if (maker(read) != group && seen.insert(read).second) out.inputs.push_back(read);
      }
    }
    for (const auto& [op, reader] : group_) {
      if (reader == group) continue;
      for (const ProgramRef& read : program_.ops[nth(op)].reads) {
        if (maker(read) == group) given.insert(read);
      }
    }
    for (const ProgramRef& output : program_.outputs) {
      if (maker(output) == group) given.insert(output);
    }
    out.outputs.assign(given.begin(), given.end());
    for (std::size_t i = 0; i < program_.updates.size(); ++i) {
      if (maker(program_.updates[i]) == group) out.updates.push_back(static_cast<int>(i));
    }
    return out;
  }

  // What the program returns or keeps as it came in: the first part hands it on.
  void give_arguments_back(std::vector<Part>& parts) const {
    if (parts.empty()) return;
    Part& first = parts.front();
    const auto take = [&](const ProgramRef& ref) {
      if (std::find(first.inputs.begin(), first.inputs.end(), ref) == first.inputs.end()) first.inputs.push_back(ref);
    };
    const std::set<ProgramRef> returned(program_.outputs.begin(), program_.outputs.end());
    for (const ProgramRef& ref : returned) {
      if (ref.op >= 0) continue;
      take(ref);
      first.outputs.push_back(ref);
    }
    for (std::size_t i = 0; i < program_.updates.size(); ++i) {
      if (program_.updates[i].op >= 0) continue;
      take(program_.updates[i]);
      first.updates.push_back(static_cast<int>(i));
    }
    std::sort(first.outputs.begin(), first.outputs.end());
    std::sort(first.updates.begin(), first.updates.end());
  }

  const Program& program_;
  const OperatorName& name_;
  std::vector<std::set<int>> members_;  // by group
  std::map<int, int> group_;            // by operator
};

}  // namespace

Result<std::vector<Part>> parts_of_groups(const Program& program, const std::vector<int>& wanted, const std::vector<std::vector<int>>& groups, const OperatorName& name) {
  return Regrouping(program, name).run(wanted, groups);
}

}  // namespace ka::partition

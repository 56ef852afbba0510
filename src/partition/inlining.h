// What is recomputed where it is read is written into the reader's kernel, once for each place at which it is read. Where a program reads its own results at several places
// again and again (tables that are filled entry by entry, scans by doubling), the kernel grows with every step by a factor; then a value is kept in memory instead.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "ir/graph.h"

namespace ka::partition {

class Inlining {
 public:
  explicit Inlining(std::size_t values) : pieces_(values), computed_(values) {}

  // Notes a node that is inlined. An operand that should be kept first, where too much would be computed for one element of the result.
  std::optional<ir::ValueId> add(const ir::Node& node, int number, const std::function<bool(ir::ValueId)>& is_read);

 private:
  std::optional<ir::ValueId> add_join(const ir::Node& node, const std::function<bool(ir::ValueId)>& is_read);

  std::vector<std::size_t> pieces_;  // by value: the pieces of a join, 0 for anything else
  // By value: what is computed for one element of it, a number for each node and way of views to it.
  std::vector<std::set<std::uint64_t>> computed_;
};

}  // namespace ka::partition

// The table of rewrites: laws by which a graph becomes one that computes the same with less. Each row is proved by a test that
// computes both sides in float64.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partition/rewrite.h"

namespace ka::partition {

struct Rewrite {
  std::string_view name;
  std::string_view law;
  // It changes the amount of work, not only its form: reported apart, and left out on request.
  bool algebraic;
  std::optional<ir::ValueId> (*apply)(Rewriting& here);
};

std::span<const Rewrite> all_rewrites();

struct AppliedRewrite {
  std::string name;
  bool algebraic = false;
  std::string where;  // file:line of the program
};

struct Simplified {
  ir::Graph graph;
  std::vector<AppliedRewrite> applied;
};

// The graph after the first rows that apply at each node, until none does.
Simplified simplified(const ir::Graph& graph, bool algebraic);

}  // namespace ka::partition

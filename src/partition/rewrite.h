// A graph made anew node by node, some nodes replaced by others that compute the same.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/gpu.h"

namespace ka::partition {

// Adds sizes that follow from others ("parts = min(1024, n)") to a graph; equal ones once. A size that is a number stays one.
class DerivedSizes {
 public:
  explicit DerivedSizes(ir::Graph& graph);
  ir::Sym size(const std::string& wish, const ir::Sym& value);
  // In the given program.
  std::int64_t given(const ir::Sym& sym) const;

 private:
  ir::Graph& graph_;
  std::map<std::string, std::int64_t> given_;
  std::map<std::string, ir::Sym> known_;  // text of the value -> symbol
};

struct Rewriting {
  ir::Builder& builder;
  DerivedSizes& sizes;
  int number;                       // of the node in the old graph
  const ir::Node& node;             // its operands are values of the old graph
  const ir::Graph& old;
  const std::vector<int>& readers;  // how many read each value of the old graph, the caller of the program included
  std::vector<ir::ValueId> inputs;  // the same in the new graph
  const std::vector<ir::ValueId>& now;  // by value of the old graph: the one in the new graph, -1 until it is made
  std::size_t made = 0;             // nodes of the new graph before anything is put in this one's place
  const ir::Gpu& gpu = ir::default_gpu();
  std::vector<std::string>* decisions = nullptr;  // what was chosen and what it costs, for people; may be nobody's

  std::vector<ir::ValueId> others = {};  // what stands in the place of the results after the first

  ir::ValueId moved(ir::ValueId value) const { return now[static_cast<std::size_t>(value)]; }
  // "product of [4096, 4096] and [4096, 4096] (p.py:9)"; the rest of the sentence says what was decided.
  void decide(const std::string& what, const std::string& how) const;
};

// "12.3 us", for decisions.
std::string time_text(double seconds);

// What a rule has put in the place of the node, legal in debug builds (ir/legality.h).
std::optional<ir::ValueId> checked(std::string_view rule, Rewriting& here, std::optional<ir::ValueId> other);

// What stands in the place of the node's first result; nothing: the node stays.
using Replace = std::function<std::optional<ir::ValueId>(Rewriting&)>;
ir::Graph rewritten(const ir::Graph& graph, const Replace& replace, const ir::Gpu& gpu = ir::default_gpu(), std::vector<std::string>* decisions = nullptr);

}  // namespace ka::partition

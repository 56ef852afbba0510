#include "partition/inlining.h"

#include <algorithm>

#include "ir/primitives.h"
#include "partition/joins.h"

namespace ka::partition {
namespace {

constexpr std::size_t kMostComputed = 600;

std::uint64_t seen_through(std::uint64_t what, int view) {
  return (what ^ (static_cast<std::uint64_t>(view) + 1) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
}

}  // namespace

// A join of joins: the longest of these is kept where there would be too many pieces.
std::optional<ir::ValueId> Inlining::add_join(const ir::Node& node, const std::function<bool(ir::ValueId)>& is_read) {
  std::optional<ir::ValueId> longest;
  std::size_t all = 0;
  for (const ir::ValueId input : node.inputs) {
    const std::size_t pieces = is_read(input) ? 0 : pieces_[static_cast<std::size_t>(input)];
    all += std::max<std::size_t>(pieces, 1);
    if (pieces > 1 && (!longest || pieces > pieces_[static_cast<std::size_t>(*longest)])) longest = input;
  }
  if (all > kMostPieces && longest) return longest;
  pieces_[static_cast<std::size_t>(node.outputs[0])] = all;
  return std::nullopt;
}

std::optional<ir::ValueId> Inlining::add(const ir::Node& node, int number, const std::function<bool(ir::ValueId)>& is_read) {
  if (node.op == "cat") {
    if (const std::optional<ir::ValueId> join = add_join(node, is_read)) return join;
  }
  const bool moves = ir::find_primitive(node.op)->fusion != ir::Fusion::elementwise;
  std::set<std::uint64_t> all{static_cast<std::uint64_t>(number)};
  std::optional<ir::ValueId> largest;
  for (const ir::ValueId input : node.inputs) {
    const std::set<std::uint64_t>& part = computed_[static_cast<std::size_t>(input)];
    if (is_read(input) || part.empty()) continue;
    if (!largest || part.size() > computed_[static_cast<std::size_t>(*largest)].size()) largest = input;
    for (const std::uint64_t what : part) all.insert(moves ? seen_through(what, number) : what);
  }
  if (all.size() > kMostComputed && largest && computed_[static_cast<std::size_t>(*largest)].size() > 1) return largest;
  for (const ir::ValueId output : node.outputs) computed_[static_cast<std::size_t>(output)] = all;
  return std::nullopt;
}

}  // namespace ka::partition

// Layer of a box: the longest way to it. Order within a layer: by the mean position of what points to it,
// then of what it points to, a few times over (the barycentre heuristic); a chain stays straight and branches
// stay apart.
#include "report/layout.h"

#include <algorithm>
#include <numeric>

namespace ka::report {
namespace {

using Arrows = std::vector<std::pair<std::size_t, std::size_t>>;
using Lists = std::vector<std::vector<std::size_t>>;

constexpr int kSweeps = 4;

struct Neighbours {
  Lists before, after;
};

Neighbours neighbours(std::size_t boxes, const Arrows& arrows) {
  Neighbours out{Lists(boxes), Lists(boxes)};
  for (const auto& [from, to] : arrows) {
    if (from >= boxes || to >= boxes || from == to) continue;
    out.before[to].push_back(from);
    out.after[from].push_back(to);
  }
  return out;
}

std::vector<std::size_t> layers_of(std::size_t boxes, const Neighbours& near) {
  std::vector<std::size_t> layer(boxes, 0), waiting(boxes), ready;
  for (std::size_t i = 0; i < boxes; ++i) {
    waiting[i] = near.before[i].size();
    if (waiting[i] == 0) ready.push_back(i);
  }
  std::vector<bool> done(boxes, false);
  for (std::size_t next = 0, forced = 0; ready.size() < boxes || next < ready.size();) {
    if (next == ready.size()) {  // a circle: its first box goes first
      while (done[forced] || waiting[forced] == 0) ++forced;
      waiting[forced] = 0;
      ready.push_back(forced);
    }
    const std::size_t box = ready[next++];
    done[box] = true;
    for (const std::size_t to : near.after[box]) {
      if (done[to]) continue;
      layer[to] = std::max(layer[to], layer[box] + 1);
      if (waiting[to] > 0 && --waiting[to] == 0) ready.push_back(to);
    }
  }
  return layer;
}

// What nothing points to stands right above its first reader, not at the top of a long program.
void pull_down(std::vector<std::size_t>& layer, const Neighbours& near) {
  for (std::size_t i = 0; i < layer.size(); ++i) {
    if (!near.before[i].empty() || near.after[i].empty()) continue;
    std::size_t first = layer[near.after[i][0]];
    for (const std::size_t to : near.after[i]) first = std::min(first, layer[to]);
    layer[i] = std::max(layer[i], first == 0 ? 0 : first - 1);
  }
}

void sort_rows(Lists& rows, const Lists& near, std::vector<double>& position) {
  for (std::vector<std::size_t>& row : rows) {
    std::vector<std::pair<double, std::size_t>> keys;
    for (const std::size_t box : row) {
      double sum = 0;
      for (const std::size_t other : near[box]) sum += position[other];
      keys.emplace_back(near[box].empty() ? position[box] : sum / static_cast<double>(near[box].size()), box);
    }
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = keys[i].second;
      position[row[i]] = static_cast<double>(i) - static_cast<double>(row.size() - 1) / 2;
    }
  }
}

}  // namespace

Layout lay_out(std::size_t boxes, const Arrows& arrows, std::size_t most) {
  const Neighbours near = neighbours(boxes, arrows);
  std::vector<std::size_t> layer = layers_of(boxes, near);
  pull_down(layer, near);
  Lists rows(boxes == 0 ? 0 : *std::max_element(layer.begin(), layer.end()) + 1);
  for (std::size_t i = 0; i < boxes; ++i) rows[layer[i]].push_back(i);
  std::vector<double> position(boxes, 0);
  for (int i = 0; i < kSweeps; ++i) sort_rows(rows, i % 2 == 0 ? near.before : near.after, position);

  Lists short_rows;
  for (const std::vector<std::size_t>& row : rows) {
    for (std::size_t i = 0; i < row.size(); i += most)
      short_rows.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(i),
                              row.begin() + static_cast<std::ptrdiff_t>(std::min(i + most, row.size())));
  }
  std::size_t widest = 0;
  for (const std::vector<std::size_t>& row : short_rows) widest = std::max(widest, row.size());
  const auto width_of = [](std::size_t count) {
    return count == 0 ? 0 : static_cast<double>(count) * (kBoxWidth + kBoxGap) - kBoxGap;
  };
  Layout out;
  out.places.resize(boxes);
  out.width = width_of(widest);
  for (std::size_t r = 0; r < short_rows.size(); ++r) {
    const double left = (out.width - width_of(short_rows[r].size())) / 2;
    for (std::size_t i = 0; i < short_rows[r].size(); ++i)
      out.places[short_rows[r][i]] = {r, left + static_cast<double>(i) * (kBoxWidth + kBoxGap),
                                      static_cast<double>(r) * (kBoxHeight + kLayerGap)};
    out.right.push_back(left + width_of(short_rows[r].size()));
  }
  if (!short_rows.empty())
    out.height = static_cast<double>(short_rows.size()) * (kBoxHeight + kLayerGap) - kLayerGap;
  return out;
}

}  // namespace ka::report

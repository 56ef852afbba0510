// Where the boxes of a drawing stand: layers from top to bottom, so that every arrow between two of them
// points downwards.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ka::report {

inline constexpr double kBoxWidth = 236, kBoxHeight = 46, kBoxGap = 24, kLayerGap = 44;

struct Layout {
  struct Place {
    std::size_t row = 0;
    double x = 0, y = 0;  // of its upper left corner
  };
  std::vector<Place> places;
  std::vector<double> right;  // of each row: where its last box ends
  double width = 0, height = 0;
};

// Rows hold at most `most` boxes; a layer with more takes several. Arrows that close a circle, or name a box
// that is not there, do not count. About linear in boxes and arrows.
Layout lay_out(std::size_t boxes, const std::vector<std::pair<std::size_t, std::size_t>>& arrows,
               std::size_t most = 8);

}  // namespace ka::report

// An image with the channels last, laid out so that the form "conv_tiles" finds in one block of memory what neighbouring places of a result see through one
// tap of the filter. A line of the image goes on where the one before ends, with zeros between them as wide as the filter reaches over either end; so do
// the images of a batch. Places are then counted through, and the tap (i, j) looks i lines and j places further on, whatever the place:
//
//        a a a a 0 0          line 0          place p of the result is numbered like the place of the image that its first tap
//        b b b b 0 0          line 1          would see without padding; numbers that lie in the zeros are computed and left out
//        0 0 0 0 0 0                          (before the first place and behind the last one a descriptor gives zeros)
//
// With a stride there is one such image for each remainder of the places, and a tap chooses among them. The phases of a transposed convolution have one image
// together: the same tap looks further on in one phase than in another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/window.h"
#include "partition/rewrite.h"

namespace ka::partition {

class ImageRows {
 public:
  // Nothing where the image is not worth that or cannot be laid out so; the decisions say why. `x` is [n, channels, places...], `filter` [1, channels * taps, features].
  static std::optional<ImageRows> of(Rewriting& here, ir::ValueId x, ir::ValueId filter, const ir::View& view);

  const ir::Sym& channels() const { return shape_.back(); }  // filled up to whole steps
  // [remainders..., n, lines..., channels] of x; zeros where there is no place.
  ir::ValueId laid_out(ir::Builder& b, ir::ValueId x) const;
  // One number for each image, [n, 1, ...], as it goes with such an image.
  ir::ValueId of_images(ir::Builder& b, ir::ValueId each) const;
  // [phases, n * places, taps * channels] of an image so laid out: the operand of the product.
  ir::ValueId windows(ir::Builder& b, ir::ValueId image) const;
  // What the product is told about it: how it looks at this layout.
  const ir::View& view() const { return view_; }

 private:
  explicit ImageRows(const ir::View& view) : given_(view.window), view_(view) {}
  bool sees_one_place(std::size_t d) const;
  ir::Window given_;  // as the convolution has it
  ir::View view_;     // one tap needs no stride and no padding: only the places that it sees are laid out
  ir::Shape shape_;
};

}  // namespace ka::partition

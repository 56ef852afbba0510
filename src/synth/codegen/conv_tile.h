// Convolutions of an image that partition/image_rows.h has laid out: a tile of the product is a block of the filter times a block of the image for each tap
// and each step of channels, and the copy engine brings both.
#pragma once

#include <optional>

#include "synth/codegen/family.h"

namespace ka::codegen {

// Nothing where the product is no such convolution, or where an operand lies in memory in another way.
std::optional<EmittedKernel> emit_conv_tile(const EmitRequest& request);

}  // namespace ka::codegen

// Resizing images, reading them along a grid, fold and unfold.
#include "graph/operators.h"

namespace ka::graph {
namespace {

constexpr Operator kOperators[] = {
    {"aten._upsample_nearest_exact1d.vec", "resized(input, output_size, scale_factors, 'exact')"},
    {"aten._upsample_nearest_exact2d.vec", "resized(input, output_size, scale_factors, 'exact')"},
    {"aten._upsample_nearest_exact3d.vec", "resized(input, output_size, scale_factors, 'exact')"},
    {"aten.affine_grid_generator.default", "affine_grid(theta, size, align_corners)"},
    {"aten.col2im.default", "folded(self, output_size, kernel_size, dilation, padding, stride)"},
    {"aten.grid_sampler.default", "grid_sampled(input, grid, interpolation_mode, padding_mode, align_corners)"},
    {"aten.grid_sampler_2d.default", "grid_sampled(input, grid, interpolation_mode, padding_mode, align_corners)"},
    {"aten.grid_sampler_3d.default", "grid_sampled(input, grid, interpolation_mode, padding_mode, align_corners)"},
    {"aten.im2col.default", "unfolded(self, kernel_size, dilation, padding, stride)"},
    {"aten.upsample_bicubic2d.default", "resized(self, output_size, [scales_h, scales_w], 'cubic', align_corners)"},
    {"aten.upsample_bicubic2d.vec", "resized(input, output_size, scale_factors, 'cubic', align_corners)"},
    {"aten.upsample_bilinear2d.default", "resized(self, output_size, [scales_h, scales_w], 'linear', align_corners)"},
    {"aten.upsample_bilinear2d.vec", "resized(input, output_size, scale_factors, 'linear', align_corners)"},
    {"aten.upsample_linear1d.default", "resized(self, output_size, [scales], 'linear', align_corners)"},
    {"aten.upsample_linear1d.vec", "resized(input, output_size, scale_factors, 'linear', align_corners)"},
    {"aten.upsample_nearest1d.default", "resized(self, output_size, [scales], 'nearest')"},
    {"aten.upsample_nearest1d.vec", "resized(input, output_size, scale_factors, 'nearest')"},
    {"aten.upsample_nearest2d.default", "resized(self, output_size, [scales_h, scales_w], 'nearest')"},
    {"aten.upsample_nearest2d.vec", "resized(input, output_size, scale_factors, 'nearest')"},
    {"aten.upsample_nearest3d.default", "resized(self, output_size, [scales_d, scales_h, scales_w], 'nearest')"},
    {"aten.upsample_nearest3d.vec", "resized(input, output_size, scale_factors, 'nearest')"},
    {"aten.upsample_trilinear3d.default", "resized(self, output_size, [scales_d, scales_h, scales_w], 'linear', align_corners)"},
    {"aten.upsample_trilinear3d.vec", "resized(input, output_size, scale_factors, 'linear', align_corners)"},
};

}  // namespace

std::span<const Operator> resample_operators() {
  return kOperators;
}

}  // namespace ka::graph

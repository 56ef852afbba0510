// What becomes of a finished tile of products: the epilogue, and the stores.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "synth/codegen/family.h"

namespace ka::codegen {

// Elementwise operations after the product; the factors that undo a scaling of its operands are not counted.
int epilogue_length(const EmitRequest& request);

// Stores the outputs of the kernel for a tile of the product, which is bound to its value in `values`. `points` says where the tile lies, `mask` which of it
// exists, `shape` how large it is; a value that does not vary along one of `axes` is spread over it.
void store_products(const EmitRequest& request, Body& values, const std::vector<ir::Sym>& points, const std::vector<std::set<std::string>>& axes,
                    const std::string& mask, const std::string& shape);

}  // namespace ka::codegen

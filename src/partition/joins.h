// Lists that grow by a tensor and are joined anew each time (the layers of a dense block): a long join begins with an earlier one. Then
// a kernel reads few pieces, however long the list is, and kernels of a long list are those of a short one.
#pragma once

#include <optional>

#include "partition/rewrite.h"

namespace ka::partition {

// As many pieces are looked at where an element is read; more are joined in memory first.
inline constexpr std::size_t kMostPieces = 4;

// The join of an earlier join and the rest, where the pieces are more than that and begin with those of an earlier join.
std::optional<ir::ValueId> joined_onto(Rewriting& here);

}  // namespace ka::partition

// What makes two programs the same work for a kernel: operators in their order, shapes, strides, dtypes and attributes at the given sizes. Names of files, values and weights, places
// in the text, and the other sizes at which a program was exported do not count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/exported.h"

namespace ka::graph {

// SHA-256 in hexadecimal. `tier`: how accurate the results must be, as it was asked for ("default", "fp32", ...).
std::string signature_of(const Exported& exported, std::string_view mode, std::string_view tier);

// The keywords by which a kernel takes the weights that the program reads, in the order of their first use: that of the signature.
std::vector<std::string> weight_keywords(const Exported& exported);
// How many inputs it takes by position.
std::size_t input_count(const Exported& exported);

}  // namespace ka::graph

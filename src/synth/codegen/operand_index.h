// At which index an operand is read when a value is wanted at an index.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace ka::codegen {

// i0, i1, ... as the expressions of a node name them.
std::map<std::string, ir::Sym> places_of(const std::vector<ir::Sym>& index);

// Of an operand of an elementwise node, as broadcasting has it.
std::vector<ir::Sym> at_operand(const ir::Graph& graph, ir::ValueId operand, const std::vector<ir::Sym>& index);

// The one number that a value is, everywhere.
std::optional<double> number_of(const ir::Graph& graph, ir::ValueId value);

// Of the operand of a view that shows its elements as they are; nothing where the value is no such view.
std::optional<std::vector<ir::Sym>> through_view(const ir::Graph& graph, ir::ValueId value, const std::vector<ir::Sym>& index);

}  // namespace ka::codegen

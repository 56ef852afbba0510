// What the kernels have in common that reduce rows: which points of a kernel's domain are rows and which are columns, and how tiles of them are reduced.
#pragma once

#include <string>
#include <vector>

#include "ir/plan.h"

namespace ka::codegen {

struct RowDomain {
  ir::Sym rows, columns;        // how many
  std::vector<ir::Sym> points;  // of the domain, in terms of `row` and `col`, both in row-major order
};
RowDomain row_domain(const ir::PlannedKernel& kernel);

// The index of an operand that is broadcast to the domain.
std::vector<ir::Sym> index_of_operand(const ir::Shape& shape, const std::vector<ir::Sym>& points);

// Whether an owned value has one element for each row.
bool is_per_row(const ir::PlannedKernel& kernel, const RowDomain& domain, ir::ValueId value);

// In which a reduction of such elements is made.
ir::DType accumulator_type(ir::DType dtype);
// What changes nothing, two tiles made into one, and a tile reduced along its columns: as Triton text, for sum, prod, max, min, any and all.
std::string identity(const std::string& kind, ir::DType dtype);
std::string combine_text(const std::string& kind, ir::DType accumulator, const std::string& a, const std::string& b);
std::string reduce_text(const std::string& kind, ir::DType accumulator, const std::string& x);

}  // namespace ka::codegen

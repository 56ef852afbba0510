// Products whose operands come by tensor descriptors: the GPU's copy engine brings a block of a matrix while the program goes on, and puts zeros where the
// block reaches over the matrix. It wants matrices that lie in memory as they are, in elements of 16 bits, with rows side by side in memory that begin at
// multiples of 16 bytes. Whether they do is seen at the given sizes when the kernel is written, and at every launch again (`blocks_of` in module.cc): where
// they do not, the same kernel reads by pointers. Nothing of it needs the GPU: descriptors are made on the host, as arguments of the launch.
#pragma once

#include <string>
#include <vector>

#include "synth/codegen/family.h"

namespace ka::codegen {

// An operand [batch, row, column] as it lies in memory.
struct Matrix {
  const Buffer* memory = nullptr;
  std::vector<ir::Sym> extents, strides;  // of the memory: batch where it varies with it, rows, columns; the last stride is 1
  bool transposed = false;                // a row of the memory is a column of the operand
  bool batched() const { return extents.size() == 3; }
};

struct Fetch {
  std::vector<Matrix> operands;  // as the product has them: left, right, rest of left, rest of right
  std::string refusal;           // why they are read by pointers; empty: they are not
};

// For these operands of a product. `context` says what the kernel computes itself.
Fetch fetch_of(const EmitRequest& request, const KernelContext& context, const std::vector<ir::ValueId>& operands);

// Whether neighbours in a row [batch, row, column] of an operand, wherever it lies, are neighbours in memory.
bool columns_lie_together(const EmitRequest& request, const KernelContext& context, ir::ValueId value);

// What the kernel is handed for an operand under this name; `rows` and `columns` are the constants that say how large a block is.
Blocks blocks_text(const Matrix& x, const std::string& name, const char* rows, const char* columns);

// Where a block of an operand is, and its sides, as Triton text.
struct Tile {
  std::string plane, top, side;
  std::string rows, columns;
};
// Triton text of the block of an operand, as the product wants it.
std::string fetched_text(const Matrix& x, const std::string& name, const Tile& tile);

}  // namespace ka::codegen

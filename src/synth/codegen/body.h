// The elementwise part of a kernel: from "this value at this index" to Triton text. A family writes loops, tiles and masks
// and asks for values; what lies between the value and memory (views, arithmetic, gathers, padding) is written here.
//
//   Body body(context, source);
//   body.variable("row", row, "row_ok");              // a tile of indices and the mask that says which exist
//   Operand x = body.value(v, {row, col});            // appends lines, returns the name of the result
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "synth/codegen/index_text.h"
#include "synth/codegen/source.h"

namespace ka::codegen {

struct Operand {
  std::string text;             // a name or a literal
  std::set<std::string> over;   // variables that it varies with: the axes of its tile
  bool literal = false;
};

// A tensor in memory: an argument or an intermediate value.
struct Buffer {
  std::string name;  // in the wrapper
  std::string role;  // what a kernel that reads it calls it: kernels that differ in names only are one kernel
  ir::DType dtype = ir::DType::float32;
  ir::Shape shape;
};

// What the kernels of one file share, and what one kernel has used so far.
struct KernelContext {
  const ir::Graph* graph = nullptr;
  const std::map<ir::ValueId, Buffer>* buffers = nullptr;  // everything that lies in memory
  std::set<ir::ValueId> owned;                             // what this kernel computes: never loaded
  std::vector<std::string> pointers;                       // buffers that the kernel reads or writes, in order of use
  std::vector<std::string> roles;                          // what the kernel calls them
  std::vector<std::string> sizes;                          // size symbols that it may need, in order of use
  std::vector<NamedSum> sums;                              // extents that it takes as one number
  bool uses_libdevice = false;

  // The memory of a value that may be loaded; null for what must be computed here.
  const Buffer* loadable(ir::ValueId value) const;
  // The name of the memory inside the kernel; what is written is `out` unless it has been read before.
  std::string use_pointer(const Buffer& buffer, bool written = false);
  void use_sizes(const ir::Sym& sym);
  ir::Sym with_sums(ir::Sym sym);
};

class Body {
 public:
  Body(KernelContext& context, Source& source);
  // A body inside a loop: knows what the outer one knows, and forgets its own at the end.
  Body(const Body& outer) = default;

  // A body inside a loop that is written after the mark: what does not vary in the loop is written there, before it. The mark lies
  // outside of all loops.
  Body in_loop(int mark) const;

  // Declares a tile of indices. `mask` is empty when all of them exist.
  void variable(const std::string& name, const std::string& mask);
  // A declared tile is one line of indices, `flat`, another variable, spread over the tile by `spread` ("[:, None]"). What varies with it alone is loaded as a
  // line: of a tile with one column each thread would load what it needs as often as it has columns.
  void line(const std::string& name, const ir::Sym& flat, const std::string& spread);
  // An index that is a number: in each turn of an unrolled loop, or in each program.
  void number(const std::string& name);
  // The value is known under a name, whatever the index.
  void bind(ir::ValueId value, Operand operand);

  // Floats of 16 bits come as float32.
  Operand value(ir::ValueId value, const std::vector<ir::Sym>& index);
  // The same where some of the points are not wanted: nothing is read for these that may lie outside. `inside` says which are, as expressions >= 0.
  Operand value(ir::ValueId value, const std::vector<ir::Sym>& index, const std::vector<ir::Sym>& inside);
  void store(ir::ValueId value, const Operand& operand, const std::vector<ir::Sym>& index);
  // A whole tile, under a mask of the family's own; also right where an axis of the tile has one element only.
  void store_tile(ir::ValueId value, const Operand& operand, const std::vector<ir::Sym>& index, const std::string& mask);
  // A load in the dtype of the memory, without widening; for operands of tl.dot. Elements that do not exist are 0.
  Operand raw(ir::ValueId value, const std::vector<ir::Sym>& index);

  // The masks of the variables that an operand varies with, joined; empty when none is needed.
  std::string mask_of(const std::set<std::string>& over) const;
  std::string mask_of(const std::vector<ir::Sym>& inside);
  // The text of an index expression, with the sizes it needs taken note of.
  std::string text(const ir::Sym& sym);
  std::set<std::string> variables_in(const ir::Sym& sym) const;
  // An operand as a name: literals become tiles without axes.
  Operand named(const Operand& operand, ir::DType dtype);
  Operand emit(const std::string& wish, const std::string& text, std::set<std::string> over);

 private:
  using Conditions = std::vector<ir::Sym>;
  struct Line {
    ir::Sym flat;
    std::string spread;
  };
  Operand at(ir::ValueId value, const std::vector<ir::Sym>& index, const Conditions& conditions, double fill);
  Operand node_at(ir::ValueId value, const ir::Node& node, const std::vector<ir::Sym>& index, const Conditions& conditions);
  Operand load(const Buffer& buffer, const std::vector<ir::Sym>& index, Conditions conditions, double fill, bool widen);
  Operand elementwise(ir::ValueId value, const ir::Node& node, const std::vector<ir::Sym>& index, const Conditions& conditions);
  Operand cast(const ir::Node& node, const Operand& x);
  Operand joined(ir::ValueId value, const ir::Node& node, const std::vector<ir::Sym>& index, const Conditions& conditions);
  Operand position(const ir::Sym& expression);
  std::string condition_text(const Conditions& conditions, std::set<std::string>& over);
  std::string comparison_text(const ir::Sym& condition);
  bool is_view_of_memory(ir::ValueId value, ir::DType dtype) const;
  std::string named_atom(const ir::Atom& atom, const std::string& text);
  bool is_known_outside(const ir::Sym& sym) const;
  std::string place_text(const std::string& role, const ir::Sym& offset);
  std::string summand_text(const ir::Sym& offset);

  KernelContext& context_;
  Source& source_;
  std::map<std::string, std::string> masks_;                  // variable -> mask
  std::map<std::string, Line> lines_;
  std::map<std::string, std::set<std::string>> over_;         // names that stand in index expressions -> variables
  std::map<ir::ValueId, Operand> bound_;
  std::map<std::string, Operand> known_;
  std::set<std::string> numbers_;                             // of the variables
  std::map<std::string, std::string> atoms_;                  // quotients and remainders that have a name here
  std::shared_ptr<std::map<std::string, std::string>> hoisted_ = std::make_shared<std::map<std::string, std::string>>();
  std::set<std::string> outside_;                             // names that are known before the loop
  int mark_ = -1;                                             // where the loop begins
  bool widens_ = true;  // loads of 16-bit floats
  Conditions wanted_;   // of the points that are computed; empty: all are
};

// "tl.float32"; the type in which values of a dtype are computed, and the one in which they lie in memory.
std::string triton_type(ir::DType dtype);
std::string compute_type(ir::DType dtype);
std::string literal_text(double value, ir::DType dtype);

}  // namespace ka::codegen

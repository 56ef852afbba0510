// The primitives: every operation of a program is lowered to these. One row says everything about one of them; an
// elementwise primitive is its row and nothing else.
//
// Structured primitives and their attributes (i0, i1, ... stand for the index of an element of the result):
//   constant {value}                       a number as a tensor without dimensions
//   index    {expression}                  int64; element = expression over i0, i1, ...
//   reshape  {shape}                       row-major order kept
//   permute  {dims}                        dimension d of the result is dimension dims[d] of the operand
//   remap    {shape, index, valid, fill}   element = operand[index] where all of `valid` are >= 0, else `fill`
//   gather   {shape, index}                element of operand 0 at index; t0, t1, ... stand for the elements of the other
//                                          operands, which have the shape of the result
//   cat      {dim}
//   reduce   {kind, dims}                  sum, prod, max, min, any, all, argmax, argmin; the dims stay with extent 1
//   scan     {kind, dim, reverse}          sum, prod, max, min, logsumexp
//   matmul   {}                            [b, m, k] x [b, k, n] -> [b, m, n]; two more operands are what the first two lack, whose
//                                          products with them are added where the first product is finite
//   order    {descending}                  int64: where the first elements of each row lie in this order, as many as the
//                                          result has columns; equal ones from left to right, NaN as the largest
//   recurrence {kind, reverse}             lstm, gru, tanh, relu: inputs' share of the gates [t, b, g*h], hidden weights
//                                          [g*h, h], initial state [b, h], then the initial cell (lstm) or the hidden bias (gru)
//                                          -> all states [t, b, h], all cells (lstm). With `layers` and `biases`, those above it
//                                          too, each with the same operands but gates, its input weights and so many biases
//                                          -> [layers, t, b, h]
//   random   {kind, p, q}                  drawn by PyTorch in the wrapper, in program order
//   unknown  {reason}                      an operator of PyTorch that cannot be imported, and why; nothing computes it
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/dtype.h"

namespace ka::ir {

// How a node may be fused: what one element of the result needs.
enum class Fusion {
  source,       // nothing: constants, indices
  elementwise,  // the same element of each operand
  view,         // one element elsewhere
  gather,       // one element at a place that other operands name
  reduce,       // all elements along some dimensions
  scan,         // all elements before it along a dimension
  contraction,  // a row of one operand and a column of the other
  opaque,       // anything: one kernel of its own
};

enum class ResultType {
  promoted,   // of the operands, as PyTorch promotes
  floating,   // promoted, and float32 for integers
  boolean,
  as_stated,  // by the node
};

struct Primitive {
  std::string_view name;
  Fusion fusion;
  int arity;              // -1: any number
  ResultType result;
  std::string_view text;  // elementwise: Triton text with {0}, {1}, ... for the operands
  std::string_view integer_text = {};  // where it differs for integers
  std::string_view boolean_text = {};  // where it differs for booleans
  double flops = 1;       // per element of the result
  std::string_view double_text = {};   // where it differs for float64
};

std::span<const Primitive> all_primitives();
const Primitive* find_primitive(std::string_view name);

}  // namespace ka::ir

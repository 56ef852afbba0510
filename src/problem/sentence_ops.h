// The operations that a sentence may name: one table of words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ka::problem {

enum class OpKind {
  unary, scalar, clamp, binary, bias,            // the shape stays
  reduce, scan, along, normalize,                // over a dimension
  layer_norm, batch_norm, group_norm,            // with weights of one
  matmul, dot, linear, conv, pool, global_pool,  // contractions and windows
  attention, transpose, loss, cross_entropy,
};

struct SentenceOp {
  std::string_view name;
  std::string_view words;  // spellings, separated by "|"; # is a number that belongs to it
  OpKind kind;
  // Python for `x`: {x} the value, {y} the second one, {n} the number, {dim} ", dim=1" or nothing. Of a layer: its class.
  std::string_view python;
  bool positive = false;  // defined for positive numbers only
  bool integers = false;  // works for integers too
};

std::span<const SentenceOp> sentence_ops();

// Takes a parameter of that name: "stride", "heads", "dim" ...
bool takes(OpKind kind, std::string_view parameter);

}  // namespace ka::problem

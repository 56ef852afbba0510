// What lies between the products of attention and its softmax, sorted by how often it must be computed: what is the same for all keys once, before the loop
// over them; a causal mask only in blocks at its edge; factors of all scores once, together with the change of base that exp2 wants. Factors are positive, so
// what is -inf behind them is -inf before them too.
//
//   scores = where(column <= row + span, product * scale, -inf)     mask: span;  inner: the product;  factors: scale
//   scores = where(allowed, product / sqrt(d), -inf)                  inner: the product;  hidden: where not allowed;  factors: 1 / sqrt(d)
//   scores = tanh(product / cap) * cap + slope[row]                 inner: the scores;  fixed: slope[row]
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "synth/codegen/body.h"
#include "synth/codegen/causal.h"

namespace ka::codegen {

using ValueAt = std::pair<ir::ValueId, std::vector<ir::Sym>>;

struct Factor {
  ValueAt value;
  bool divides = false;
};

// Scores are -inf where a condition holds, or where it does not.
struct Hidden {
  ValueAt condition;
  bool where_true = false;
};

struct ScorePlan {
  ValueAt inner;                   // the scores, divided by the factors and without the masks that lie on the way
  std::vector<Factor> factors;     // positive numbers that do not vary along the keys
  std::optional<CausalMask> mask;
  std::vector<Hidden> hidden;
  bool mask_is_last = false;       // it lies between the scores and `inner`; otherwise `inner` is computed from it
  std::vector<ValueAt> fixed;      // what `inner` is computed from that does not vary along the keys; no numbers
  int operations = 0;              // that are left for each score, loads included
};

// `product` is where the walk ends. `index` is where the scores are looked at, over the index symbols `row` and `column`.
ScorePlan plan_scores(const KernelContext& context, ir::ValueId product, const ValueAt& scores, const ir::Sym& row, const ir::Sym& column);

// What `value` is computed from, down to `end`, that does not vary along `column`.
std::vector<ValueAt> fixed_along(const KernelContext& context, ir::ValueId end, const ValueAt& value, const ir::Sym& column);

}  // namespace ka::codegen

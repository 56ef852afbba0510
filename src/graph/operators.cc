#include "graph/operators.h"

#include <algorithm>

namespace ka::graph {
namespace {

constexpr OperatorAlias kAliases[] = {
    {"aten.__and__", "aten.bitwise_and"},
    {"aten.__or__", "aten.bitwise_or"},
    {"aten.__xor__", "aten.bitwise_xor"},
    {"aten.absolute", "aten.abs"},
    {"aten.adjoint", "aten.mT"},
    {"aten.arccos", "aten.acos"},
    {"aten.arccosh", "aten.acosh"},
    {"aten.arcsin", "aten.asin"},
    {"aten.arcsinh", "aten.asinh"},
    {"aten.arctan", "aten.atan"},
    {"aten.arctan2", "aten.atan2"},
    {"aten.arctanh", "aten.atanh"},
    {"aten.clip", "aten.clamp"},
    {"aten.concat", "aten.cat"},
    {"aten.concatenate", "aten.cat"},
    {"aten.divide", "aten.div"},
    {"aten.fix", "aten.trunc"},
    {"aten.greater", "aten.gt"},
    {"aten.greater_equal", "aten.ge"},
    {"aten.less", "aten.lt"},
    {"aten.less_equal", "aten.le"},
    {"aten.mH", "aten.mT"},
    {"aten.matrix_H", "aten.mT"},
    {"aten.moveaxis", "aten.movedim"},
    {"aten.multiply", "aten.mul"},
    {"aten.negative", "aten.neg"},
    {"aten.not_equal", "aten.ne"},
    {"aten.special_digamma", "aten.digamma"},
    {"aten.special_erf", "aten.erf"},
    {"aten.special_erfc", "aten.erfc"},
    {"aten.special_erfinv", "aten.erfinv"},
    {"aten.special_exp2", "aten.exp2"},
    {"aten.special_expit", "aten.sigmoid"},
    {"aten.special_expm1", "aten.expm1"},
    {"aten.special_gammaln", "aten.lgamma"},
    {"aten.special_i0", "aten.i0"},
    {"aten.special_log1p", "aten.log1p"},
    {"aten.special_logit", "aten.logit"},
    {"aten.special_logsumexp", "aten.logsumexp"},
    {"aten.special_psi", "aten.digamma"},
    {"aten.special_round", "aten.round"},
    {"aten.special_sinc", "aten.sinc"},
    {"aten.subtract", "aten.sub"},
    {"aten.true_divide", "aten.div"},
};

const Operator* find_row(std::string_view spelling) {
  for (const std::span<const Operator> group : operator_groups()) {
    for (const Operator& row : group) {
      if (row.spelling == spelling) return &row;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<std::span<const Operator>> operator_groups() {
  return {pointwise_operators(), view_operators(),      reduce_operators(),   contraction_operators(), network_operators(),
          recurrent_operators(), resample_operators(),  scatter_operators(),  sort_operators()};
}

std::span<const OperatorAlias> operator_aliases() {
  return kAliases;
}

const Operator* find_operator(std::string_view spelling) {
  if (const Operator* row = find_row(spelling)) return row;
  const std::size_t dot = spelling.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  for (const OperatorAlias& alias : kAliases) {
    if (alias.name == spelling.substr(0, dot)) return find_row(std::string(alias.same_as) + std::string(spelling.substr(dot)));
  }
  return nullptr;
}

std::vector<std::string> operator_spellings() {
  std::vector<std::string> out;
  for (const std::span<const Operator> group : operator_groups()) {
    for (const Operator& row : group) {
      out.emplace_back(row.spelling);
      const std::size_t dot = row.spelling.rfind('.');
      for (const OperatorAlias& alias : kAliases) {
        if (alias.same_as == row.spelling.substr(0, dot)) out.push_back(std::string(alias.name) + std::string(row.spelling.substr(dot)));
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ka::graph

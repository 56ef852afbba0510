// Walks over expressions: substitution, evaluation, the symbols in them, and row-major offsets.
#include <algorithm>
#include <numeric>

#include "ir/sym.h"

namespace ka::ir {
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

Sym product(const std::vector<Sym>& factors) {
  return std::accumulate(factors.begin(), factors.end(), Sym(1), [](const Sym& a, const Sym& b) { return a * b; });
}

namespace {

Sym applied(AtomKind kind, const Sym& a, const Sym& b) {
  switch (kind) {
    case AtomKind::floor_div: return floor_div(a, b);
    case AtomKind::modulo: return modulo(a, b);
    case AtomKind::minimum: return minimum(a, b);
    case AtomKind::maximum: return maximum(a, b);
    case AtomKind::size:
    case AtomKind::index: break;
  }
  KA_CHECK(false);
  return 0;
}

Sym substitute_atom(const AtomRef& atom, const std::map<std::string, Sym>& values) {
  if (atom->kind == AtomKind::size || atom->kind == AtomKind::index) {
    auto found = values.find(atom->name);
    return found == values.end() ? Sym::of(atom) : found->second;
  }
  return applied(atom->kind, substitute(atom->operands[0], values), substitute(atom->operands[1], values));
}

void collect(const Sym& a, std::map<std::string, AtomRef>& found) {
  for (const Term& term : a.terms()) {
    for (const AtomRef& atom : term.atoms) {
      if (atom->kind == AtomKind::size || atom->kind == AtomKind::index) {
        found.emplace(atom->name, atom);
      } else {
        for (const Sym& operand : atom->operands) collect(operand, found);
      }
    }
  }
}

std::optional<std::int64_t> evaluate_atom(const Atom& atom, const std::map<std::string, std::int64_t>& values) {
  if (atom.kind == AtomKind::size || atom.kind == AtomKind::index) {
    auto found = values.find(atom.name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  }
  const std::optional<std::int64_t> a = evaluate(atom.operands[0], values), b = evaluate(atom.operands[1], values);
  if (!a || !b) return std::nullopt;
  const bool divides = atom.kind == AtomKind::floor_div || atom.kind == AtomKind::modulo;
  if (divides && (*b == 0 || (*b == -1 && *a == INT64_MIN))) return std::nullopt;
  if (atom.kind == AtomKind::floor_div) return floor_quotient(*a, *b);
  if (atom.kind == AtomKind::modulo) return *a % *b != 0 && (*a < 0) != (*b < 0) ? *a % *b + *b : *a % *b;
  return atom.kind == AtomKind::minimum ? std::min(*a, *b) : std::max(*a, *b);
}

}  // namespace

Sym substitute(const Sym& a, const std::map<std::string, Sym>& values) {
  Sym out;
  for (const Term& term : a.terms()) {
    Sym part = term.coefficient;
    for (const AtomRef& atom : term.atoms) part = part * substitute_atom(atom, values);
    out = out + part;
  }
  return out;
}

std::vector<AtomRef> symbols(const Sym& a) {
  std::map<std::string, AtomRef> found;
  collect(a, found);
  std::vector<AtomRef> out;
  for (auto& [name, atom] : found) out.push_back(atom);
  return out;
}

bool depends_on(const Sym& a, const std::string& name) {
  const std::vector<AtomRef> found = symbols(a);
  return std::any_of(found.begin(), found.end(), [&](const AtomRef& atom) { return atom->name == name; });
}

std::optional<std::int64_t> evaluate(const Sym& a, const std::map<std::string, std::int64_t>& values) {
  std::int64_t out = 0;
  for (const Term& term : a.terms()) {
    std::int64_t part = term.coefficient;
    for (const AtomRef& atom : term.atoms) {
      const std::optional<std::int64_t> value = evaluate_atom(*atom, values);
      if (!value) return std::nullopt;
      if (__builtin_mul_overflow(part, *value, &part)) return std::nullopt;
    }
    if (__builtin_add_overflow(out, part, &out)) return std::nullopt;
  }
  return out;
}

Sym linearize(const std::vector<Sym>& index, const std::vector<Sym>& shape) {
  KA_CHECK(index.size() == shape.size());
  Sym out;
  for (std::size_t d = 0; d < shape.size(); ++d) out = out * shape[d] + index[d];
  return out;
}

std::vector<Sym> delinearize(const Sym& offset, const std::vector<Sym>& shape) {
  std::vector<Sym> out(shape.size());
  Sym below = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const Sym above = floor_div(offset, below);
    out[d] = d == 0 ? above : modulo(above, shape[d]);
    below = below * shape[d];
  }
  return out;
}

}  // namespace ka::ir

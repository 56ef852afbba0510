// What can be shown about the sign of an expression: indices are replaced by the ends of their ranges, sizes by 1 + something
// nonnegative, and a polynomial whose coefficients are then all positive is nonnegative.
#include <algorithm>
#include <map>
#include <optional>

#include "ir/misfit.h"
#include "ir/sym.h"

namespace ka::ir {

Sym from_terms(std::vector<Term> terms);

namespace {

bool atom_is_nonnegative(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::size:
    case AtomKind::index:
    case AtomKind::modulo: return true;
    case AtomKind::floor_div: return is_nonnegative(atom.operands[0]);
    case AtomKind::minimum: return is_nonnegative(atom.operands[0]) && is_nonnegative(atom.operands[1]);
    case AtomKind::maximum: return is_nonnegative(atom.operands[0]) || is_nonnegative(atom.operands[1]);
  }
  return false;
}

bool mentions_index(const Sym& a) {
  const std::vector<AtomRef> found = symbols(a);
  return std::any_of(found.begin(), found.end(), [](const AtomRef& atom) { return atom->kind == AtomKind::index; });
}

// The largest value of an atom in terms of sizes alone.
std::optional<Sym> largest(const AtomRef& atom);
std::optional<Sym> bound(const Sym& a, bool upper);

std::optional<Sym> largest(const AtomRef& atom) {
  switch (atom->kind) {
    case AtomKind::size: return Sym::of(atom);
    case AtomKind::index: return bound(atom->operands[0], true).value_or(atom->operands[0]) - 1;
    case AtomKind::modulo: return bound(atom->operands[1] - 1, true);
    case AtomKind::floor_div: {
      if (!mentions_index(Sym::of(atom))) return Sym::of(atom);
      const std::optional<Sym> top = bound(atom->operands[0], true);
      if (!top || mentions_index(atom->operands[1])) return std::nullopt;
      return floor_div(*top, atom->operands[1]);
    }
    case AtomKind::minimum:
    case AtomKind::maximum: break;
  }
  if (!mentions_index(Sym::of(atom))) return Sym::of(atom);
  return std::nullopt;
}

// A value of sizes alone that `a` never exceeds (upper) or never falls below; nothing when none is found.
std::optional<Sym> bound(const Sym& a, bool upper) {
  Sym out;
  for (const Term& term : a.terms()) {
    const Sym whole = from_terms({term});
    if (!mentions_index(whole)) {
      out = out + whole;
      continue;
    }
    for (const AtomRef& atom : term.atoms) {
      if (!atom_is_nonnegative(*atom)) return std::nullopt;
    }
    if ((term.coefficient > 0) != upper) continue;  // a product of nonnegative atoms that can be 0
    Sym part = term.coefficient;
    for (const AtomRef& atom : term.atoms) {
      const std::optional<Sym> top = largest(atom);
      if (!top) return std::nullopt;
      part = part * *top;
    }
    out = out + part;
  }
  return out;
}

// What is subtracted as a remainder is at most one less than its divisor.
Sym with_largest_remainders(const Sym& a) {
  Sym out;
  for (const Term& term : a.terms()) {
    const bool remainder = term.atoms.size() == 1 && term.atoms[0]->kind == AtomKind::modulo;
    out = out + (remainder && term.coefficient < 0 ? (term.atoms[0]->operands[1] - 1) * term.coefficient : from_terms({term}));
  }
  return out;
}

}  // namespace

bool is_nonnegative(const Sym& a) try {
  std::optional<Sym> low = mentions_index(a) ? bound(a, false) : a;
  if (!low) return false;
  low = with_largest_remainders(*low);
  // every size is 1 + something nonnegative: a polynomial in these with nonnegative coefficients is nonnegative
  std::map<std::string, Sym> shifted;
  for (const AtomRef& atom : symbols(*low)) shifted[atom->name] = Sym::size(atom->name) + 1;
  std::vector<Term> terms;
  for (const Term& term : low->terms()) {
    Sym part = term.coefficient;
    for (const AtomRef& atom : term.atoms) {
      if (atom->kind == AtomKind::size) {
        part = part * shifted[atom->name];
      } else if (atom_is_nonnegative(*atom)) {
        part = part * Sym::of(atom);
      } else {
        return false;
      }
    }
    terms.insert(terms.end(), part.terms().begin(), part.terms().end());
  }
  const Sym total = from_terms(std::move(terms));
  return std::all_of(total.terms().begin(), total.terms().end(), [](const Term& term) { return term.coefficient > 0; });
} catch (const Misfit&) {  // of numbers that large nothing is shown
  return false;
}

}  // namespace ka::ir

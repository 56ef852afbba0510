// Symbolic integers: sizes and indices of tensors, always in normal form.
//
//   Sym n = Sym::size("n"), c = Sym::size("c");
//   Sym i = Sym::index("i", n * c);            // 0 <= i < n * c
//   floor_div(i, c) * c + modulo(i, c) == i    // true
//   Sym r = Sym::index("r", n), k = Sym::index("k", c);
//   floor_div(r * c + k, c) == r               // true: k is known to be smaller than c
//
// A Sym is a polynomial with integer coefficients over atoms; an atom is a size (at least 1), an index (0 up to its
// extent), or a quotient, remainder, minimum or maximum of two Syms. Two equal Syms have the same text, and the text is a
// Python expression. Values are small and copied freely. Numbers that become too large for one throw a Misfit, and so does a negative divisor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ka::ir {

class Sym;

enum class AtomKind { size, index, floor_div, modulo, minimum, maximum };

struct Atom {
  AtomKind kind;
  std::string name;               // size, index
  std::vector<Sym> operands;      // index: its extent; otherwise the two operands
  std::string text;               // also the identity of the atom
  std::uint64_t hash = 0;         // of the text and of the extents of all indices in it
};
using AtomRef = std::shared_ptr<const Atom>;

struct Term {
  std::int64_t coefficient = 0;
  std::vector<AtomRef> atoms;  // sorted by text; empty for the constant
};

class Sym {
 public:
  Sym() = default;  // zero
  Sym(std::int64_t constant);  // NOLINT: a number is a Sym
  static Sym size(const std::string& name);
  static Sym index(const std::string& name, const Sym& extent);
  static Sym of(AtomRef atom);

  const std::vector<Term>& terms() const { return terms_; }
  bool is_constant() const { return terms_.empty() || (terms_.size() == 1 && terms_[0].atoms.empty()); }
  // The value of a constant; nothing for anything else.
  std::optional<std::int64_t> constant() const;
  bool is(std::int64_t value) const { return constant() == value; }
  // The one atom that this is, null for anything else.
  AtomRef atom() const;

  friend Sym operator+(const Sym& a, const Sym& b);
  friend Sym operator-(const Sym& a, const Sym& b);
  friend Sym operator*(const Sym& a, const Sym& b);
  friend bool operator==(const Sym& a, const Sym& b);

  // "n*c + 2", a Python expression; sums in brackets where an operand needs them.
  std::string text() const;
  // The same in a language that writes atoms in another way.
  using AtomText = std::function<std::string(const Atom&)>;
  std::string text(const AtomText& atom_text) const;
  // Whether it needs no brackets where it becomes an operand of * // %.
  bool is_plain() const;
  std::string operand_text() const { return is_plain() ? text() : "(" + text() + ")"; }

 private:
  friend Sym from_terms(std::vector<Term> terms);
  std::vector<Term> terms_;  // sorted by their atoms' text; no zero coefficients
};

// Of everything that decides what an expression simplifies to: equal expressions over indices of other extents differ.
std::uint64_t hash_of(const Sym& a);

// Towards minus infinity.
std::int64_t floor_quotient(std::int64_t a, std::int64_t b);
// Quotient and remainder as Python's // and %; the divisor is a positive size.
Sym floor_div(const Sym& a, const Sym& b);
Sym modulo(const Sym& a, const Sym& b);
Sym ceil_div(const Sym& a, const Sym& b);
Sym minimum(const Sym& a, const Sym& b);
Sym maximum(const Sym& a, const Sym& b);
Sym product(const std::vector<Sym>& factors);

// True when it can be shown that a >= 0 (a <= b) for all sizes >= 1 and all indices within their extents.
bool is_nonnegative(const Sym& a);
inline bool is_at_most(const Sym& a, const Sym& b) { return is_nonnegative(b - a); }

// The same expression with sizes and indices replaced by name; names that are not in the map stay.
Sym substitute(const Sym& a, const std::map<std::string, Sym>& values);
// Sizes and indices in it, by name, sorted, each once. Extents of indices do not count.
std::vector<AtomRef> symbols(const Sym& a);
bool depends_on(const Sym& a, const std::string& name);

// The number, when every symbol has one; nothing otherwise, when a divisor is zero, or when it is too large to be told.
std::optional<std::int64_t> evaluate(const Sym& a, const std::map<std::string, std::int64_t>& values);

// Row-major: the offset of an index in a shape, and the index at an offset.
Sym linearize(const std::vector<Sym>& index, const std::vector<Sym>& shape);
std::vector<Sym> delinearize(const Sym& offset, const std::vector<Sym>& shape);

}  // namespace ka::ir

// The normal form is a sorted sum of terms. Quotients and remainders are taken apart at construction:
//
//   floor_div(q*b + r, b) = q + floor_div(r, b)      for every whole q, and 0 <= r < b makes the last part vanish
//   modulo(q*b + r, b)    = modulo(r, b)             and r itself when 0 <= r < b
//   b*floor_div(a, b) + modulo(a, b) = a             recognised in sums, so that a reshape undoes a reshape
//
// What is known about a symbol (a size is at least 1, an index lies below its extent) travels with its atom, so no
// context has to be passed along.
#include "ir/sym.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "ir/misfit.h"

namespace ka::ir {

namespace {

bool same_atoms(const std::vector<AtomRef>& a, const std::vector<AtomRef>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const AtomRef& x, const AtomRef& y) { return x->text == y->text; });
}

// Atoms in the order of their text; the constant comes last because readers expect "n + 1".
bool term_before(const Term& a, const Term& b) {
  if (a.atoms.empty() != b.atoms.empty()) return b.atoms.empty();
  return std::lexicographical_compare(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end(),
                                      [](const AtomRef& x, const AtomRef& y) { return x->text < y->text; });
}

constexpr const char* kTooLarge = "a number is too large";

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  require(!__builtin_add_overflow(a, b, &out), kTooLarge);
  return out;
}

std::int64_t product_of(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  require(!__builtin_mul_overflow(a, b, &out), kTooLarge);
  return out;
}

std::uint64_t magnitude(std::int64_t a) { return a < 0 ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a); }

Term multiply(const Term& a, const Term& b) {
  Term out{product_of(a.coefficient, b.coefficient), a.atoms};
  out.atoms.insert(out.atoms.end(), b.atoms.begin(), b.atoms.end());
  std::sort(out.atoms.begin(), out.atoms.end(), [](const AtomRef& x, const AtomRef& y) { return x->text < y->text; });
  return out;
}

// a / b when it is a whole term.
std::optional<Term> divide(const Term& a, const Term& b) {
  if (b.coefficient == 0 || (b.coefficient == -1 && a.coefficient == INT64_MIN) || a.coefficient % b.coefficient != 0) return std::nullopt;
  Term out{a.coefficient / b.coefficient, a.atoms};
  for (const AtomRef& atom : b.atoms) {
    auto found = std::find_if(out.atoms.begin(), out.atoms.end(), [&](const AtomRef& x) { return x->text == atom->text; });
    if (found == out.atoms.end()) return std::nullopt;
    out.atoms.erase(found);
  }
  return out;
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9E3779B97F4A7C15U + (seed << 6) + (seed >> 2);
  seed ^= seed >> 31;
  return seed * 0xBF58476D1CE4E5B9U;
}

std::string function_text(AtomKind kind, const Sym& a, const Sym& b) {
  switch (kind) {
    case AtomKind::floor_div: return fmt::format("({} // {})", a.operand_text(), b.operand_text());
    case AtomKind::modulo: return fmt::format("({} % {})", a.operand_text(), b.operand_text());
    case AtomKind::minimum: return fmt::format("min({}, {})", a.text(), b.text());
    case AtomKind::maximum: return fmt::format("max({}, {})", a.text(), b.text());
    case AtomKind::size:
    case AtomKind::index: break;
  }
  return "";
}

Sym function_atom(AtomKind kind, const Sym& a, const Sym& b) {
  const std::uint64_t hash = mixed(mixed(static_cast<std::uint64_t>(kind) + 1, hash_of(a)), hash_of(b));
  return Sym::of(std::make_shared<Atom>(Atom{kind, "", {a, b}, function_text(kind, a, b), hash}));
}

}  // namespace

std::uint64_t hash_of(const Sym& a) {
  std::uint64_t out = 17;
  for (const Term& term : a.terms()) {
    out = mixed(out, static_cast<std::uint64_t>(term.coefficient));
    for (const AtomRef& atom : term.atoms) out = mixed(out, atom->hash);
  }
  return out;
}

// Sorts, joins equal monomials, and turns m*b*(a // b) + m*(a % b) back into m*a.
Sym from_terms(std::vector<Term> terms);

namespace {

std::vector<Term> joined(std::vector<Term> terms) {
  std::stable_sort(terms.begin(), terms.end(), term_before);
  std::vector<Term> out;
  for (Term& term : terms) {
    if (!out.empty() && same_atoms(out.back().atoms, term.atoms)) {
      out.back().coefficient = sum_of(out.back().coefficient, term.coefficient);
    } else {
      out.push_back(std::move(term));
    }
    if (out.back().coefficient == 0) out.pop_back();
  }
  return out;
}

bool contains(const std::vector<Term>& terms, const Sym& wanted) {
  return std::all_of(wanted.terms().begin(), wanted.terms().end(), [&](const Term& need) {
    return std::any_of(terms.begin(), terms.end(), [&](const Term& have) {
      return have.coefficient == need.coefficient && same_atoms(have.atoms, need.atoms);
    });
  });
}

// One recomposition, if there is one: the terms without the pair, and what takes its place.
std::optional<Sym> recompose(const std::vector<Term>& terms) {
  for (const Term& term : terms) {
    for (const AtomRef& atom : term.atoms) {
      if (atom->kind != AtomKind::modulo) continue;
      const Term factor = *divide(term, Term{1, {atom}});
      const Sym rest = from_terms({factor});
      const Sym quotient = floor_div(atom->operands[0], atom->operands[1]);
      const Sym partner = rest * atom->operands[1] * quotient;
      if (partner.terms().empty() || !contains(terms, partner)) continue;
      std::vector<Term> all = terms;
      for (const Term& minus : partner.terms()) all.push_back(Term{product_of(-1, minus.coefficient), minus.atoms});
      all.push_back(Term{product_of(-1, term.coefficient), term.atoms});
      return from_terms(std::move(all)) + rest * atom->operands[0];
    }
  }
  return std::nullopt;
}

}  // namespace

Sym from_terms(std::vector<Term> terms) {
  Sym out;
  out.terms_ = joined(std::move(terms));
  const bool has_pair = out.terms_.size() > 1;
  if (has_pair) {
    if (std::optional<Sym> simpler = recompose(out.terms_)) return *simpler;
  }
  return out;
}

Sym::Sym(std::int64_t constant) {
  if (constant != 0) terms_.push_back(Term{constant, {}});
}

Sym Sym::of(AtomRef atom) {
  Sym out;
  out.terms_.push_back(Term{1, {std::move(atom)}});
  return out;
}

Sym Sym::size(const std::string& name) {
  return of(std::make_shared<Atom>(Atom{AtomKind::size, name, {}, name, mixed(11, std::hash<std::string>()(name))}));
}

Sym Sym::index(const std::string& name, const Sym& extent) {
  if (extent.is(1)) return 0;
  const std::uint64_t hash = mixed(mixed(13, std::hash<std::string>()(name)), hash_of(extent));
  return of(std::make_shared<Atom>(Atom{AtomKind::index, name, {extent}, name, hash}));
}

std::optional<std::int64_t> Sym::constant() const {
  if (terms_.empty()) return 0;
  if (is_constant()) return terms_[0].coefficient;
  return std::nullopt;
}

AtomRef Sym::atom() const {
  const bool single = terms_.size() == 1 && terms_[0].coefficient == 1 && terms_[0].atoms.size() == 1;
  return single ? terms_[0].atoms[0] : nullptr;
}

Sym operator+(const Sym& a, const Sym& b) {
  std::vector<Term> terms = a.terms_;
  terms.insert(terms.end(), b.terms_.begin(), b.terms_.end());
  return from_terms(std::move(terms));
}

Sym operator-(const Sym& a, const Sym& b) {
  return a + b * Sym(-1);
}

Sym operator*(const Sym& a, const Sym& b) {
  std::vector<Term> terms;
  for (const Term& x : a.terms_) {
    for (const Term& y : b.terms_) terms.push_back(multiply(x, y));
  }
  return from_terms(std::move(terms));
}

bool operator==(const Sym& a, const Sym& b) {
  return std::equal(a.terms_.begin(), a.terms_.end(), b.terms_.begin(), b.terms_.end(), [](const Term& x, const Term& y) {
    return x.coefficient == y.coefficient && same_atoms(x.atoms, y.atoms);
  });
}

std::string Sym::text() const {
  return text([](const Atom& atom) { return atom.text; });
}

std::string Sym::text(const AtomText& atom_text) const {
  if (terms_.empty()) return "0";
  std::string out;
  for (const Term& term : terms_) {
    const std::uint64_t size = magnitude(term.coefficient);
    std::string body = term.atoms.empty() || size != 1 ? fmt::format("{}", size) : "";
    for (const AtomRef& atom : term.atoms) body += (body.empty() ? "" : "*") + atom_text(*atom);
    if (out.empty()) {
      out = term.coefficient < 0 ? "-" + body : body;
    } else {
      out += (term.coefficient < 0 ? " - " : " + ") + body;
    }
  }
  return out;
}

bool Sym::is_plain() const {
  return terms_.empty() || (terms_.size() == 1 && terms_[0].coefficient >= 0 &&
                            (terms_[0].atoms.empty() || (terms_[0].coefficient == 1 && terms_[0].atoms.size() == 1)));
}

namespace {

struct Division {
  Sym quotient, remainder;
};

bool has_huge_coefficient(const Sym& a) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  return std::any_of(a.terms().begin(), a.terms().end(), [](const Term& t) { return t.coefficient > kHuge || t.coefficient < -kHuge; });
}

// Long division by the term of b with the most atoms. For a single-term b the remainder holds what is not divisible. A division
// that leads nowhere (its remainder grows) is given up.
Division long_division(const Sym& a, const Sym& b) try {
  const Term& lead = *std::max_element(b.terms().begin(), b.terms().end(),
                                       [](const Term& x, const Term& y) { return x.atoms.size() < y.atoms.size(); });
  Division out{0, a};
  constexpr int kMostSteps = 64;
  for (int step = 0; step < kMostSteps; ++step) {
    bool found = false;
    for (const Term& term : out.remainder.terms()) {
      const std::optional<Term> ratio = divide(term, lead);
      if (!ratio) continue;
      const Sym q = from_terms({*ratio});
      out.quotient = out.quotient + q;
      out.remainder = out.remainder - q * b;
      if (has_huge_coefficient(out.remainder)) return Division{0, a};
      found = true;
      break;
    }
    if (!found) return out;
  }
  return Division{0, a};
} catch (const Misfit&) {  // it grows beyond what a number can be
  return Division{0, a};
}

bool is_below(const Sym& r, const Sym& b) {
  return is_nonnegative(r) && is_nonnegative(b - r - 1);
}

std::int64_t common_factor(const Sym& a) {
  std::uint64_t g = 0;
  for (const Term& term : a.terms()) g = std::gcd(g, magnitude(term.coefficient));
  return g > INT64_MAX ? 1 : static_cast<std::int64_t>(g);
}

Sym divided(const Sym& a, std::int64_t g) {
  std::vector<Term> terms = a.terms();
  for (Term& term : terms) term.coefficient /= g;
  return from_terms(std::move(terms));
}

// Takes whole multiples of b out of a: first a constant part, then by long division.
Division reduce(const Sym& a, const Sym& b) {
  Division parts = long_division(a, b);
  if (b.terms().size() > 1 && !parts.remainder.terms().empty() && !is_below(parts.remainder, b)) return Division{0, a};
  if (b.constant() && !is_below(parts.remainder, b)) {  // n + 7 by 4: one more, and n + 3 is left
    for (const Term& term : parts.remainder.terms()) {
      if (!term.atoms.empty()) continue;
      const std::int64_t q = floor_quotient(term.coefficient, *b.constant());
      parts.quotient = parts.quotient + q;
      parts.remainder = parts.remainder - Sym(q) * *b.constant();
      break;
    }
  }
  return parts;
}

}  // namespace

namespace {

// (g*q + r) // (g*d) is q // d when 0 <= r < g. The factors of the divisor that are worth a try.
std::vector<Term> factors_of(const Sym& a, const Term& divisor) {
  std::vector<Term> out;
  for (const Term& term : a.terms()) {  // 32*b*n + r by 128*n: r may be below 32*n
    const std::int64_t shared = static_cast<std::int64_t>(std::gcd(magnitude(term.coefficient), magnitude(divisor.coefficient)) & INT64_MAX);
    if (shared <= 1 || shared >= divisor.coefficient) continue;
    if (divide(Term{1, term.atoms}, Term{1, divisor.atoms})) out.push_back({shared, divisor.atoms});
    out.push_back({shared, {}});
  }
  if (divisor.coefficient > 1 && !divisor.atoms.empty()) out.push_back({divisor.coefficient, {}});
  for (std::size_t skip = 0; skip < divisor.atoms.size(); ++skip) {
    if (divisor.atoms.size() == 1 && divisor.coefficient == 1) break;
    Term one{1, {divisor.atoms[skip]}}, others{divisor.coefficient, divisor.atoms};
    others.atoms.erase(others.atoms.begin() + static_cast<std::ptrdiff_t>(skip));
    out.push_back(others);
    out.push_back(one);
    if (divisor.coefficient > 1) out.push_back({divisor.coefficient, {divisor.atoms[skip]}});
  }
  return out;
}

std::optional<Sym> divided_in_two_steps(const Sym& a, const Sym& b) {
  if (b.terms().size() != 1 || a.terms().size() < 2) return std::nullopt;
  for (const Term& factor : factors_of(a, b.terms()[0])) {
    const Sym g = from_terms({factor});
    const Division parts = long_division(a, g);
    if (parts.quotient.is(0) || parts.remainder.is(0) || !is_below(parts.remainder, g)) continue;
    return floor_div(parts.quotient, from_terms({*divide(b.terms()[0], factor)}));
  }
  return std::nullopt;
}

}  // namespace

namespace {

// A quotient is asked for again and again: to see whether a remainder has its partner, every sum divides. Without a memory
// the questions multiply with each level of nesting.
using Known = std::unordered_map<std::uint64_t, std::array<Sym, 3>>;
constexpr std::size_t kMostKnown = 1 << 16;

template <typename Compute>
Sym remembered(Known& known, const Sym& a, const Sym& b, Compute compute) {
  const std::uint64_t key = mixed(hash_of(a), hash_of(b));
  if (const auto found = known.find(key); found != known.end() && found->second[0] == a && found->second[1] == b) return found->second[2];
  const Sym out = compute();
  if (known.size() >= kMostKnown) known.clear();
  known[key] = {a, b, out};
  return out;
}

Sym quotient_of(const Sym& a, const Sym& b) {
  const Division parts = reduce(a, b);
  if (is_below(parts.remainder, b)) return parts.quotient;
  if (is_below(parts.remainder + b, b)) return parts.quotient - 1;
  Sym rest = parts.remainder, divisor = b;
  const std::int64_t g = std::gcd(common_factor(rest), common_factor(divisor));
  if (g > 1) {
    rest = divided(rest, g);
    divisor = divided(divisor, g);
    if (divisor.is(1)) return parts.quotient + rest;
  }
  if (const std::optional<Sym> simpler = divided_in_two_steps(rest, divisor)) return parts.quotient + *simpler;
  if (const AtomRef inner = rest.atom(); inner && inner->kind == AtomKind::floor_div) {
    return parts.quotient + floor_div(inner->operands[0], inner->operands[1] * divisor);
  }
  return parts.quotient + function_atom(AtomKind::floor_div, rest, divisor);
}

Sym remainder_of(const Sym& a, const Sym& b) {
  const Sym rest = reduce(a, b).remainder;
  if (is_below(rest, b)) return rest;
  if (const AtomRef inner = rest.atom(); inner && inner->kind == AtomKind::modulo) {
    const Division parts = long_division(inner->operands[1], b);
    if (parts.remainder.is(0)) return modulo(inner->operands[0], b);  // (x % (k*b)) % b
  }
  return function_atom(AtomKind::modulo, rest, b);
}

}  // namespace

Sym floor_div(const Sym& a, const Sym& b) {
  if (b.is(1) || a.is(0)) return a;
  if (a.constant() && b.constant() && *b.constant() > 0) return floor_quotient(*a.constant(), *b.constant());
  if (b.terms().empty()) return function_atom(AtomKind::floor_div, a, b);
  require(b.constant().value_or(1) > 0, "a divisor is negative");
  static thread_local Known known;
  return remembered(known, a, b, [&] { return quotient_of(a, b); });
}

Sym modulo(const Sym& a, const Sym& b) {
  if (b.is(1) || a.is(0)) return 0;
  if (a.constant() && b.constant() && *b.constant() > 0) {
    return *a.constant() - *b.constant() * floor_quotient(*a.constant(), *b.constant());
  }
  if (b.terms().empty()) return function_atom(AtomKind::modulo, a, b);
  require(b.constant().value_or(1) > 0, "a divisor is negative");
  static thread_local Known known;
  return remembered(known, a, b, [&] { return remainder_of(a, b); });
}

Sym ceil_div(const Sym& a, const Sym& b) {
  return floor_div(a + b - 1, b);
}

Sym minimum(const Sym& a, const Sym& b) {
  if (is_at_most(a, b)) return a;
  if (is_at_most(b, a)) return b;
  return a.text() < b.text() ? function_atom(AtomKind::minimum, a, b) : function_atom(AtomKind::minimum, b, a);
}

Sym maximum(const Sym& a, const Sym& b) {
  if (is_at_most(a, b)) return b;
  if (is_at_most(b, a)) return a;
  return a.text() < b.text() ? function_atom(AtomKind::maximum, a, b) : function_atom(AtomKind::maximum, b, a);
}

}  // namespace ka::ir

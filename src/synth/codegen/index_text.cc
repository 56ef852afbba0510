#include "synth/codegen/index_text.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace ka::codegen {
namespace {

using ir::AtomKind;
using ir::Sym;

constexpr std::int64_t kMostLifts = 64;

std::string operand(const Sym& sym, const KernelNames& names) {
  const std::string text = kernel_text(sym, names);
  return names.sums(sym).is_plain() ? text : "(" + text + ")";
}

// How many times the divisor must be added to make the dividend nonnegative.
std::optional<std::int64_t> lifts(const Sym& dividend, const Sym& divisor) {
  for (std::int64_t times = 0; times <= kMostLifts; times = times == 0 ? 1 : 2 * times)
    if (ir::is_nonnegative(dividend + Sym(times) * divisor)) return times;
  return std::nullopt;
}

std::string division(AtomKind kind, const Sym& dividend, const Sym& divisor, const KernelNames& names) {
  const char* sign = kind == AtomKind::modulo ? "%" : "//";
  const std::string b = operand(divisor, names);
  if (const std::optional<std::int64_t> times = lifts(dividend, divisor)) {
    const std::string quotient = fmt::format("({} {} {})", operand(dividend + Sym(*times) * divisor, names), sign, b);
    return kind == AtomKind::modulo || *times == 0 ? quotient : fmt::format("({} - {})", quotient, *times);
  }
  // Only here: indices of reshapes within reshapes are nested deeply, and each text that is not used doubles at every level.
  const std::string a = operand(dividend, names);
  const std::string remainder = fmt::format("(({} % {} + {}) % {})", a, b, b, b);
  return kind == AtomKind::modulo ? remainder : fmt::format("(({} - {}) // {})", a, remainder, b);
}

std::string atom_text(const ir::Atom& atom, const KernelNames& names) {
  switch (atom.kind) {
    case AtomKind::size:
    case AtomKind::index: return atom.name;
    case AtomKind::floor_div:
    case AtomKind::modulo: return names.atom(atom, division(atom.kind, atom.operands[0], atom.operands[1], names));
    case AtomKind::minimum: return fmt::format("tl.minimum({}, {})", kernel_text(atom.operands[0], names), kernel_text(atom.operands[1], names));
    case AtomKind::maximum: return fmt::format("tl.maximum({}, {})", kernel_text(atom.operands[0], names), kernel_text(atom.operands[1], names));
  }
  return "";
}

// The term over another one; nothing where something is left over.
std::optional<Sym> quotient(const ir::Term& term, const ir::Term& divisor) {
  if (term.coefficient % divisor.coefficient != 0) return std::nullopt;
  std::vector<ir::AtomRef> rest = term.atoms;
  for (const ir::AtomRef& atom : divisor.atoms) {
    const auto found = std::find_if(rest.begin(), rest.end(), [&](const ir::AtomRef& one) { return one->text == atom->text; });
    if (found == rest.end()) return std::nullopt;
    rest.erase(found);
  }
  Sym out = term.coefficient / divisor.coefficient;
  for (const ir::AtomRef& atom : rest) out = out * Sym::of(atom);
  return out;
}

}  // namespace

Sym with_sum(const Sym& sym, const NamedSum& sum) {
  const ir::Term& lead = *std::max_element(sum.sum.terms().begin(), sum.sum.terms().end(), [](const ir::Term& a, const ir::Term& b) { return a.atoms.size() < b.atoms.size(); });
  for (const ir::Term& term : sym.terms()) {
    const std::optional<Sym> times = quotient(term, lead);
    if (!times) continue;
    const Sym rest = sym - *times * sum.sum;
    if (rest.terms().size() + sum.sum.terms().size() == sym.terms().size()) return with_sum(rest + *times * Sym::size(sum.name), sum);  // all of it was there
  }
  return sym;
}

std::string kernel_text(const Sym& sym) {
  return kernel_text(sym, {[](const ir::Atom&, const std::string& text) { return text; }, [](const Sym& same) { return same; }});
}

std::string kernel_text(const Sym& sym, const KernelNames& names) {
  return names.sums(sym).text([&](const ir::Atom& atom) { return atom_text(atom, names); });
}

}  // namespace ka::codegen

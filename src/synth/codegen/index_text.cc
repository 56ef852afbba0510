#include "synth/codegen/index_text.h"

#include <optional>

#include <fmt/format.h>

namespace ka::codegen {
namespace {

using ir::AtomKind;
using ir::Sym;

constexpr std::int64_t kMostLifts = 64;

std::string operand(const Sym& sym, const NameAtom& named) {
  const std::string text = kernel_text(sym, named);
  return sym.is_plain() ? text : "(" + text + ")";
}

// How many times the divisor must be added to make the dividend nonnegative.
std::optional<std::int64_t> lifts(const Sym& dividend, const Sym& divisor) {
  for (std::int64_t times = 0; times <= kMostLifts; times = times == 0 ? 1 : 2 * times)
    if (ir::is_nonnegative(dividend + Sym(times) * divisor)) return times;
  return std::nullopt;
}

std::string division(AtomKind kind, const Sym& dividend, const Sym& divisor, const NameAtom& named) {
  const char* sign = kind == AtomKind::modulo ? "%" : "//";
  const std::string b = operand(divisor, named);
  if (const std::optional<std::int64_t> times = lifts(dividend, divisor)) {
    const std::string quotient = fmt::format("({} {} {})", operand(dividend + Sym(*times) * divisor, named), sign, b);
    return kind == AtomKind::modulo || *times == 0 ? quotient : fmt::format("({} - {})", quotient, *times);
  }
  // Only here: indices of reshapes within reshapes are nested deeply, and each text that is not used doubles at every level.
  const std::string a = operand(dividend, named);
  const std::string remainder = fmt::format("(({} % {} + {}) % {})", a, b, b, b);
  return kind == AtomKind::modulo ? remainder : fmt::format("(({} - {}) // {})", a, remainder, b);
}

std::string atom_text(const ir::Atom& atom, const NameAtom& named) {
  switch (atom.kind) {
    case AtomKind::size:
    case AtomKind::index: return atom.name;
    case AtomKind::floor_div:
    case AtomKind::modulo: return named(atom, division(atom.kind, atom.operands[0], atom.operands[1], named));
    case AtomKind::minimum: return fmt::format("tl.minimum({}, {})", kernel_text(atom.operands[0], named), kernel_text(atom.operands[1], named));
    case AtomKind::maximum: return fmt::format("tl.maximum({}, {})", kernel_text(atom.operands[0], named), kernel_text(atom.operands[1], named));
  }
  return "";
}

}  // namespace

std::string kernel_text(const Sym& sym) {
  return kernel_text(sym, [](const ir::Atom&, const std::string& text) { return text; });
}

std::string kernel_text(const Sym& sym, const NameAtom& named) {
  return sym.text([&](const ir::Atom& atom) { return atom_text(atom, named); });
}

}  // namespace ka::codegen

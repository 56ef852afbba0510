#include "synth/codegen/index_text.h"

#include <optional>

#include <fmt/format.h>

namespace ka::codegen {
namespace {

using ir::AtomKind;
using ir::Sym;

constexpr std::int64_t kMostLifts = 64;

std::string operand(const Sym& sym) { return sym.is_plain() ? kernel_text(sym) : "(" + kernel_text(sym) + ")"; }

// How many times the divisor must be added to make the dividend nonnegative.
std::optional<std::int64_t> lifts(const Sym& dividend, const Sym& divisor) {
  for (std::int64_t times = 0; times <= kMostLifts; times = times == 0 ? 1 : 2 * times)
    if (ir::is_nonnegative(dividend + Sym(times) * divisor)) return times;
  return std::nullopt;
}

std::string division(AtomKind kind, const Sym& dividend, const Sym& divisor) {
  const char* sign = kind == AtomKind::modulo ? "%" : "//";
  const std::string b = operand(divisor);
  if (const std::optional<std::int64_t> times = lifts(dividend, divisor)) {
    const std::string quotient = fmt::format("({} {} {})", operand(dividend + Sym(*times) * divisor), sign, b);
    return kind == AtomKind::modulo || *times == 0 ? quotient : fmt::format("({} - {})", quotient, *times);
  }
  // Only here: indices of reshapes within reshapes are nested deeply, and each text that is not used doubles at every level.
  const std::string a = operand(dividend);
  const std::string remainder = fmt::format("(({} % {} + {}) % {})", a, b, b, b);
  return kind == AtomKind::modulo ? remainder : fmt::format("(({} - {}) // {})", a, remainder, b);
}

std::string atom_text(const ir::Atom& atom) {
  switch (atom.kind) {
    case AtomKind::size:
    case AtomKind::index: return atom.name;
    case AtomKind::floor_div:
    case AtomKind::modulo: return division(atom.kind, atom.operands[0], atom.operands[1]);
    case AtomKind::minimum: return fmt::format("tl.minimum({}, {})", kernel_text(atom.operands[0]), kernel_text(atom.operands[1]));
    case AtomKind::maximum: return fmt::format("tl.maximum({}, {})", kernel_text(atom.operands[0]), kernel_text(atom.operands[1]));
  }
  return "";
}

}  // namespace

std::string kernel_text(const Sym& sym) { return sym.text(atom_text); }

}  // namespace ka::codegen

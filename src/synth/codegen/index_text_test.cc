// Sums of sizes under a name: what of an expression is the sum, and what stays.
#include <gtest/gtest.h>

#include "synth/codegen/index_text.h"

namespace ka::codegen {
namespace {

using ir::Sym;

TEST(WithSum, TakesTheSumAndItsMultiplesAndNothingElse) {
  const Sym n = Sym::size("n"), k = Sym::size("k"), h = Sym::size("h"), col = Sym::index("col", h), row = Sym::index("row", 2 * n + 64);
  const NamedSum sum{2 * n + 64, "extent"};
  const struct {
    Sym sym;
    const char* text;
  } rows[] = {
      {2 * n + 64, "extent"},
      {64 * col + 2 * col * n + row, "col*extent + row"},
      {6 * n * h * k + 192 * h * k, "3*extent*h*k"},
      {2 * n + 63, "2*n + 63"},              // not all of it is there
      {4 * n + 64, "4*n + 64"},              // more than it, and not a multiple
      {3 * n + 64, "3*n + 64"},
      {row - n, "-n + row"},
      {Sym(64), "64"},
      {Sym(0), "0"},
      {n * n * 2 + 64 * n + h, "extent*n + h"},
  };
  for (const auto& one : rows) EXPECT_EQ(with_sum(one.sym, sum).text(), one.text) << one.sym.text();
}

TEST(WithSum, IsFoundInsideQuotientsAndNeedsNoBracketsThere) {
  const Sym n = Sym::size("n"), h = Sym::size("h"), i = Sym::index("i", h * (n + 3) * 8);
  const NamedSum sum{n + 3, "extent"};
  const KernelNames names{[](const ir::Atom&, const std::string& text) { return text; }, [&](const Sym& sym) { return with_sum(sym, sum); }};
  EXPECT_EQ(kernel_text(ir::modulo(i, n + 3), names), "(i % extent)");
  EXPECT_EQ(kernel_text(ir::floor_div(i, h * n + 3 * h), names), "(i // (extent*h))");
  EXPECT_EQ(kernel_text(ir::modulo(i, n + 3)), "(i % (n + 3))");
}

}  // namespace
}  // namespace ka::codegen

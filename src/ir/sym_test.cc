#include "ir/sym.h"

#include <gtest/gtest.h>

#include <random>

namespace ka::ir {
namespace {

const Sym n = Sym::size("n"), c = Sym::size("c"), h = Sym::size("h"), w = Sym::size("w");

TEST(Sym, HasOneTextPerValue) {
  EXPECT_EQ((n * c + 2).text(), (Sym(2) + c * n).text());
  EXPECT_EQ((n * c + 2).text(), "c*n + 2");
  EXPECT_EQ((n - n).text(), "0");
  EXPECT_EQ((n * -1 + 3).text(), "-n + 3");
  EXPECT_EQ((n + n).text(), "2*n");
}

TEST(Sym, DividesWhatIsDivisible) {
  EXPECT_EQ(floor_div(n * c, c), n);
  EXPECT_EQ(floor_div(n * 6, 3), n * 2);
  EXPECT_EQ(modulo(n * c, c), Sym(0));
  EXPECT_EQ(floor_div(n * 4 + 2, 4), n);
  EXPECT_EQ(floor_div(n + 7, 4).text(), "((n + 3) // 4) + 1");
  EXPECT_EQ(floor_div(floor_div(n, 2), 3).text(), "(n // 6)");
  EXPECT_EQ(floor_div(n * 2, 4).text(), "(n // 2)");
  EXPECT_EQ(floor_div(n * (h + 2), h + 2), n);
}

TEST(Sym, KnowsThatAnIndexIsBelowItsExtent) {
  const Sym i = Sym::index("i", n), k = Sym::index("k", c);
  EXPECT_EQ(floor_div(i * c + k, c), i);
  EXPECT_EQ(modulo(i * c + k, c), k);
  const Sym j = Sym::index("j", h + 2);
  EXPECT_EQ(floor_div(i * (h + 2) + j, h + 2), i);
  EXPECT_EQ(modulo(i * (h + 2) + j, h + 2), j);
  const Sym feature = Sym::index("feature", 64);
  EXPECT_EQ(floor_div(i * 64 + feature, w * 128), floor_div(i, w * 2)) << "a part of the divisor's number is enough";
  EXPECT_TRUE(is_nonnegative(n - 1 - i));
  EXPECT_FALSE(is_nonnegative(i - 1));
  EXPECT_TRUE(is_nonnegative(n * c - 1 - i * c - k));
}

TEST(Sym, ReshapeUndoesReshape) {
  const Sym i = Sym::index("i", n * c * h * w);
  const std::vector<Sym> four = delinearize(i, {n, c, h, w});
  EXPECT_EQ(linearize(four, {n, c, h, w}), i);
  const std::vector<Sym> two = delinearize(i, {n, c * h * w});
  EXPECT_EQ(linearize(two, {n, c * h * w}), i);
  EXPECT_EQ(four[0].text(), "(i // (c*h*w))");
  EXPECT_EQ(four[3].text(), "(i % w)");
  const std::vector<Sym> merged = delinearize(linearize(four, {n, c, h, w}), {n * c, h * w});
  EXPECT_EQ(merged[0], floor_div(i, h * w));
  EXPECT_EQ(merged[1], modulo(i, h * w));
}

TEST(Sym, DividesInTwoSteps) {
  const Sym m = Sym::index("m", n * h * w), k = Sym::index("k", 16);
  EXPECT_EQ(floor_div(m * 16 + k, h * w * 16), floor_div(m, h * w));
  EXPECT_EQ(modulo(floor_div(m * 16 + k, h * w * 16), n), floor_div(m, h * w));
}

TEST(Sym, KnowsTheLargestRemainder) {
  EXPECT_TRUE(is_nonnegative(n - 1 - modulo(c, n)));
  EXPECT_FALSE(is_nonnegative(n - 2 - modulo(c, n)));
}

TEST(Sym, AnExtentOfOneHasOneIndex) {
  EXPECT_EQ(Sym::index("i", 1), Sym(0));
}

TEST(Sym, MinimumAndMaximumAreDecidedWherePossible) {
  EXPECT_EQ(minimum(n, n + 1), n);
  EXPECT_EQ(maximum(n, 1), n);
  EXPECT_EQ(minimum(n, c).text(), "min(c, n)");
}

TEST(Sym, DividesByAPartOfTheDivisorFirst) {
  const Sym b = Sym::index("b", n * 4), e = Sym::index("e", 32), k = Sym::index("k", c);
  EXPECT_EQ(floor_div(b * c * 32 + k * 32 + e, c * 128), floor_div(b, 4));
  EXPECT_EQ(floor_div(b * 32 + e, 128), floor_div(b, 4));
}

TEST(Sym, SubstitutesAndSimplifies) {
  const Sym i = Sym::index("i", n * c);
  const Sym a = Sym::index("a", n), b = Sym::index("b", c);
  EXPECT_EQ(substitute(floor_div(i, c), {{"i", a * c + b}}), a);
}

// Whatever the simplifier does, the number must stay: random expressions over random values, against plain arithmetic.
struct Sample {
  Sym sym;
  std::int64_t value;
};

std::int64_t floored(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && a < 0) ? 1 : 0);
}

TEST(Sym, NeverChangesTheValue) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t limit) { return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random); };
  for (int round = 0; round < 20000; ++round) {
    std::map<std::string, std::int64_t> values{{"n", 1 + below(6)}, {"c", 1 + below(6)}, {"h", 1 + below(4)}};
    values["i"] = below(values["n"]);
    values["k"] = below(values["c"]);
    values["l"] = below(values["n"] * values["c"] * values["h"]);
    std::vector<Sample> pool{{n, values["n"]}, {c, values["c"]}, {h, values["h"]}, {Sym::index("i", n), values["i"]},
                             {Sym::index("k", c), values["k"]}, {Sym::index("l", n * c * h), values["l"]}, {3, 3}, {2, 2}};
    const std::size_t sizes = 3;
    for (int step = 0; step < 8; ++step) {
      const Sample a = pool[static_cast<std::size_t>(below(static_cast<std::int64_t>(pool.size())))];
      const Sample b = pool[static_cast<std::size_t>(below(static_cast<std::int64_t>(pool.size())))];
      const Sample d = pool[static_cast<std::size_t>(below(sizes))];
      if (std::abs(a.value) > 1000000 || std::abs(b.value) > 1000) continue;
      switch (below(7)) {
        case 0: pool.push_back({a.sym + b.sym, a.value + b.value}); break;
        case 1: pool.push_back({a.sym - b.sym, a.value - b.value}); break;
        case 2: pool.push_back({a.sym * b.sym, a.value * b.value}); break;
        case 3: pool.push_back({floor_div(a.sym, d.sym), floored(a.value, d.value)}); break;
        case 4: pool.push_back({modulo(a.sym, d.sym), a.value - d.value * floored(a.value, d.value)}); break;
        case 5: pool.push_back({minimum(a.sym, b.sym), std::min(a.value, b.value)}); break;
        default: pool.push_back({maximum(a.sym, b.sym), std::max(a.value, b.value)}); break;
      }
      const Sample& last = pool.back();
      ASSERT_EQ(evaluate(last.sym, values), last.value) << last.sym.text();
      ASSERT_TRUE(!is_nonnegative(last.sym) || last.value >= 0) << last.sym.text();
    }
  }
}

}  // namespace
}  // namespace ka::ir

#include "ir/window.h"

#include <set>
#include <tuple>

#include <gtest/gtest.h>

namespace ka::ir::window_test {
namespace {

using Visit = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // place of the result, image place, tap of the filter

struct Case {
  std::int64_t stride, taps, dilation, padding;
};

constexpr std::int64_t kImage = 9;

// Every image place sends something by every tap.
std::set<Visit> sent(const Case& c, std::int64_t results) {
  std::set<Visit> out;
  for (std::int64_t i = 0; i < kImage; ++i) {
    for (std::int64_t k = 0; k < c.taps; ++k) {
      const std::int64_t o = c.stride * i + c.dilation * k - c.padding;
      if (o >= 0 && o < results) out.insert({o, i, k});
    }
  }
  return out;
}

bool is_known(const Phases& phases, std::int64_t r, std::int64_t j) {
  for (const Sym& condition : phases.known(0, r, j)) {
    if (*condition.constant() < 0) return false;
  }
  return true;
}

// What the windows of all phases see of the image, by taps that there are.
std::set<Visit> seen(const Case& c, std::int64_t results) {
  const Phases phases({c.stride}, {c.taps}, {c.dilation}, {c.padding});
  const Window window = phases.window({results});
  std::set<Visit> out;
  for (std::int64_t o = 0; o < results; ++o) {
    const std::int64_t q = o / c.stride, r = o % c.stride, taps = *window.taps[0].constant();
    for (std::int64_t j = 0; j < taps; ++j) {
      EXPECT_EQ(is_known(phases, r, j), j >= taps - *phases.taps_of(0, r).constant()) << "the taps of a phase are the last ones of the window";
      const std::int64_t place = *(q + phases.later(0, r) + j * window.dilation[0] - window.padding[0]).constant();
      if (is_known(phases, r, j) && place >= 0 && place < kImage) out.insert({o, place, *phases.tap(0, r, j).constant()});
    }
  }
  return out;
}

TEST(Phases, SeeWhatATransposedConvolutionSends) {
  for (const std::int64_t stride : {1, 2, 3, 4, 6}) {
    for (const std::int64_t taps : {1, 2, 3, 4, 5, 7}) {
      for (const std::int64_t dilation : {1, 2, 3, 4}) {
        for (const std::int64_t padding : {0, 1, 2, 5}) {
          const Case c{stride, taps, dilation, padding};
          const std::int64_t results = stride * (kImage - 1) + dilation * (taps - 1) + 2 - padding;
          EXPECT_EQ(seen(c, results), sent(c, results)) << "stride " << stride << ", taps " << taps << ", dilation " << dilation << ", padding " << padding;
        }
      }
    }
  }
}

TEST(Phases, AreWrittenDownAsNumbers) {
  const Phases phases({2, 3}, {3, 4}, {1, 2}, {1, 0});
  EXPECT_EQ(Phases(phases.all()).all(), phases.all());
  EXPECT_EQ(phases.window({5, 5}).taps, (std::vector<Sym>{2, 2}));
  EXPECT_EQ(phases.taps_of_all(0), 3);
  EXPECT_EQ(phases.latest(0), 1);
}

TEST(Phases, HaveShortExpressions) {
  const Phases phases({2}, {3}, {1}, {1});
  const Sym r = Sym::index("r", 2), j = Sym::index("j", 2);
  EXPECT_EQ(phases.later(0, r), floor_div(r + 1, 2));
  EXPECT_EQ(phases.tap(0, r, j), modulo(r + 1, 2) + 2 - 2 * j);
}

}  // namespace
}  // namespace ka::ir::window_test

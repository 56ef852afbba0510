#include "optimise/reflection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "optimise/search.h"

namespace ka::optimise {
namespace {

using testing::HasSubstr;

TEST(Reflections, SayWhatCameAndWhatFollows) {
  const struct {
    const char *outcome, *reason;
    std::optional<double> ms;
    const char *actual, *avoid, *next;
  } rows[] = {
      {"kept", "2.000 times as fast as the best", 1.0, "2.00 times faster than what it changed (1.0000 ms instead of 2.0000 ms); it is the fastest so far: 2.000", "", "BLOCK: it helped"},
      {"not_certain", "", 1.99, "no gain beyond noise", "", "BLOCK: the difference was within the noise"},
      {"slower", "1.40 times the time of the best", 2.8, "1.40 times slower than what it changed", "BLOCK: 1.40 times slower than what it changed (2.8000 ms instead of 2.0000 ms)", ""},
      {"slower", "", 1.5, "1.33 times faster than what it changed", "BLOCK: it was slower than the best", ""},
      {"refused", "result.mismatch: wrong", {}, "refused: result.mismatch: wrong", "BLOCK: it was refused", ""},
      {"same_code", "its text was tried before", {}, "nothing new: its text", "BLOCK: it was tried before", ""},
      {"crashed", "", {}, "it crashed", "BLOCK: it crashed", ""},
      {"impossible", "", 0.001, "faster than is possible", "BLOCK: it was faster than is possible", ""},
      {"unheard_of", "", {}, "unheard_of", "", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.outcome);
    const Reflection got = reflect({3, 1, "BLOCK", "memory", row.outcome, row.reason, row.ms, 0, "", "gpt", "twice as fast"}, 2.0);
    EXPECT_EQ((std::pair(got.round, got.expected)), (std::pair(3, std::string("twice as fast"))));
    EXPECT_THAT(got.actual, HasSubstr(row.actual));
    EXPECT_THAT(got.avoid, HasSubstr(row.avoid));
    EXPECT_THAT(got.next, HasSubstr(row.next));
    EXPECT_EQ((std::pair(got.avoid.empty(), got.next.empty())), (std::pair(*row.avoid == 0, *row.next == 0)));
    const Reflection again = reflection_from_json(to_json(got)).value();
    EXPECT_EQ(reflection_text(again), reflection_text(got));
  }
}

}  // namespace
}  // namespace ka::optimise

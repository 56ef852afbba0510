#include "base/strings.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ka {
namespace {

using ::testing::ElementsAre;

TEST(Strings, SplitKeepsEmptyPieces) {
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("a", ','), ElementsAre("a"));
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
}

TEST(Strings, TrimRemovesBlanksAtBothEnds) {
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim(" \t\r\n"), "");
  EXPECT_EQ(trim("  a b\n"), "a b");
}

TEST(Strings, PrefixesAndSuffixes) {
  EXPECT_TRUE(starts_with("abc", "ab"));
  EXPECT_TRUE(starts_with("abc", ""));
  EXPECT_FALSE(starts_with("ab", "abc"));
  EXPECT_TRUE(ends_with("abc", "bc"));
  EXPECT_FALSE(ends_with("bc", "abc"));
}

TEST(Strings, JoinIsTheInverseOfSplit) {
  EXPECT_EQ(join({}, ","), "");
  for (const char* text : {"", "a", "a,b", ",,"}) EXPECT_EQ(join(split(text, ','), ","), text);
}

TEST(Strings, EditDistance) {
  struct Case {
    const char* a;
    const char* b;
    std::size_t distance;
  };
  const Case cases[] = {{"", "", 0},
                        {"", "abc", 3},
                        {"verify", "verify", 0},
                        {"verfy", "verify", 1},
                        {"verfiy", "verify", 1},
                        {"kitten", "sitting", 3},
                        {"ab", "ba", 1}};
  for (const Case& row : cases) {
    EXPECT_EQ(edit_distance(row.a, row.b), row.distance) << row.a << " " << row.b;
    EXPECT_EQ(edit_distance(row.b, row.a), row.distance) << row.b << " " << row.a;
  }
}

TEST(Strings, ClosestFindsMisspellingsOnly) {
  constexpr std::array<std::string_view, 4> kNames = {"auto", "doctor", "verify", "version"};
  EXPECT_EQ(closest("verfiy", kNames), "verify");
  EXPECT_EQ(closest("docter", kNames), "doctor");
  EXPECT_EQ(closest("ver", kNames), "verify");
  EXPECT_EQ(closest("banana", kNames), std::nullopt);
  EXPECT_EQ(closest("", kNames), std::nullopt);
  EXPECT_EQ(closest(std::string(1000000, 'v'), kNames), std::nullopt);
  EXPECT_EQ(closest("verify", {}), std::nullopt);
}

TEST(Strings, QuoteShell) {
  EXPECT_EQ(quote_shell("a/b-c.py"), "a/b-c.py");
  EXPECT_EQ(quote_shell(""), "''");
  EXPECT_EQ(quote_shell("two words"), "'two words'");
  EXPECT_EQ(quote_shell("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(quote_shell("~"), "'~'");
}

TEST(Strings, ElideMiddleKeepsHeadAndTail) {
  EXPECT_EQ(elide_middle("short", 5), "short");
  EXPECT_EQ(elide_middle("0123456789", 7), "01...89");
  EXPECT_EQ(elide_middle("0123456789", 8), "012...89");
  EXPECT_EQ(elide_middle("0123456789", 2), "..");
  EXPECT_EQ(elide_middle("0123456789", 0), "");
}

TEST(Strings, ElideMiddleNeverCutsACharacter) {
  const std::string text = "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9";
  EXPECT_EQ(elide_middle(text, 6), "\xC3\xA9...");
  EXPECT_EQ(elide_middle(text, 9), "\xC3\xA9...\xC3\xA9");
}

TEST(Strings, FoldBreaksAtBlanks) {
  EXPECT_EQ(fold("a b", 2, 80), "  a b\n");
  EXPECT_EQ(fold("", 0, 80), "\n");
  EXPECT_EQ(fold("aaaa bbbb cc", 1, 8), " aaaa\n bbbb cc\n");
  EXPECT_EQ(fold("a longword b", 0, 4), "a\nlongword\nb\n");
}

}  // namespace
}  // namespace ka

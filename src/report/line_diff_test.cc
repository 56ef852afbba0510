#include "report/line_diff.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ka::report {
namespace {

std::string shown(const std::string& before, const std::string& after) {
  std::string out;
  const std::vector<std::string_view> a = lines_of_text(before), b = lines_of_text(after);
  for (const DiffLine& line : line_diff(before, after)) {
    out += line.change == Change::same ? '=' : line.change == Change::removed ? '-' : '+';
    out += line.change == Change::removed ? a[line.before] : b[line.after];
  }
  return out;
}

TEST(LineDiff, SaysWhatChanged) {
  const char* const rows[][3] = {
      {"", "", ""},          {"a\nb\n", "a\nb\n", "=a=b"},     {"a\n", "", "-a"},          {"", "a\n", "+a"},
      {"a\nb\nc", "a\nx\nc", "=a-b+x=c"}, {"a\nb\nc\n", "a\nc\n", "=a-b=c"}, {"a\nc\n", "a\nb\nc\n", "=a+b=c"}, {"a\na\n", "a\n", "=a-a"},
      {"a\nb\nc\nd\n", "b\nd\nx\n", "-a=b-c=d+x"},
  };
  for (const auto& row : rows) EXPECT_EQ(shown(row[0], row[1]), row[2]) << row[0] << " / " << row[1];
}

TEST(LineDiff, BothTextsCanBeReadFromIt) {
  std::mt19937 draw(1);
  for (int round = 0; round < 200; ++round) {
    const auto text = [&] {
      std::string out;
      for (std::size_t i = draw() % 12; i > 0; --i) out += std::string(1, static_cast<char>('a' + draw() % 4)) + "\n";
      return out;
    };
    const std::string before = text(), after = text();
    const std::vector<std::string_view> a = lines_of_text(before), b = lines_of_text(after);
    std::string first, second;
    for (const DiffLine& line : line_diff(before, after)) {
      if (line.change != Change::added) first += std::string(a[line.before]) + "\n";
      if (line.change != Change::removed) second += std::string(b[line.after]) + "\n";
    }
    EXPECT_EQ(first, before);
    EXPECT_EQ(second, after);
  }
}

}  // namespace
}  // namespace ka::report

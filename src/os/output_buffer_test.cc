#include "os/output_buffer.h"

#include <gtest/gtest.h>

namespace ka::os {
namespace {

std::string digits(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('0' + i % 10);
  return text;
}

TEST(OutputBuffer, KeepsAllThatFits) {
  OutputBuffer buffer(10);
  buffer.append("");
  buffer.append("0123");
  buffer.append("456789");
  EXPECT_EQ(buffer.text(), "0123456789");
  EXPECT_TRUE(buffer.complete());
}

TEST(OutputBuffer, KeepsHeadAndTail) {
  OutputBuffer buffer(10);
  buffer.append(digits(26));
  EXPECT_EQ(buffer.text(), "01234\n[... 16 bytes left out ...]\n12345");
  EXPECT_EQ(buffer.total(), 26U);
  EXPECT_FALSE(buffer.complete());
}

TEST(OutputBuffer, PiecesDoNotMatter) {
  for (std::size_t limit : {0u, 1u, 2u, 7u, 10u}) {
    for (std::size_t total = 0; total < 40; ++total) {
      OutputBuffer whole(limit);
      whole.append(digits(total));
      for (std::size_t piece = 1; piece < 9; ++piece) {
        OutputBuffer pieces(limit);
        const std::string text = digits(total);
        for (std::size_t at = 0; at < total; at += piece) pieces.append(text.substr(at, piece));
        ASSERT_EQ(pieces.text(), whole.text()) << limit << " " << total << " " << piece;
      }
    }
  }
}

}  // namespace
}  // namespace ka::os

#include "synth/llm/sse.h"

#include <gtest/gtest.h>

#include <vector>

namespace ka::llm {
namespace {

struct SseCase {
  const char* name;
  std::string in;
  std::vector<SseEvent> out;
};

const SseCase kSseCases[] = {
    {"nothing", "", {}},
    {"one", "data: a\n\n", {{"", "a"}}},
    {"name", "event: x\ndata: a\n\n", {{"x", "a"}}},
    {"name does not stay", "event: x\ndata: a\n\ndata: b\n\n", {{"x", "a"}, {"", "b"}}},
    {"CRLF", "event: x\r\ndata: a\r\n\r\n", {{"x", "a"}}},
    {"CR", "event: x\rdata: a\r\r", {{"x", "a"}}},
    {"mixed ends", "data: a\rdata: b\ndata: c\r\n\r\ndata: d\n\r\n", {{"", "a\nb\nc"}, {"", "d"}}},
    {"several lines", "data: a\ndata:\ndata:  b\n\n", {{"", "a\n\n b"}}},
    {"no blank after the colon", "data:a\n\n", {{"", "a"}}},
    {"no colon", "data\n\n", {{"", ""}}},
    {"comments", ": ping\n\n:\ndata: a\n: in the middle\ndata: b\n\n", {{"", "a\nb"}}},
    {"other fields", "id: 7\nretry: 100\nfoo: bar\ndata: a\n\n", {{"", "a"}}},
    {"name alone is no event", "event: x\n\ndata: a\n\n", {{"", "a"}}},
    {"empty lines", "\n\n\ndata: a\n\n\n\n", {{"", "a"}}},
    {"byte order mark", "\xEF\xBB\xBF" "data: a\n\n", {{"", "a"}}},
    {"no end", "data: a\n\ndata: b", {{"", "a"}, {"", "b"}}},
    {"colon in the value", "data: a: b\n\n", {{"", "a: b"}}},
    {"zero byte", std::string("data: a\0b\n\n", 11), {{"", std::string("a\0b", 3)}}},
};

std::vector<SseEvent> read_in(const std::vector<std::string_view>& pieces) {
  std::vector<SseEvent> out;
  SseReader reader([&](const SseEvent& event) {
    out.push_back(event);
    return ok();
  });
  for (const std::string_view piece : pieces) EXPECT_TRUE(reader.feed(piece));
  EXPECT_TRUE(reader.finish());
  return out;
}

TEST(Sse, ReadsEventsHoweverTheyAreCut) {
  for (const SseCase& row : kSseCases) {
    SCOPED_TRACE(row.name);
    const std::string_view text = row.in;
    for (std::size_t at = 0; at <= text.size(); ++at) EXPECT_EQ(read_in({text.substr(0, at), text.substr(at)}), row.out) << "cut at " << at;
    std::vector<std::string_view> bytes;
    for (std::size_t at = 0; at < text.size(); ++at) bytes.push_back(text.substr(at, 1));
    EXPECT_EQ(read_in(bytes), row.out);
  }
}

TEST(Sse, AnErrorOfTheListenerEndsIt) {
  int seen = 0;
  SseReader reader([&](const SseEvent&) -> Status { return ++seen == 2 ? Status(unsupported("no more")) : ok(); });
  const Status status = reader.feed("data: a\n\ndata: b\n\ndata: c\n\n");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "no more");
  EXPECT_EQ(seen, 2);
}

TEST(Sse, TooLongIsRefused) {
  const std::string line = "data: " + std::string(60, 'x') + "\n";
  struct Case {
    const char* name;
    std::string text;
    bool good;
  };
  const Case rows[] = {{"fits", line + "\n", true}, {"one line", "data: " + std::string(101, 'x'), false}, {"a line without an end", std::string(101, 'x'), false},
      {"many lines", line + line, false}};
  for (const Case& row : rows) {
    SCOPED_TRACE(row.name);
    SseReader reader([](const SseEvent&) { return ok(); }, 100);
    Status status = ok();
    for (std::size_t at = 0; at < row.text.size() && status; at += 7) status = reader.feed(std::string_view(row.text).substr(at, 7));
    ASSERT_EQ(static_cast<bool>(status), row.good);
    if (!row.good) {
      EXPECT_EQ(status.error().message, "an event of the stream has more than 100 bytes");
    }
  }
}

}  // namespace
}  // namespace ka::llm

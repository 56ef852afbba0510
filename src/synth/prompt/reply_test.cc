// The table of replies: test/replies/*.txt, one case each. A header of "name: value" lines says what was asked and what is expected; the reply follows behind
// "---", and the second piece of a continued one behind "--- then".
//   expect: file | edited | continue | refused       truncated: yes       entry: NAME       previous: FILE (in test/replies/given)       prompt: FILE
//   is: FILE (the exact text)    contains: TEXT    lacks: TEXT    says: TEXT    note: TEXT    edits: N
//   escapes: yes (\r, \t, \xHH in the reply)    padding: BYTES (of prose before the reply)
#include "synth/prompt/reply.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "os/files.h"

namespace ka::prompt {
namespace {

const std::string kFolder = KA_SOURCE_DIR "/test/replies/";

std::string given(const std::string& name) { return os::read_file(kFolder + "given/" + name).value(); }

std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
    } else if (text[i + 1] == 'x') {
      out += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      out += text[i + 1] == 'r' ? '\r' : text[i + 1] == 't' ? '\t' : text[i + 1];
      ++i;
    }
  }
  return out;
}

struct Case {
  std::multimap<std::string, std::string> header;
  std::string reply, then;
  bool continued = false;

  std::string value(const std::string& name) const {
    const auto row = header.find(name);
    return row == header.end() ? std::string() : row->second;
  }
};

Case read_case(const std::string& name) {
  Case row;
  const std::string text = os::read_file(kFolder + name).value();
  const std::size_t end = text.find("---\n");
  for (const std::string& line : split(text.substr(0, end), '\n'))
    if (const std::size_t colon = line.find(": "); colon != std::string::npos) row.header.emplace(line.substr(0, colon), line.substr(colon + 2));
  row.reply = text.substr(end + 4);
  if (const std::size_t then = row.reply.find("--- then\n"); then != std::string::npos) {
    row.then = row.reply.substr(then + 9);
    row.reply.erase(then);
    row.continued = true;
    if (!row.reply.empty()) row.reply.pop_back();  // the line end before the mark is not the model's
  }
  if (row.value("escapes") == "yes") row.reply = unescaped(row.reply);
  if (const std::string padding = row.value("padding"); !padding.empty()) {
    std::string prose;
    while (prose.size() < std::stoul(padding)) prose += "Some words about tiles, masks and the order of loads.\n";
    row.reply = prose + row.reply;
  }
  return row;
}

std::string kind_of(const Reply& reply) { return std::array<const char*, 4>{"file", "edited", "continue", "refused"}[reply.index()]; }
std::string text_of(const Reply& reply) {
  if (const auto* file = std::get_if<WholeFile>(&reply)) return file->text;
  if (const auto* edited = std::get_if<EditedFile>(&reply)) return edited->text;
  if (const auto* refusal = std::get_if<Refusal>(&reply)) return refusal->sentence;
  return {};
}

class Replies : public testing::TestWithParam<std::string> {};

TEST_P(Replies, AreReadAsExpected) {
  const Case row = read_case(GetParam());
  Asked asked;
  if (!row.value("entry").empty()) asked.entries = {row.value("entry")};
  if (!row.value("previous").empty()) asked.previous = given(row.value("previous"));
  if (!row.value("prompt").empty()) asked.prompt = given(row.value("prompt"));
  const bool truncated = row.value("truncated") == "yes";
  if (row.continued) {
    EXPECT_EQ(kind_of(read_reply(asked, row.reply, true)), "continue");
  }
  const Reply reply = row.continued ? read_continued(asked, row.reply, row.then, truncated) : read_reply(asked, row.reply, truncated);
  const std::string text = text_of(reply);
  EXPECT_EQ(kind_of(reply), row.value("expect")) << text;
  for (const auto& [name, value] : row.header) {
    if (name == "contains" || name == "says") {
      EXPECT_THAT(text, testing::HasSubstr(value));
    }
    if (name == "lacks") {
      EXPECT_THAT(text, testing::Not(testing::HasSubstr(value)));
    }
    if (name == "is") {
      EXPECT_EQ(text, given(value));
    }
    if (name == "note") {
      EXPECT_EQ(std::get<WholeFile>(reply).note, value);
    }
    if (name == "edits") {
      EXPECT_EQ(std::to_string(std::get<EditedFile>(reply).edits), value);
    }
  }
  if (kind_of(reply) == "refused") {
    EXPECT_THAT(text, testing::AllOf(testing::Not(testing::HasSubstr("\n")), testing::HasSubstr("; "))) << "a sentence that says what would be accepted";
  }
}

std::vector<std::string> case_names() {
  std::vector<std::string> names = os::list_dir(kFolder).value();
  std::erase_if(names, [](const std::string& name) { return !ends_with(name, ".txt"); });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Table, Replies, testing::ValuesIn(case_names()), [](const auto& row) { return row.param.substr(0, row.param.size() - 4); });

TEST(UnclearReplies, OfASentenceMayAskBack) {
  EXPECT_EQ(unclear_reason("UNCLEAR: no sizes are given\nI would need a shape."), "no sizes are given");
  EXPECT_EQ(unclear_reason("<think>hm</think>\n**UNCLEAR: which dimension**"), "which dimension**");
  EXPECT_EQ(unclear_reason("```python\n# UNCLEAR: x\n```"), std::nullopt);
}

TEST(ReplySizes, HugeOnesAreRefusedBySize) {
  EXPECT_THAT(text_of(read_reply({}, std::string(kMaxReplyBytes + 1, 'x'), false)), testing::HasSubstr("the reply has 16777217 bytes, at most 16777216 are read"));
  const std::string code = "```python\ndef kernel_function(x):\n" + std::string(kMaxFileBytes, ' ') + "return x\n```\n";
  EXPECT_THAT(text_of(read_reply({}, code, false)), testing::HasSubstr("at most 4194304 are read"));
}

// Each is megabytes that an algorithm of quadratic cost would take minutes for.
TEST(ReplySizes, CostGrowsWithTheLengthOnly) {
  const auto repeat = [](std::string_view text) {
    std::string out;
    while (out.size() < 1'000'000) out += text;
    return out;
  };
  Asked asked;
  asked.previous = std::string(200'000, '\n');
  for (const char* piece : {"```\n", "```python\n", "'''\n```python\n", "```python\n\"\"\"\n```\n", "{\"a\":", "[", "<think>", "</think>\n", "def f def ", "import x\n", "\"",
      "@@ -1 +1 @@\n-\n+a\n",
                            "<<<<<<< SEARCH\n\n=======\n\n>>>>>>> REPLACE\n", "# ...\n", "a b\n", "(", "\\", "\xE2\x80\x8B", "~~~\n```\n", "x = "})
    for (const bool truncated : {false, true}) static_cast<void>(read_reply(asked, repeat(piece), truncated));
}

}  // namespace
}  // namespace ka::prompt

#include "model/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/hash.h"

namespace ka::model {
namespace {

using ::testing::HasSubstr;

void overwrite(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

std::string content(const std::string& path) { return os::read_file(path).value(); }

class JournalTest : public ::testing::Test {
 protected:
  // In memory where there is such a place: the tests cut a file a thousand times, and each record is synced.
  void SetUp() override {
    dir_.emplace(os::TempDir::create("kernelagent-", os::is_directory("/dev/shm") ? "/dev/shm" : "").value());
  }
  std::string path() const { return dir_->file("journal.jsonl"); }

  // A journal of three steps.
  void fill() {
    Journal journal = Journal::open(path()).value();
    ASSERT_TRUE(journal.record("problem", "", {}));
    ASSERT_TRUE(journal.record("synth", "sg_1", {{"kernels_out/sg_1/kernel.py", sha256_hex("k")}}));
    ASSERT_TRUE(journal.record("verify", "sg_1", {{"a", sha256_hex("a")}, {"b", sha256_hex("b")}}));
  }

  std::optional<os::TempDir> dir_;
};

TEST_F(JournalTest, LineIsAsDocumented) {
  const JournalEntry entry{7, "verify", "sg_1", {{"out/v.json", "ab"}}};
  const std::string body = R"({"artifacts":[{"path":"out/v.json","sha256":"ab"}],"key":"sg_1","seq":7,"step":"verify")";
  const std::string line = journal_line(entry).value();
  EXPECT_EQ(line, body + ",\"sum\":\"" + sha256_hex(body).substr(0, 16) + "\"}");
  EXPECT_EQ(parse_journal_line(line).value(), entry);
}

TEST_F(JournalTest, RecordsSurviveReopening) {
  fill();
  Journal journal = Journal::open(path()).value();
  ASSERT_EQ(journal.entries().size(), 3u);
  EXPECT_EQ(journal.cut(), "");
  ASSERT_NE(journal.find("synth", "sg_1"), nullptr);
  EXPECT_EQ(journal.find("synth", "sg_1")->artifacts[0].path, "kernels_out/sg_1/kernel.py");
  EXPECT_EQ(journal.find("synth", "sg_2"), nullptr);
  ASSERT_TRUE(journal.record("synth", "sg_1", {}));
  EXPECT_EQ(journal.find("synth", "sg_1")->seq, 4u) << "the newest record counts";
}

TEST_F(JournalTest, OddTextsRoundTripAndBrokenOnesAreRefused) {
  Journal journal = Journal::open(path()).value();
  ASSERT_TRUE(journal.record("st\"ep\\\n", std::string("k\0y", 3), {{"é", "𝄞"}}));
  Status refused = journal.record("step", "\xff", {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("not UTF-8"));
  journal = Journal::open(path()).value();
  ASSERT_EQ(journal.entries().size(), 1u);
  EXPECT_NE(journal.find("st\"ep\\\n", std::string("k\0y", 3)), nullptr);
}

TEST_F(JournalTest, CutAtEveryByteOpensAndGoesOn) {
  fill();
  const std::string whole = content(path());
  std::vector<std::size_t> ends = {0};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '\n') ends.push_back(i + 1);
  }
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    overwrite(path(), whole.substr(0, length));
    std::size_t complete = 0;
    while (complete + 1 < ends.size() && ends[complete + 1] <= length) ++complete;
    Result<Journal> journal = Journal::open(path());
    ASSERT_TRUE(journal) << length;
    ASSERT_EQ(journal->entries().size(), complete) << length;
    ASSERT_EQ(journal->cut().empty(), length == ends[complete]) << length;
    ASSERT_EQ(content(path()), whole.substr(0, ends[complete])) << length;
    ASSERT_TRUE(journal->record("next", "", {}));
    ASSERT_EQ(Journal::open(path()).value().entries().size(), complete + 1) << length;
  }
}

TEST_F(JournalTest, ReadingChangesNothing) {
  fill();
  const std::string torn = content(path()) + "{\"artif";
  overwrite(path(), torn);
  Journal journal = Journal::read(path()).value();
  EXPECT_EQ(journal.entries().size(), 3u);
  EXPECT_THAT(journal.cut(), HasSubstr("journal.jsonl:4: cut off an unfinished last line of 7 bytes"));
  EXPECT_EQ(content(path()), torn);
  EXPECT_EQ(journal.record("x", "", {}).error().kind, ErrorKind::internal);
  EXPECT_EQ(Journal::read(dir_->file("none")).value().entries().size(), 0u);
  EXPECT_FALSE(os::exists(dir_->file("none")));
}

// Whatever one byte turns into: the line is named, or it was the last one and is cut. No other line is lost or changed.
TEST_F(JournalTest, EveryDamagedByteIsFound) {
  fill();
  const std::string whole = content(path());
  const std::vector<JournalEntry> entries = Journal::read(path()).value().entries();
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char damage : {'\0', 'x', '\n', '"', ' ', '1'}) {
      if (whole[at] == damage) continue;
      std::string text = whole;
      text[at] = damage;
      Result<JournalText> parsed = parse_journal(text, "j");
      const bool in_last = at >= last_line;
      if (!parsed) {
        ASSERT_THAT(parsed.error().message, ::testing::MatchesRegex("j:[123]: damaged: .*"));
        continue;
      }
      ASSERT_TRUE(in_last) << at << " " << static_cast<int>(damage);
      ASSERT_FALSE(parsed->cut.empty()) << at;
      ASSERT_EQ(parsed->entries.size(), 2u) << at;
      ASSERT_EQ(parsed->entries[1], entries[1]);
    }
  }
}

TEST_F(JournalTest, DamageInTheMiddleIsAnErrorThatNamesTheLine) {
  fill();
  std::string text = content(path());
  text[text.find('\n') + 20] ^= 1;
  overwrite(path(), text);
  Result<Journal> journal = Journal::open(path());
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr(path() + ":2: damaged: the checksum does not fit"));
  EXPECT_EQ(content(path()), text) << "damage is not touched";
}

TEST_F(JournalTest, MissingDoubledOrSwappedLinesAreFound) {
  fill();
  const std::string whole = content(path());
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < whole.size();) {
    const std::size_t end = whole.find('\n', start) + 1;
    lines.push_back(whole.substr(start, end - start));
    start = end;
  }
  const std::pair<std::string, const char*> rows[] = {
      {lines[1] + lines[2], "j:1: damaged: sequence number 2 where 1 should be"},
      {lines[0] + lines[2], "j:2: damaged: sequence number 3 where 2 should be"},
      {lines[0] + lines[0] + lines[1], "j:2: damaged: sequence number 1 where 2 should be"},
      {lines[0] + lines[2] + lines[1], "j:2: damaged: sequence number 3 where 2 should be"},
      {lines[0] + "\n" + lines[1], "j:2: damaged: too short"},
      {lines[0].substr(0, lines[0].size() - 1) + lines[1], "j:1: damaged: the checksum does not fit"},
      {lines[0].substr(0, lines[0].size() - 1) + "x", "j:1: damaged: it has no end"},
  };
  for (const auto& [text, sentence] : rows) {
    Result<JournalText> parsed = parse_journal(text, "j");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message, sentence);
  }
}

// Some file systems leave zeros where the data of a crash should have been.
TEST_F(JournalTest, ATailOfZerosIsCut) {
  fill();
  const std::string whole = content(path());
  overwrite(path(), whole + std::string(5000, '\0'));
  Journal journal = Journal::open(path()).value();
  EXPECT_EQ(journal.entries().size(), 3u);
  EXPECT_THAT(journal.cut(), HasSubstr("5000 bytes"));
  EXPECT_EQ(content(path()), whole);
}

// A line with a valid checksum and the wrong fields was not written by this program.
TEST_F(JournalTest, ALineOfAnotherFormIsDamage) {
  const std::string body = R"({"seq":1,"step":3)";
  const std::string line = body + ",\"sum\":\"" + sha256_hex(body).substr(0, 16) + "\"}";
  Result<JournalEntry> entry = parse_journal_line(line);
  ASSERT_FALSE(entry);
  EXPECT_THAT(entry.error().message, HasSubstr("missing field \"key\""));
  EXPECT_THAT(entry.error().message, HasSubstr("field \"step\""));
}

}  // namespace
}  // namespace ka::model

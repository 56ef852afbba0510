// journal.jsonl: which steps of a run are finished, one line per step, only ever appended to. docs/run_directory.md
// specifies the format. A line is on the disk before record() returns; a line that a crash has left half written is cut
// off at the next opening, so the step that it stood for is simply not finished.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/files.h"

namespace ka::model {

struct ArtifactRef {
  std::string path;  // relative to the run directory
  std::string sha256;
  bool operator==(const ArtifactRef&) const = default;
};

struct JournalEntry {
  std::uint64_t seq = 0;  // 1, 2, 3, ...
  std::string step;       // one word: the stage
  std::string key;        // what it was done for; the same step and key again means: done again
  std::vector<ArtifactRef> artifacts;
  bool operator==(const JournalEntry&) const = default;
};

struct JournalText {
  std::vector<JournalEntry> entries;
  std::size_t good_bytes = 0;  // length of the text up to the end of the last good line
  std::string cut;             // a sentence about what follows it; empty when nothing does
};

// The line for an entry, checksum included, without a line end. Refuses texts that would not read back as they are
// (bytes that are not UTF-8).
Result<std::string> journal_line(const JournalEntry& entry);
Result<JournalEntry> parse_journal_line(std::string_view line);

// A bad last line is what a crash leaves behind: cut. A bad line anywhere else is damage: an error that names the line.
Result<JournalText> parse_journal(std::string_view text, const std::string& path);

class Journal {
 public:
  // Opens for appending (makes the file when there is none, cuts off a torn last line).
  static Result<Journal> open(const std::string& path);
  // Only reads: nothing on the disk changes, record() is refused.
  static Result<Journal> read(const std::string& path);

  // When it fails nothing is recorded and the file is as before. Should even that be impossible to ensure (the disk has
  // become read-only in the middle of a line), all further records are refused.
  Status record(const std::string& step, const std::string& key, std::vector<ArtifactRef> artifacts);

  const std::vector<JournalEntry>& entries() const { return entries_; }
  // The newest entry for it; null when there is none.
  const JournalEntry* find(std::string_view step, std::string_view key) const;
  // What opening had to cut off, as a sentence; empty when nothing.
  const std::string& cut() const { return cut_; }

 private:
  Journal(std::string path, JournalText text);
  Error take_back(const Error& why);

  std::string path_;
  std::vector<JournalEntry> entries_;
  std::size_t good_bytes_ = 0;
  std::string cut_;
  std::optional<os::AppendFile> file_;  // nothing when only reading
  bool broken_ = false;
};

}  // namespace ka::model

// A line is a JSON object whose last field is a checksum of the bytes before it:
//
//   {"artifacts":[...],"key":"sg_1","seq":7,"step":"verify","sum":"0123456789abcdef"}
//   '------------------------- summed --------------------'
//
// so a reader needs no canonical form of JSON to check it: it compares bytes.
#include "model/journal.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/hash.h"
#include "base/json_fields.h"

namespace ka::model {

namespace {

constexpr std::size_t kMaxJournalBytes = std::size_t{1} << 30;
constexpr std::size_t kSumDigits = 16;
constexpr std::string_view kSumStart = ",\"sum\":\"";
constexpr std::string_view kSumEnd = "\"}";
constexpr std::size_t kSumBytes = kSumStart.size() + kSumDigits + kSumEnd.size();

std::string checksum(std::string_view bytes) { return sha256_hex(bytes).substr(0, kSumDigits); }

Result<JournalEntry> entry_from_json(const Json& json) {
  FieldReader in(json, "journal entry");
  JournalEntry entry;
  entry.seq = in.required<std::uint64_t>("seq");
  entry.step = in.required<std::string>("step");
  entry.key = in.required<std::string>("key");
  if (const Json* list = in.required_array("artifacts")) {
    for (const Json& item : *list) {
      FieldReader artifact(item, "artifact");
      ArtifactRef& ref = entry.artifacts.emplace_back();
      ref.path = artifact.required<std::string>("path");
      ref.sha256 = artifact.required<std::string>("sha256");
      if (!artifact.good()) in.fail(artifact.status().error());
    }
  }
  KA_TRY(in.status());
  return entry;
}

// A crash leaves the beginning of one line. A whole line with something else in place of its line end is damage:
// were it cut off like a torn one, a finished step would be lost without a word. (Some file systems leave zeros.)
bool has_whole_line_inside(std::string_view text) {
  const std::size_t sum = text.find(kSumStart);
  if (sum == std::string_view::npos || text.size() <= sum + kSumBytes) return false;
  return parse_journal_line(text.substr(0, sum + kSumBytes)) &&
         text.find_first_not_of('\0', sum + kSumBytes) != std::string_view::npos;
}

// Cutting is one change of the file's length: a crash leaves the old length, which is cut again, or the new one.
Status set_length(const std::string& path, std::size_t bytes) {
  std::error_code error;
  std::filesystem::resize_file(path, bytes, error);
  if (error) return io_error("cannot cut " + path + ": " + error.message());
  return ok();
}

}  // namespace

Result<std::string> journal_line(const JournalEntry& entry) {
  Json artifacts = Json::array();
  for (const ArtifactRef& ref : entry.artifacts) artifacts.push_back({{"path", ref.path}, {"sha256", ref.sha256}});
  const Json json = {{"artifacts", artifacts}, {"key", entry.key}, {"seq", entry.seq}, {"step", entry.step}};
  std::string line = to_json_text(json);
  line.pop_back();  // the closing brace comes after the checksum
  line += fmt::format("{}{}{}", kSumStart, checksum(line), kSumEnd);
  Result<JournalEntry> back = parse_journal_line(line);
  if (!back || *back != entry) {
    return invalid_input(fmt::format("journal: step \"{}\" has a name that is not UTF-8 text", entry.step));
  }
  return line;
}

Result<JournalEntry> parse_journal_line(std::string_view line) {
  if (line.size() <= kSumBytes) return invalid_input("too short");
  const std::string_view summed = line.substr(0, line.size() - kSumBytes);
  if (line.substr(summed.size()) != fmt::format("{}{}{}", kSumStart, checksum(summed), kSumEnd)) {
    return invalid_input("the checksum does not fit");
  }
  KA_ASSIGN(Json json, parse_json(line, "journal entry"));
  return entry_from_json(json);
}

Result<JournalText> parse_journal(std::string_view text, const std::string& path) {
  JournalText journal;
  while (journal.good_bytes < text.size()) {
    const std::size_t number = journal.entries.size() + 1;
    const std::string_view rest = text.substr(journal.good_bytes);
    const std::size_t end = rest.find('\n');
    const bool last = end == std::string_view::npos || end + 1 == rest.size();
    Result<JournalEntry> entry = end == std::string_view::npos ? Result<JournalEntry>(invalid_input("it has no end"))
                                                               : parse_journal_line(rest.substr(0, end));
    if (entry && entry->seq != number) {
      return invalid_input(fmt::format("{}:{}: damaged: sequence number {} where {} should be", path, number,
                                       entry->seq, number));
    }
    if (!entry && (!last || has_whole_line_inside(rest.substr(0, end)))) {
      return invalid_input(fmt::format("{}:{}: damaged: {}", path, number, entry.error().message));
    }
    if (!entry) {
      journal.cut = fmt::format("{}:{}: cut off an unfinished last line of {} bytes ({})", path, number, rest.size(),
                                entry.error().message);
      break;
    }
    journal.good_bytes += end + 1;
    journal.entries.push_back(std::move(entry).value());
  }
  return journal;
}

Journal::Journal(std::string path, JournalText text)
    : path_(std::move(path)),
      entries_(std::move(text.entries)),
      good_bytes_(text.good_bytes),
      cut_(std::move(text.cut)) {}

Result<Journal> Journal::read(const std::string& path) {
  Result<std::string> text = os::read_file(path, kMaxJournalBytes);
  // A run that was killed before its first step has no journal yet.
  if (!text && text.error().kind != ErrorKind::not_found) return text.error();
  KA_ASSIGN(JournalText parsed, parse_journal(text ? std::string_view(*text) : std::string_view(), path));
  return Journal(path, std::move(parsed));
}

Result<Journal> Journal::open(const std::string& path) {
  KA_ASSIGN(Journal journal, read(path));
  if (!journal.cut_.empty()) KA_TRY(set_length(path, journal.good_bytes_));
  KA_ASSIGN(os::AppendFile file, os::AppendFile::open(path, os::Sync::yes));
  journal.file_.emplace(std::move(file));
  return journal;
}

Status Journal::record(const std::string& step, const std::string& key, std::vector<ArtifactRef> artifacts) {
  if (!file_) return internal_error(path_ + " was opened for reading only");
  if (broken_) return io_error(path_ + ": an earlier write failed half way; the run must be opened again");
  JournalEntry entry{entries_.size() + 1, step, key, std::move(artifacts)};
  KA_ASSIGN(std::string line, journal_line(entry));
  if (Status written = file_->append_line(line); !written) return take_back(written.error());
  good_bytes_ += line.size() + 1;
  entries_.push_back(std::move(entry));
  return ok();
}

// A failed write may have left a part of the line; the next one must not be glued to it.
Error Journal::take_back(const Error& why) {
  Status cut = set_length(path_, good_bytes_);
  if (cut) return why;
  broken_ = true;
  return Error{why.kind, why.message + "; " + cut.error().message};
}

const JournalEntry* Journal::find(std::string_view step, std::string_view key) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->step == step && entry->key == key) return &*entry;
  }
  return nullptr;
}

}  // namespace ka::model

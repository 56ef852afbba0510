#include "model/run_directory.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/hash.h"
#include "base/json_fields.h"
#include "base/strings.h"
#include "model/run_lock.h"
#include "model/temporary_name.h"
#include "os/files.h"

namespace ka::model {

namespace fs = std::filesystem;

namespace {

constexpr const char* kInfoFile = "run.json";
constexpr const char* kJournalFile = "journal.jsonl";
constexpr const char* kEventsFile = "events.jsonl";
constexpr const char* kLockFile = "lock";
constexpr std::size_t kMaxArtifactBytes = std::size_t{4} << 30;

Result<RunInfo> read_info(const std::string& folder) {
  const std::string path = folder + "/" + kInfoFile;
  if (!os::is_directory(folder)) return not_found("there is no run directory " + folder);
  if (!os::exists(path)) return not_found(folder + " is not a run directory: it has no " + kInfoFile);
  KA_ASSIGN(std::string text, os::read_file(path));
  KA_ASSIGN(Json json, parse_json(text, path));
  Result<RunInfo> info = run_info_from_json(json);
  if (!info) return info.error().with(path);
  return info;
}

Status check_id(const std::string& id) {
  KA_TRY(check_artifact_name(id));
  if (id.find('/') != std::string::npos) return invalid_input("run id \"" + id + "\": it must not contain \"/\"");
  return ok();
}

// A creation that was killed leaves the folder, the lock and perhaps a temporary run.json: nothing of value.
Status check_takeover(const std::string& folder) {
  if (os::exists(folder + "/" + kInfoFile)) return invalid_input("run directory " + folder + " exists already");
  KA_ASSIGN(std::vector<std::string> names, os::list_dir(folder));
  for (const std::string& name : names) {
    if (name != kLockFile && !is_temporary_name(name)) {
      return invalid_input(fmt::format("{} exists and is not a run directory (it holds {})", folder, name));
    }
  }
  return ok();
}

// Files that a crash left unfinished. Nobody else writes here: we hold the lock.
Status remove_temporaries(const std::string& folder, std::vector<std::string>& repairs) {
  std::error_code error;
  std::vector<fs::path> found;
  fs::recursive_directory_iterator walk(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    std::error_code ignored;
    const bool regular = walk->symlink_status(ignored).type() == fs::file_type::regular;
    if (regular && is_temporary_name(walk->path().filename().string())) found.push_back(walk->path());
  }
  if (error) return io_error("cannot read folder " + folder + ": " + error.message());
  for (const fs::path& path : found) {
    fs::remove(path, error);
    if (error) return io_error("cannot remove " + path.string() + ": " + error.message());
    repairs.push_back("removed the unfinished file " + path.string());
  }
  return ok();
}

// Length of the file up to and including its last line end. Reads backwards: the file may be large, a line is not.
std::uintmax_t length_of_whole_lines(const std::string& path, std::uintmax_t length) {
  constexpr std::uintmax_t kBlock = 4096;
  std::ifstream file(path, std::ios::binary);
  while (length > 0 && file) {
    const std::uintmax_t start = length > kBlock ? length - kBlock : 0;
    std::string block(static_cast<std::size_t>(length - start), '\0');
    file.seekg(static_cast<std::streamoff>(start));
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (const std::size_t end = block.rfind('\n'); end != std::string::npos) return start + end + 1;
    length = start;
  }
  return 0;
}

// Only a line end makes an event; the next one must not be glued to half of the one before.
Status cut_torn_event(const std::string& path, std::vector<std::string>& repairs) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return ok();
  const std::uintmax_t length = fs::file_size(path, error);
  const std::uintmax_t whole = error ? 0 : length_of_whole_lines(path, length);
  if (!error && whole == length) return ok();
  if (!error) fs::resize_file(path, whole, error);
  if (error) return io_error("cannot mend " + path + ": " + error.message());
  repairs.push_back(fmt::format("{}: cut off an unfinished last line of {} bytes", path, length - whole));
  return ok();
}

}  // namespace

struct RunDirectory::State {
  std::string path;
  RunInfo info;
  std::vector<std::string> repairs;
  std::optional<RunLock> lock;  // nothing when only reading
  std::optional<Journal> journal;
  mutable std::mutex mutex;  // guards the journal
};

RunDirectory::RunDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunDirectory::RunDirectory(RunDirectory&&) noexcept = default;
RunDirectory& RunDirectory::operator=(RunDirectory&&) noexcept = default;
RunDirectory::~RunDirectory() = default;

Result<RunDirectory> RunDirectory::create(const std::string& root, const RunInfo& info) {
  KA_TRY(check_id(info.id));
  const std::string folder = root + "/" + info.id;
  KA_TRY(os::make_dirs(folder));
  {
    KA_ASSIGN(RunLock lock, RunLock::acquire(folder + "/" + kLockFile));
    KA_TRY(check_takeover(folder));
    // Last, because with it the folder becomes a run directory.
    KA_TRY(os::write_file_atomic(folder + "/" + kInfoFile, to_pretty_json_text(to_json(info))));
  }
  return open(folder);
}

Result<RunDirectory> RunDirectory::open(const std::string& path, Access access) {
  auto state = std::make_unique<State>();
  state->path = path;
  KA_ASSIGN(state->info, read_info(path));
  const std::string journal = path + "/" + kJournalFile;
  if (access == Access::read) {
    KA_ASSIGN(Journal opened, Journal::read(journal));
    state->journal.emplace(std::move(opened));
    return RunDirectory(std::move(state));
  }
  KA_ASSIGN(RunLock lock, RunLock::acquire(path + "/" + kLockFile));
  state->lock.emplace(std::move(lock));
  KA_TRY(remove_temporaries(path, state->repairs));
  KA_TRY(cut_torn_event(path + "/" + kEventsFile, state->repairs));
  KA_ASSIGN(Journal opened, Journal::open(journal));
  if (!opened.cut().empty()) state->repairs.push_back(opened.cut());
  state->journal.emplace(std::move(opened));
  return RunDirectory(std::move(state));
}

const std::string& RunDirectory::path() const { return state_->path; }
const RunInfo& RunDirectory::info() const { return state_->info; }
std::string RunDirectory::events_path() const { return state_->path + "/" + kEventsFile; }
const std::vector<std::string>& RunDirectory::repairs() const { return state_->repairs; }

Result<std::string> RunDirectory::artifact_path(std::string_view name) const {
  KA_TRY(check_artifact_name(name));
  std::string path = state_->path;
  for (const std::string& part : split(name, '/')) {
    path += "/" + part;
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(path, ignored))) {
      return invalid_input(fmt::format("artefact name \"{}\": {} is a link", name, path));
    }
  }
  return path;
}

Status RunDirectory::write_artifact(std::string_view name, std::string_view text) {
  if (!state_->lock) return internal_error(state_->path + " was opened for reading only");
  KA_ASSIGN(std::string path, artifact_path(name));
  KA_TRY(os::make_dirs(path.substr(0, path.rfind('/'))));
  return os::write_file_atomic(path, text);
}

Result<std::string> RunDirectory::read_artifact(std::string_view name) const {
  KA_ASSIGN(std::string path, artifact_path(name));
  return os::read_file(path, kMaxArtifactBytes);
}

Status RunDirectory::record(const std::string& step, const std::string& key,
                            const std::vector<std::string>& artifacts) {
  std::vector<ArtifactRef> refs;
  for (const std::string& name : artifacts) {
    Result<std::string> text = read_artifact(name);
    if (!text) return text.error().with("cannot record step " + step);
    refs.push_back({name, sha256_hex(*text)});
  }
  const std::lock_guard guard(state_->mutex);
  return state_->journal->record(step, key, std::move(refs));
}

std::string RunDirectory::why_not(const std::string& step, const std::string& key) const {
  JournalEntry entry;
  {
    const std::lock_guard guard(state_->mutex);
    const JournalEntry* found = state_->journal->find(step, key);
    if (found == nullptr) return fmt::format("{} is not recorded for {}", step, key);
    entry = *found;
  }
  for (const ArtifactRef& ref : entry.artifacts) {
    Result<std::string> text = read_artifact(ref.path);
    if (!text) return text.error().message;
    if (sha256_hex(*text) != ref.sha256) return fmt::format("{} was changed after it was recorded", ref.path);
  }
  return {};
}

std::vector<JournalEntry> RunDirectory::entries() const {
  const std::lock_guard guard(state_->mutex);
  return state_->journal->entries();
}

}  // namespace ka::model

#include "store/winners.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include "base/json_fields.h"
#include "os/files.h"

namespace ka::store {
namespace {

constexpr int kApplication = 0x4b415731;  // "KAW1": whose file it is
constexpr int kVersion = 1;
constexpr int kBusyMs = 10'000;
constexpr int kMaxValueBytes = 16 << 20;
constexpr const char* kTable =
    "CREATE TABLE winners (signature TEXT NOT NULL, gpu TEXT NOT NULL, kernelagent TEXT NOT NULL, torch TEXT NOT NULL, triton TEXT NOT NULL, best_ms REAL NOT NULL, row TEXT NOT NULL,"
    " PRIMARY KEY (signature, gpu, kernelagent, torch, triton)) WITHOUT ROWID";

// What SQLite says, as somebody's turn.
Error trouble(const std::string& path, int code, const std::string& said) {
  const int kind = code & 0xff;
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED) return environment_error(fmt::format("the store of winners {} is kept busy by another process ({})", path, said));
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_TOOBIG)
    return invalid_input(fmt::format("{} is no store of winners, or damaged ({}); move it away, and kernelagent runs winners --rebuild makes it again", path, said));
  return environment_error(fmt::format("the store of winners {} cannot be used: {}", path, said));
}

Error damaged(const std::string& path, const std::string& why) { return trouble(path, SQLITE_CORRUPT, why); }

}  // namespace

struct Winners::Handle {
  std::string path;
  sqlite3* db = nullptr;
  ~Handle() { sqlite3_close(db); }

  Error error(int code) const { return trouble(path, code, sqlite3_errmsg(db)); }

  Status run(const char* sql) const {
    const int code = sqlite3_exec(db, sql, nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? ok() : Status(error(code));
  }

  // The first column of each row, as text.
  Result<std::vector<std::string>> rows(const char* sql, const std::vector<std::string>& values = {}, const std::vector<double>& numbers = {}) const {
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(statement, sqlite3_finalize);
    int at = 0;
    for (const std::string& value : values) {
      if (code == SQLITE_OK) code = sqlite3_bind_text64(statement, ++at, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
    for (const double number : numbers) {
      if (code == SQLITE_OK) code = sqlite3_bind_double(statement, ++at, number);
    }
    if (code != SQLITE_OK) return error(code);
    std::vector<std::string> out;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      const unsigned char* const text = sqlite3_column_text(statement, 0);
      if (text == nullptr) return damaged(path, "a row is empty");
      out.emplace_back(reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_column_bytes(statement, 0)));
    }
    if (code != SQLITE_DONE) return error(code);
    return out;
  }

  // Also of a file that somebody else has made to hurt: no triggers or views of it count, and nothing in it is larger than a kernel can be.
  Status settle() const {
    sqlite3_busy_timeout(db, kBusyMs);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kMaxValueBytes);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    return run("PRAGMA cell_size_check = ON");
  }

  Result<bool> is_empty() const {
    KA_ASSIGN(const std::vector<std::string> tables, rows("SELECT count(*) FROM sqlite_master"));
    return tables[0] == "0";
  }

  Status check() const {
    KA_ASSIGN(const std::vector<std::string> application, rows("PRAGMA application_id"));
    KA_ASSIGN(const std::vector<std::string> version, rows("PRAGMA user_version"));
    if (application[0] != std::to_string(kApplication)) return damaged(path, "another program's database");
    if (version[0] != std::to_string(kVersion)) return damaged(path, fmt::format("its form is number {}, and {} is known", version[0], kVersion));
    return ok();
  }

  Result<std::vector<Winner>> winners(const char* sql, const std::vector<std::string>& values = {}) const {
    KA_ASSIGN(const std::vector<std::string> texts, rows(sql, values));
    std::vector<Winner> out;
    for (const std::string& text : texts) {
      const Result<Json> json = parse_json(text, "a row");
      if (!json) return damaged(path, json.error().message);
      Result<Winner> one = winner_from_json(*json);
      if (!one) return damaged(path, one.error().message);
      out.push_back(std::move(*one));
    }
    return out;
  }
};

Winners::Winners(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Winners::Winners(Winners&&) noexcept = default;
Winners& Winners::operator=(Winners&&) noexcept = default;
Winners::~Winners() = default;

Result<std::optional<Winners>> Winners::look(const std::string& path) {
  if (!os::exists(path)) return std::optional<Winners>();
  auto handle = std::make_unique<Handle>();
  handle->path = path;
  // Not read only: a writer that was killed may have left something to undo.
  if (const int code = sqlite3_open_v2(path.c_str(), &handle->db, SQLITE_OPEN_READWRITE, nullptr); code != SQLITE_OK) return handle->error(code);
  KA_TRY(handle->settle());
  KA_ASSIGN(const bool empty, handle->is_empty());
  if (empty) return std::optional<Winners>();  // somebody is just making it
  KA_TRY(handle->check());
  return std::optional<Winners>(Winners(std::move(handle)));
}

Result<Winners> Winners::open(const std::string& path) {
  if (const std::string folder = std::filesystem::path(path).parent_path().string(); !folder.empty()) KA_TRY(os::make_dirs(folder));
  auto handle = std::make_unique<Handle>();
  handle->path = path;
  if (const int code = sqlite3_open_v2(path.c_str(), &handle->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr); code != SQLITE_OK) return handle->error(code);
  KA_TRY(handle->settle());
  KA_TRY(handle->run("BEGIN IMMEDIATE"));
  KA_ASSIGN(const bool empty, handle->is_empty());
  if (empty) {
    KA_TRY(handle->run(kTable));
    KA_TRY(handle->run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion).c_str()));
  }
  KA_TRY(handle->run("COMMIT"));
  KA_TRY(handle->check());
  return Winners(std::move(handle));
}

Result<bool> Winners::put(const Winner& winner) {
  const Json json = to_json(winner);
  KA_TRY(winner_from_json(json));
  const WinnerVersions& versions = winner.versions;
  KA_ASSIGN(const std::vector<std::string> taken,
            handle_->rows("INSERT INTO winners (signature, gpu, kernelagent, torch, triton, row, best_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
                          " ON CONFLICT DO UPDATE SET row = excluded.row, best_ms = excluded.best_ms WHERE excluded.best_ms < winners.best_ms RETURNING signature",
                          {winner.signature, winner.gpu, versions.kernelagent, versions.torch, versions.triton, to_json_text(json)}, {winner.best_ms}));
  return !taken.empty();
}

Result<std::vector<Winner>> Winners::all() { return handle_->winners("SELECT row FROM winners ORDER BY gpu, signature, best_ms"); }

Result<std::vector<Winner>> Winners::of(const std::string& signature, const std::string& gpu) {
  return handle_->winners("SELECT row FROM winners WHERE signature = ?1 AND gpu = ?2 ORDER BY best_ms", {signature, gpu});
}

Result<std::size_t> Winners::remove(const std::string& beginning) {
  if (beginning.empty() || beginning.find_first_not_of("0123456789abcdef") != std::string::npos) return invalid_input(fmt::format("\"{}\" is no signature, nor the beginning of one", beginning));
  KA_ASSIGN(const std::vector<std::string> found, handle_->rows("SELECT DISTINCT signature FROM winners WHERE substr(signature, 1, length(?1)) = ?1", {beginning}));
  if (found.empty()) return invalid_input(fmt::format("no winner has a signature that begins with {}", beginning));
  if (found.size() > 1) return invalid_input(fmt::format("{} signatures begin with {}; give more of it", found.size(), beginning));
  KA_ASSIGN(const std::vector<std::string> gone, handle_->rows("DELETE FROM winners WHERE signature = ?1 RETURNING signature", {found[0]}));
  return gone.size();
}

}  // namespace ka::store

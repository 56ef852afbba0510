#include "route/cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"
#include "os/file_lock.h"
#include "os/files.h"

namespace ka::route {
namespace {

constexpr int kSchema = 1;
constexpr std::size_t kKeyDigits = 64;
// A writer holds the lock for milliseconds. One that does not let go has been stopped, and a cache is not worth waiting for it.
constexpr std::chrono::seconds kLockLimit{5};
constexpr std::array<std::string_view, 4> kStrategies = {"kernelagent", "fuser", "kernel_then_fuser", "fuser_then_kernel"};

bool is_key(std::string_view text) {
  return text.size() == kKeyDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error damaged(const std::string& path, const std::string& why) {
  return invalid_input(fmt::format("{} is no router cache that this program can read ({}); remove it, or pass --no-router-cache", path, why));
}

Result<CacheEntry> entry_of(const Json& json) {
  FieldReader in(json, "entry");
  CacheEntry entry;
  entry.key = in.required<std::string>("key");
  const Json* route = in.required_object("route");
  KA_TRY(in.status());
  if (!is_key(entry.key)) return invalid_input("key: a SHA-256 in hexadecimal is accepted");
  KA_ASSIGN(entry.route, model::route_from_json(*route));
  if (std::find(kStrategies.begin(), kStrategies.end(), entry.route.strategy) == kStrategies.end())
    return invalid_input(fmt::format("route: unknown strategy {}; accepted: {}", to_json_text(entry.route.strategy), fmt::join(kStrategies, ", ")));
  return entry;
}

Result<std::vector<CacheEntry>> entries_of(std::string_view text) {
  KA_ASSIGN(const Json json, parse_json(text, "text"));
  FieldReader in(json, "file");
  const auto schema = in.required<std::int64_t>("schema");
  if (in.good() && schema > kSchema) return invalid_input(fmt::format("its schema {} is newer than {}", schema, kSchema));
  if (in.good() && schema < 1) return invalid_input(fmt::format("schema {} does not exist", schema));
  const Json* list = in.required_array("entries");
  KA_TRY(in.status());
  std::vector<CacheEntry> entries;
  for (const Json& item : *list) {
    Result<CacheEntry> entry = entry_of(item);
    if (!entry) return entry.error().with(fmt::format("entry {}", entries.size()));
    entries.push_back(std::move(entry).value());
  }
  return entries;
}

Result<std::vector<CacheEntry>> read_cache(const std::string& path) {
  Result<std::string> text = os::read_file(path);
  if (!text && text.error().kind == ErrorKind::not_found) return std::vector<CacheEntry>();
  if (!text && text.error().kind == ErrorKind::invalid_input) return damaged(path, text.error().message);
  // the user can mend it, or do without
  if (!text) return invalid_input(text.error().message).with("router cache (--no-router-cache does without it)");
  return parse_cache(*text, path);
}

Error unkept(const Error& why) { return why.with("cannot keep the route (--no-router-cache does without it)"); }

}  // namespace

std::string cache_key(const CacheQuestion& question) {
  Sha256 sum;
  // The length before each text: otherwise two questions could be one row of bytes.
  for (const std::string* text : {&question.problem_text, &question.object, &question.platform, &question.mode, &question.version})
    sum.update(fmt::format("{}:", text->size())).update(*text);
  return sum.hex();
}

Result<std::vector<CacheEntry>> parse_cache(std::string_view text, const std::string& path) {
  Result<std::vector<CacheEntry>> entries = entries_of(text);
  if (!entries) return damaged(path, entries.error().message);
  return entries;
}

std::string cache_text(const std::vector<CacheEntry>& entries) {
  Json list = Json::array();
  for (const CacheEntry& entry : entries) list.push_back({{"key", entry.key}, {"route", model::to_json(entry.route)}});
  return to_pretty_json_text(Json{{"schema", kSchema}, {"entries", std::move(list)}});
}

Result<std::optional<model::Route>> look_up(const std::string& path, const std::string& key) {
  KA_ASSIGN(std::vector<CacheEntry> entries, read_cache(path));
  const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const CacheEntry& entry) { return entry.key == key; });
  if (found == entries.rend()) return std::optional<model::Route>();
  return std::optional<model::Route>(std::move(found->route));
}

Status remember(const std::string& path, const std::string& key, const model::Route& route) {
  if (!is_key(key)) return internal_error("router cache: the key is no SHA-256");
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (!folder.empty()) {
    if (Status made = os::make_dirs(folder); !made) return unkept(made.error());
  }
  Result<os::FileLock> lock = os::FileLock::acquire(path + ".lock", os::Deadline::in(kLockLimit), {});
  if (!lock) return unkept(lock.error());
  lock->sign(fmt::format("process {}", ::getpid()));
  KA_ASSIGN(std::vector<CacheEntry> entries, read_cache(path));
  std::erase_if(entries, [&](const CacheEntry& entry) { return entry.key == key; });
  entries.push_back({key, route});
  if (entries.size() > kMaxCacheEntries)
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kMaxCacheEntries));
  if (Status written = os::write_file_atomic(path, cache_text(entries)); !written) return unkept(written.error());
  return ok();
}

}  // namespace ka::route

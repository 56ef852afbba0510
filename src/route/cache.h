// .fuse/router_cache.json: routes that were decided before, so that the same problem is not looked at twice. docs/router_cache.md
// has the format. The cache only ever saves time: whoever passes --no-router-cache gets the same kernels without it.
//
// Two runs at once lose nothing: a writer holds a lock ("<path>.lock") from reading to renaming, a reader always sees a whole file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/route.h"

namespace ka::route {

// Everything that a route may depend on.
struct CacheQuestion {
  std::string problem_text;
  std::string object;    // which module or function of it; empty for KernelBench's form
  std::string platform;  // "cuda"
  std::string mode;      // "train", "eval"
  std::string version;   // of the program: another one may decide otherwise
};
// SHA-256 in hexadecimal.
std::string cache_key(const CacheQuestion& question);

// More than these are never kept; the oldest go first.
inline constexpr std::size_t kMaxCacheEntries = 512;

struct CacheEntry {
  std::string key;
  model::Route route;
  bool operator==(const CacheEntry&) const = default;
};

// The entries of such a file, oldest first. Damage of any kind is one sentence (invalid_input) that names the file and the flag that
// does without it.
Result<std::vector<CacheEntry>> parse_cache(std::string_view text, const std::string& path);
std::string cache_text(const std::vector<CacheEntry>& entries);

// The route as it was remembered; nothing when there is none, or no file. Damage as above; the file stays as it is.
Result<std::optional<model::Route>> look_up(const std::string& path, const std::string& key);

// Adds it as the newest, in place of an older one for that key. Makes the folder when there is none. A damaged file is an error and
// stays as it is.
Status remember(const std::string& path, const std::string& key, const model::Route& route);

}  // namespace ka::route

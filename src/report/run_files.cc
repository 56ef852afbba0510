#include "report/run_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "model/run_directory.h"
#include "os/files.h"

namespace ka::report {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks, on every file system
constexpr const char* kReplacement = "\xEF\xBF\xBD";

template <typename Visit>
void walk(const std::string& folder, Visit visit) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    struct stat status{};
    if (::lstat(it->path().c_str(), &status) == 0) visit(it->path(), status);
  }
}

std::uint64_t on_disk(const struct stat& status) {
  return static_cast<std::uint64_t>(status.st_blocks) * kBlockBytes;
}

// Why the way to an artefact may not be gone; empty when it may.
std::string obstacle(const std::string& folder, std::string_view name) {
  std::string path = folder;
  for (const std::string& part : split(name, '/')) {
    if (part.empty() || part == "." || part == "..") return "not a name of a file of this run";
    path += "/" + part;
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(path, ignored)))
      return fmt::format("{} is a link, and links are not followed", path);
  }
  return {};
}

// Length of the UTF-8 character at the start, 0 when there is none. Overlong forms and surrogates are none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3)
               ? 4
               : 0;
  return 0;
}

bool is_plain(char c) {
  return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) || c == '\n' || c == '\t';
}

}  // namespace

std::vector<FileEntry> list_files(const std::string& folder) {
  std::vector<FileEntry> files;
  walk(folder, [&](const fs::path& path, const struct stat& status) {
    if (S_ISDIR(status.st_mode)) return;
    files.push_back({one_line(path.lexically_relative(folder).string()),
                     static_cast<std::uint64_t>(status.st_size), on_disk(status),
                     S_ISLNK(status.st_mode) != 0});
  });
  std::sort(files.begin(), files.end(),
            [](const FileEntry& a, const FileEntry& b) { return a.name < b.name; });
  return files;
}

std::uint64_t disk_bytes(const std::string& folder) {
  std::uint64_t sum = 0;
  walk(folder, [&](const fs::path&, const struct stat& status) { sum += on_disk(status); });
  return sum;
}

bool RunFiles::has(std::string_view name) const {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(fmt::format("{}/{}", folder_, name), ignored));
}

std::optional<std::string> RunFiles::text(std::string_view name, std::size_t max_bytes) {
  const std::string stop = obstacle(folder_, name);
  if (!stop.empty()) {
    complain(name, stop);
    return std::nullopt;
  }
  Result<std::string> read = os::read_file(fmt::format("{}/{}", folder_, name), std::min(max_bytes, left_));
  if (!read && read.error().kind == ErrorKind::not_found) return std::nullopt;
  if (!read) {
    complain(name, read.error().message);
    return std::nullopt;
  }
  left_ -= read->size();
  return mended(std::move(read).value());
}

std::shared_ptr<const Json> RunFiles::json(std::string_view name) {
  const std::optional<std::string> read = text(name, kMaxJsonBytes);
  std::optional<Json> parsed;
  if (read) parsed = taken(name, parse_json(*read, std::string(name)));
  return parsed ? std::make_shared<const Json>(std::move(*parsed)) : nullptr;
}

void RunFiles::complain(std::string_view name, std::string_view what) {
  // Many readers name the file themselves.
  std::string sentence =
      what.find(name) == std::string_view::npos ? fmt::format("{}: {}", name, what) : std::string(what);
  constexpr std::size_t kLongest = 400, kMost = 100;
  sentence = elide_middle(one_line(std::move(sentence)), kLongest);
  if (complaints_.size() < kMost &&
      std::find(complaints_.begin(), complaints_.end(), sentence) == complaints_.end())
    complaints_.push_back(std::move(sentence));
}

std::string mended(std::string text) {
  std::size_t good = 0;
  while (good < text.size() && is_plain(text[good])) {
    const std::size_t length = character_length(std::string_view(text).substr(good));
    if (length == 0) break;
    good += length;
  }
  if (good == text.size()) return text;  // nearly always
  std::string out = text.substr(0, good);
  for (std::size_t i = good; i < text.size();) {
    const std::size_t length = character_length(std::string_view(text).substr(i));
    if (length == 0 || !is_plain(text[i]))
      out += kReplacement;
    else
      out.append(text, i, length);
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

std::string one_line(std::string text) {
  std::string out = mended(std::move(text));
  std::replace_if(out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return out;
}

}  // namespace ka::report

// The files of a run directory, read as suspects: the run may be going on, damaged, or made by somebody who
// means no good. Nothing is followed through a link, nothing larger than its limit is read, and what cannot
// be read becomes a sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace ka::report {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxTextBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxRunBytes = std::size_t{256} << 20;  // of all files that are read of one run

struct FileEntry {
  std::string name;              // relative to the run directory
  std::uint64_t bytes = 0;       // its length
  std::uint64_t disk_bytes = 0;  // what it takes on the disk
  bool is_link = false;
};

// All files below, sorted by name; links are named and not followed. Stops quietly where it may not look.
std::vector<FileEntry> list_files(const std::string& folder);
// The same without the names.
std::uint64_t disk_bytes(const std::string& folder);

class RunFiles {
 public:
  explicit RunFiles(std::string folder) : folder_(std::move(folder)) {}
  const std::string& folder() const { return folder_; }

  bool has(std::string_view name) const;
  // Nothing when there is no such file; nothing and a complaint when it cannot be read. Text that is not
  // UTF-8 is mended.
  std::optional<std::string> text(std::string_view name, std::size_t max_bytes = kMaxTextBytes);
  std::shared_ptr<const Json> json(std::string_view name);
  // A value of src/model in a file of its own.
  template <typename T>
  std::optional<T> value(std::string_view name, Result<T> (*read)(const Json&)) {
    const std::shared_ptr<const Json> json = this->json(name);
    if (!json) return std::nullopt;
    return taken(name, read(*json));
  }
  template <typename T>
  std::optional<T> taken(std::string_view name, Result<T> value) {
    if (value) return std::move(value).value();
    complain(name, value.error().message);
    return std::nullopt;
  }
  // A sentence about what is wrong with a file.
  void complain(std::string_view name, std::string_view what);
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  std::string folder_;
  std::size_t left_ = kMaxRunBytes;
  std::vector<std::string> complaints_;
};

// Bytes that are not UTF-8, and control characters other than line ends and tabs, become U+FFFD.
std::string mended(std::string text);
// The same, with blanks for line ends and tabs: nothing in it can look like another line of a table.
std::string one_line(std::string text);

}  // namespace ka::report

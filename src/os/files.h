// Files and folders. Error messages always say which path and what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"

namespace ka::os {

inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

// The whole file. Missing is not_found; a directory, a file that is too large or no regular file is
// invalid_input; unreadable is io. Never blocks on a pipe or device that stands where a file should be.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

// After it, the path holds either the old content or all of the new one, also after a crash or power loss:
// temporary file in the same folder, fsync, rename, fsync of the folder. A crash may leave the temporary file
// ("<path>.tmp...").
Status write_file_atomic(const std::string& path, std::string_view text);

enum class Sync { no, yes };

// A file that only grows, one line at a time; a line is one write(2), so lines of several writers do not mix.
class AppendFile {
 public:
  static Result<AppendFile> open(const std::string& path, Sync sync = Sync::no);
  // Adds the line end. A line must not contain one. With Sync::yes it is on the disk when this returns.
  Status append_line(std::string_view line);
  const std::string& path() const { return path_; }

 private:
  AppendFile(UniqueFd fd, std::string path, Sync sync);
  UniqueFd fd_;
  std::string path_;
  Sync sync_;
};

// Follows links; false also when the way there is not readable.
bool exists(const std::string& path);
bool is_directory(const std::string& path);

// Like mkdir -p, mode 0777 less the umask; a folder that exists is fine.
Status make_dirs(const std::string& path);

// Removes the file, link or folder with all it holds; never follows a link, never crosses into what a link
// names. A path that does not exist is fine.
Status remove_tree(const std::string& path);

// Names (not paths) in a folder, sorted, without "." and "..".
Result<std::vector<std::string>> list_dir(const std::string& path);

// Bytes an ordinary user may still write on the file system that holds the path.
Result<std::uint64_t> free_bytes(const std::string& path);

// A new empty folder, removed with all it holds when the object ends.
class TempDir {
 public:
  // Below `parent`, or $TMPDIR, or /tmp; mode 0700.
  static Result<TempDir> create(const std::string& prefix = "kernelagent-", const std::string& parent = {});
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::string& path() const { return path_; }
  // Path of something inside.
  std::string file(std::string_view name) const;
  // Leaves the folder on the disk.
  void keep() { path_.clear(); }

 private:
  explicit TempDir(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// For crash tests: called at every point of write_file_atomic and AppendFile where a crash leaves another
// state on the disk: "atomic.open", "atomic.create", "atomic.half" (half of the text is written),
// "atomic.write", "atomic.fsync", "atomic.rename", "atomic.done"; "append.before", "append.half",
// "append.write", "append.done". The name tells what has just been done. While a hook is set, texts are
// written in two halves. Empty = none. Set it before other threads write.
void set_write_fault(std::function<void(std::string_view point)> hook);

}  // namespace ka::os

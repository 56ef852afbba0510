#include "os/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "os/environment.h"

namespace ka::os {
namespace {

std::function<void(std::string_view)>& write_fault() {
  static std::function<void(std::string_view)> hook;
  return hook;
}

void at_point(std::string_view point) {
  if (write_fault()) write_fault()(point);
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

UniqueFd open_retrying(const char* path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = ::open(path, flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return UniqueFd(fd);
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno_error("cannot write " + path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ok();
}

// With a fault hook the text goes out in two halves, so that a crash in between leaves what a real one could
// leave.
Status write_with_fault(int fd, std::string_view bytes, const std::string& path,
                        std::string_view half_point) {
  if (!write_fault()) return write_all(fd, bytes, path);
  KA_TRY(write_all(fd, bytes.substr(0, bytes.size() / 2), path));
  at_point(half_point);
  return write_all(fd, bytes.substr(bytes.size() / 2), path);
}

Status sync_directory(const std::string& path) {
  const UniqueFd dir = open_retrying(path.c_str(), O_RDONLY | O_DIRECTORY);
  if (!dir.valid()) return errno_error("cannot open folder " + path, errno);
  // Some file systems cannot sync a folder and say so with EINVAL; there is nothing more one could do there.
  if (::fsync(dir.get()) != 0 && errno != EINVAL) return errno_error("cannot sync folder " + path, errno);
  return ok();
}

Result<std::string> read_to_end(int fd, const std::string& path, std::size_t expected,
                                std::size_t max_bytes) {
  std::string text;
  // One byte more than expected: a file that does not grow is then read, and its end seen, without growing
  // the text.
  text.resize(std::min(expected, max_bytes) + 1);
  std::size_t filled = 0;
  while (true) {
    const ssize_t got = ::read(fd, text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("cannot read " + path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) return invalid_input(fmt::format("{} is larger than {} bytes", path, max_bytes));
    if (filled == text.size()) text.resize(std::min(2 * filled, max_bytes) + 1);
  }
  text.resize(filled);
  return text;
}

// A temporary file beside its destination that is removed unless it was renamed to it.
class TemporaryFile {
 public:
  static Result<TemporaryFile> create(const std::string& destination) {
    static std::atomic<unsigned> next{0};
    while (true) {
      std::string name = fmt::format("{}.tmp{}-{}", destination, ::getpid(), next++);
      UniqueFd fd = open_retrying(name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
      if (fd.valid()) return TemporaryFile(std::move(fd), std::move(name));
      // The name may be left over from a crash of a process that had our number.
      if (errno != EEXIST) return errno_error("cannot create a file in " + parent_of(destination), errno);
    }
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : fd_(std::move(other.fd_)), name_(std::exchange(other.name_, {})) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  int fd() const { return fd_.get(); }
  Status rename_to(const std::string& destination) {
    if (::rename(name_.c_str(), destination.c_str()) != 0) {
      return errno_error("cannot replace " + destination, errno);
    }
    name_.clear();
    return ok();
  }

 private:
  TemporaryFile(UniqueFd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}
  UniqueFd fd_;
  std::string name_;
};

}  // namespace

void set_write_fault(std::function<void(std::string_view)> hook) {
  write_fault() = std::move(hook);
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  // O_NONBLOCK: opening a FIFO without a writer must not wait. It means nothing for regular files.
  const UniqueFd fd = open_retrying(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd.valid()) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return not_found(path + " does not exist");
    return errno_error("cannot open " + path, error);
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return errno_error("cannot read " + path, errno);
  if (S_ISDIR(status.st_mode)) return invalid_input(path + " is a directory, not a file");
  if (!S_ISREG(status.st_mode)) return invalid_input(path + " is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > max_bytes) {
    return invalid_input(fmt::format("{} has {} bytes, more than the {} allowed", path, size, max_bytes));
  }
  return read_to_end(fd.get(), path, size, max_bytes);
}

Status write_file_atomic(const std::string& path, std::string_view text) {
  at_point("atomic.open");
  KA_ASSIGN(TemporaryFile file, TemporaryFile::create(path));
  at_point("atomic.create");
  KA_TRY(write_with_fault(file.fd(), text, path, "atomic.half"));
  at_point("atomic.write");
  if (::fsync(file.fd()) != 0) return errno_error("cannot sync " + path, errno);
  at_point("atomic.fsync");
  KA_TRY(file.rename_to(path));
  at_point("atomic.rename");
  KA_TRY(sync_directory(parent_of(path)));
  at_point("atomic.done");
  return ok();
}

AppendFile::AppendFile(UniqueFd fd, std::string path, Sync sync)
    : fd_(std::move(fd)), path_(std::move(path)), sync_(sync) {}

Result<AppendFile> AppendFile::open(const std::string& path, Sync sync) {
  UniqueFd fd = open_retrying(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (!fd.valid()) return errno_error("cannot open " + path, errno);
  if (sync == Sync::yes) KA_TRY(sync_directory(parent_of(path)));
  return AppendFile(std::move(fd), path, sync);
}

Status AppendFile::append_line(std::string_view line) {
  if (line.find('\n') != std::string_view::npos)
    return internal_error(path_ + ": a line with a line end in it");
  std::string text(line);
  text += '\n';
  at_point("append.before");
  KA_TRY(write_with_fault(fd_.get(), text, path_, "append.half"));
  at_point("append.write");
  if (sync_ == Sync::yes && ::fdatasync(fd_.get()) != 0) return errno_error("cannot sync " + path_, errno);
  at_point("append.done");
  return ok();
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

bool is_directory(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

Status make_dirs(const std::string& path) {
  if (path.empty()) return invalid_input("cannot make a folder without a name");
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0777) != 0) {
      const int error = errno;
      if (!is_directory(part)) return errno_error("cannot make folder " + part, error);
    }
    if (end == std::string::npos) return ok();
  }
}

Result<std::vector<std::string>> list_dir(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(path.c_str()), ::closedir);
  if (!dir) {
    const int error = errno;
    if (error == ENOENT) return not_found("folder " + path + " does not exist");
    if (error == ENOTDIR) return invalid_input(path + " is not a folder");
    return errno_error("cannot open folder " + path, error);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return errno_error("cannot read folder " + path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::uint64_t> free_bytes(const std::string& path) {
  struct statvfs status{};
  if (::statvfs(path.c_str(), &status) != 0) {
    return errno_error("cannot ask for the free space of " + path, errno);
  }
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

Result<TempDir> TempDir::create(const std::string& prefix, const std::string& parent) {
  std::string base = parent.empty() ? get_env("TMPDIR").value_or("") : parent;
  if (base.empty()) base = "/tmp";
  std::string name = base + "/" + prefix + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) return errno_error("cannot make a folder in " + base, errno);
  return TempDir(std::move(name));
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  if (this != &other) {
    if (!path_.empty()) static_cast<void>(remove_tree(path_));
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

TempDir::~TempDir() {
  if (!path_.empty()) static_cast<void>(remove_tree(path_));
}

std::string TempDir::file(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

}  // namespace ka::os

// Removal works with descriptors of folders, never with paths, so that a folder that is replaced by a link
// while we descend is not followed: each step opens one name with O_NOFOLLOW relative to the folder above.
//
// A hostile tree may be deeper than the descriptor limit or the stack allow. Instead of recursing, a folder
// found inside is first moved up: everything below is emptied with at most two folders open, by renaming
// nested folders into the top folder under fresh names. The depth then never grows.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "os/files.h"

namespace ka::os {
namespace {

using Dir = std::unique_ptr<DIR, int (*)(DIR*)>;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Owner access, so that a folder made unreadable by whoever filled it can still be emptied. Goes through a
// descriptor because chmod by name would follow a link.
void make_accessible(int parent, const char* name) {
  const UniqueFd folder(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.valid()) ::chmod(fmt::format("/proc/self/fd/{}", folder.get()).c_str(), 0700);
}

UniqueFd open_folder(int parent, const char* name) {
  UniqueFd fd(::openat(parent, name, kFolderFlags));
  if (fd.valid() || errno != EACCES) return fd;
  make_accessible(parent, name);
  fd.reset(::openat(parent, name, kFolderFlags));
  return fd;
}

class Remover {
 public:
  explicit Remover(std::string path) : path_(std::move(path)) {}

  // Empties the folder `top`; nested folders are moved into it until none is left.
  Status empty(int top) {
    ::fchmod(top, 0700);
    while (true) {
      KA_ASSIGN(std::vector<std::string> folders, remove_files(top));
      if (folders.empty()) return ok();
      for (const std::string& name : folders) KA_TRY(flatten(top, name));
    }
  }

 private:
  // Removes all that is no folder, returns the names of the folders that are not empty.
  Result<std::vector<std::string>> remove_files(int folder) {
    UniqueFd copy(::openat(folder, ".", kFolderFlags));
    if (!copy.valid()) return failure();
    const Dir dir(::fdopendir(copy.get()), ::closedir);
    if (!dir) return failure();
    static_cast<void>(copy.release());
    std::vector<std::string> folders;
    errno = 0;
    while (const dirent* entry = ::readdir(dir.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (::unlinkat(folder, entry->d_name, 0) == 0 || errno == ENOENT) continue;
      const int error = errno;
      if (error != EISDIR && error != EPERM) return failure();
      if (::unlinkat(folder, entry->d_name, AT_REMOVEDIR) != 0) {
        if (errno == ENOTDIR) return errno_error("cannot remove " + path_, error);
        folders.emplace_back(name);
      }
      errno = 0;
    }
    if (errno != 0) return failure();
    return folders;
  }

  // Empties one folder of the top folder: its files are removed, its folders moved up, then it is removed
  // itself.
  Status flatten(int top, const std::string& name) {
    const UniqueFd folder = open_folder(top, name.c_str());
    if (!folder.valid()) return errno == ENOENT ? ok() : Status(failure());
    ::fchmod(folder.get(), 0700);
    KA_ASSIGN(std::vector<std::string> inner, remove_files(folder.get()));
    for (const std::string& nested : inner) KA_TRY(move_up(folder.get(), nested, top));
    if (::unlinkat(top, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return failure();
    return ok();
  }

  // A fresh name that is taken all the same shows as one of these errors (or is an empty folder, which goes
  // away).
  static bool name_is_taken(int error) { return error == EEXIST || error == ENOTEMPTY || error == ENOTDIR; }

  Status move_up(int folder, const std::string& name, int top) {
    bool opened_up = false;
    while (true) {
      const std::string fresh = fmt::format(".removed-{}", next_++);
      if (::renameat(folder, name.c_str(), top, fresh.c_str()) == 0 || errno == ENOENT) return ok();
      // Moving a folder changes its "..", so it must be writable itself.
      if (errno == EACCES && !opened_up) {
        opened_up = true;
        make_accessible(folder, name.c_str());
      } else if (!name_is_taken(errno)) {
        return failure();
      }
    }
  }

  Error failure() const { return errno_error("cannot remove " + path_, errno); }

  std::string path_;
  std::size_t next_ = 0;
};

}  // namespace

Status remove_tree(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return ok();
  if (errno != EISDIR && errno != EPERM) return errno_error("cannot remove " + path, errno);
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return ok();
  const UniqueFd top = open_folder(AT_FDCWD, path.c_str());
  if (!top.valid()) return errno_error("cannot remove " + path, errno);
  KA_TRY(Remover(path).empty(top.get()));
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT) return errno_error("cannot remove " + path, errno);
  return ok();
}

}  // namespace ka::os

// How the tree is made:
//   1. take hold of every readable path and device as a detached, recursive, read-only clone of its mount;
//   2. mount an empty memory file system somewhere and work inside it with relative paths;
//   3. hang the clones in at their old paths, making the folders on the way (so a Python below a closed home
//   folder is
//      reachable while nothing else of that home exists), and add scratch, /dev/shm and a /proc of this pid
//      namespace;
//   4. make it the root, drop the old one, forbid writing to the root itself.
// What the policy does not name is not hidden but absent: no list of dangerous places can be incomplete.
#include "os/sandbox_mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace ka::os {
namespace {

// Any folder that every system has; it is covered only in our own mount namespace and only for a moment.
constexpr const char* kWorkplace = "/usr";
constexpr const char* kProc = "/proc";
constexpr unsigned kTmpfsFiles = 65536;

enum class Kind { folder, file, link, missing };

struct Piece {
  std::string path;
  Kind kind = Kind::missing;
  std::string link_target;
  int tree = -1;
};

bool lies_under(const std::string& path, const std::string& folder) {
  return path == folder || (path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 &&
                            path[folder.size()] == '/');
}

Complaint read_link(Piece& piece) {
  char target[PATH_MAX];
  const ssize_t length = readlink(piece.path.c_str(), target, sizeof target);
  if (length < 0) return failed("cannot read the link " + piece.path);
  piece.link_target.assign(target, static_cast<std::size_t>(length));
  return {};
}

Complaint take_piece(Piece& piece, bool is_device) {
  struct stat status{};
  if (lstat(piece.path.c_str(), &status) != 0)
    return errno == ENOENT ? Complaint() : failed("cannot look at " + piece.path);
  if (S_ISLNK(status.st_mode)) {
    piece.kind = Kind::link;
    return read_link(piece);
  }
  piece.kind = S_ISDIR(status.st_mode) ? Kind::folder : Kind::file;
  constexpr unsigned kClone = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE;
  piece.tree = open_tree(AT_FDCWD, piece.path.c_str(), kClone);
  if (piece.tree < 0) return failed("cannot take the mount of " + piece.path);
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NOSUID;
  if (!is_device) attributes.attr_set |= MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV;
  if (mount_setattr(piece.tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) != 0) {
    return failed("cannot make " + piece.path + " read-only");
  }
  return {};
}

// Readable paths that are not below another one; a link stays a link, and covers nothing below it.
Complaint take_readable(const SandboxPolicy& policy, std::vector<Piece>& pieces) {
  std::vector<std::string> paths = policy.readable;
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    if (lies_under(path, kProc)) continue;
    const bool covered = std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
      return piece.kind == Kind::folder ? lies_under(path, piece.path) : path == piece.path;
    });
    if (covered) continue;
    Piece piece{path, Kind::missing, {}, -1};
    const Complaint complaint = take_piece(piece, false);
    if (!complaint.empty()) return complaint;
    if (piece.kind != Kind::missing) pieces.push_back(piece);
  }
  return {};
}

Complaint take_devices(const SandboxPolicy& policy, std::vector<Piece>& pieces) {
  for (const std::string& path : policy.devices) {
    Piece piece{path, Kind::missing, {}, -1};
    const Complaint complaint = take_piece(piece, true);
    if (!complaint.empty()) return complaint;
    if (piece.kind != Kind::file) return "there is no device " + path;
    pieces.push_back(piece);
  }
  return {};
}

// Makes the folders on the way to an absolute path, inside the new root (the working folder).
Complaint make_way(const std::string& path, bool with_last) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    if (mkdir(path.substr(1, at - 1).c_str(), 0755) != 0 && errno != EEXIST)
      return failed("cannot make a folder for " + path);
  }
  if (with_last && mkdir(path.c_str() + 1, 0755) != 0 && errno != EEXIST)
    return failed("cannot make the folder " + path);
  return {};
}

Complaint hang_in(Piece& piece) {
  Complaint complaint = make_way(piece.path, piece.kind == Kind::folder);
  if (!complaint.empty()) return complaint;
  const char* inside = piece.path.c_str() + 1;
  if (piece.kind == Kind::link) {
    return symlink(piece.link_target.c_str(), inside) == 0 ? Complaint()
                                                           : failed("cannot make the link " + piece.path);
  }
  if (piece.kind == Kind::file) {
    const int fd = open(inside, O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
    if (fd < 0) return failed("cannot make a place for " + piece.path);
    close(fd);
  }
  const bool moved = move_mount(piece.tree, "", AT_FDCWD, inside, MOVE_MOUNT_F_EMPTY_PATH) == 0;
  complaint = moved ? Complaint() : failed("cannot hang in " + piece.path);
  close(piece.tree);
  piece.tree = -1;
  return complaint;
}

Complaint mount_memory(const SandboxFolder& folder) {
  Complaint complaint = make_way(folder.path, true);
  if (!complaint.empty()) return complaint;
  const std::string options = "mode=0700,size=" + std::to_string(folder.bytes) +
                              ",nr_inodes=" + std::to_string(kTmpfsFiles) +
                              ",uid=" + std::to_string(geteuid()) + ",gid=" + std::to_string(getegid());
  if (mount("tmpfs", folder.path.c_str() + 1, "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return failed("cannot mount a memory file system on " + folder.path);
  }
  return {};
}

Complaint link_standard_streams() {
  struct Link {
    const char* target;
    const char* path;
  };
  constexpr Link kLinks[] = {{"/proc/self/fd", "dev/fd"},
                             {"/proc/self/fd/0", "dev/stdin"},
                             {"/proc/self/fd/1", "dev/stdout"},
                             {"/proc/self/fd/2", "dev/stderr"}};
  if (mkdir("dev", 0755) != 0 && errno != EEXIST) return failed("cannot make the folder /dev");
  for (const Link& link : kLinks) {
    if (symlink(link.target, link.path) != 0)
      return failed(std::string("cannot make the link /") + link.path);
  }
  return {};
}

Complaint mount_proc() {
  if (mkdir("proc", 0755) != 0) return failed("cannot make the folder /proc");
  if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    return failed("cannot mount a fresh /proc");
  return {};
}

Complaint enter_root() {
  if (syscall(SYS_pivot_root, ".", ".") != 0) return failed("cannot make the new tree the root");
  if (umount2(".", MNT_DETACH) != 0) return failed("cannot let go of the old root");
  if (chdir("/") != 0) return failed("cannot enter the new root");
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (mount_setattr(AT_FDCWD, "/", 0, &attributes, sizeof attributes) != 0)
    return failed("cannot make the root read-only");
  return {};
}

}  // namespace

Complaint build_root(const SandboxPolicy& policy) {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return failed("cannot make the mounts private");
  std::vector<Piece> pieces;
  Complaint complaint = take_readable(policy, pieces);
  if (complaint.empty()) complaint = take_devices(policy, pieces);
  if (!complaint.empty()) return complaint;

  if (mount("tmpfs", kWorkplace, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") != 0) {
    return failed("cannot mount a memory file system");
  }
  if (chdir(kWorkplace) != 0) return failed("cannot enter the new tree");
  complaint = mount_memory(*policy.scratch);  // first: a readable path may lie below it
  for (Piece& piece : pieces) {
    if (complaint.empty()) complaint = hang_in(piece);
  }
  if (complaint.empty()) complaint = link_standard_streams();
  if (complaint.empty() && policy.shm) complaint = mount_memory(*policy.shm);
  if (complaint.empty()) complaint = mount_proc();
  return complaint.empty() ? enter_root() : complaint;
}

}  // namespace ka::os

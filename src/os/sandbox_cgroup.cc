#include "os/sandbox_cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

namespace ka::os {
namespace {

constexpr std::string_view kPrefix = "kernelagent-";
constexpr int kRemoveTries = 2000;
constexpr useconds_t kRemovePauseUs = 500;

std::string read_text(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char part[4096];
  for (ssize_t n = read(fd, part, sizeof part); n > 0; n = read(fd, part, sizeof part)) {
    text.append(part, static_cast<std::size_t>(n));
  }
  close(fd);
  return text;
}

bool write_text(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return written;
}

bool is_there(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

bool contains_word(const std::string& text, std::string_view word, char separator) {
  for (const std::string& part : split(text, separator)) {
    if (part == word) return true;
  }
  return false;
}

// Where a hierarchy is mounted: "" asks for version 2, else the name of a version-1 controller. Only whole
// hierarchies (mounted from their root), so that the paths of /proc/self/cgroup apply.
std::string mount_point(std::string_view controller) {
  for (const std::string& line : split(read_text("/proc/self/mountinfo"), '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    std::size_t dash = 6;
    while (dash < words.size() && words[dash] != "-") ++dash;
    if (dash + 3 >= words.size()) continue;
    const std::string& type = words[dash + 1];
    const bool found = controller.empty()
                           ? type == "cgroup2"
                           : type == "cgroup" && contains_word(words[dash + 3], controller, ',');
    if (found && words[3] == "/") return words[4];
  }
  return {};
}

// Our own place in that hierarchy, from /proc/self/cgroup: "4:memory:/a/b", version 2: "0::/a/b".
std::string own_folder(std::string_view controller) {
  const std::string mount = mount_point(controller);
  if (mount.empty()) return {};
  for (const std::string& line : split(read_text("/proc/self/cgroup"), '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    const bool found =
        controller.empty() ? names.empty() && line[0] == '0' : contains_word(names, controller, ',');
    if (!found) continue;
    const std::string path = line.substr(second + 1);
    return path == "/" ? mount : mount + path;
  }
  return {};
}

std::string new_name() {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}{}-{}", kPrefix, getpid(), counter.fetch_add(1));
}

void sweep(const std::string& parent) {
  DIR* folder = opendir(parent.c_str());
  if (folder == nullptr) return;
  for (const dirent* entry = readdir(folder); entry != nullptr; entry = readdir(folder)) {
    if (std::strncmp(entry->d_name, kPrefix.data(), kPrefix.size()) != 0) continue;
    const int owner = std::atoi(entry->d_name + kPrefix.size());
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) rmdir((parent + "/" + entry->d_name).c_str());
  }
  closedir(folder);
}

bool can_make_child(const std::string& parent, std::string_view needed_file) {
  const std::string trial = parent + "/" + new_name();
  if (mkdir(trial.c_str(), 0755) != 0) return false;
  const bool usable = is_there(trial + "/" + std::string(needed_file));
  rmdir(trial.c_str());
  return usable;
}

std::vector<std::string> find_version2(std::string& reason) {
  const std::string own = own_folder("");
  if (own.empty()) return {};
  const std::string offered = read_text(own + "/cgroup.controllers");
  if (offered.find("memory") == std::string::npos || offered.find("pids") == std::string::npos) {
    reason = "the memory and pids controllers of cgroup version 2 are not available in " + own;
    return {};
  }
  if (can_make_child(own, "memory.max") && can_make_child(own, "pids.max")) return {own};
  // Works in a cgroup that holds no processes itself, and in the topmost one.
  (void)write_text(own + "/cgroup.subtree_control", "+memory +pids");
  if (can_make_child(own, "memory.max") && can_make_child(own, "pids.max")) return {own};
  reason = fmt::format("cannot make a cgroup with a memory cap in {}: {}", own, std::strerror(errno));
  return {};
}

std::vector<std::string> find_version1(std::string& reason) {
  const std::string memory = own_folder("memory");
  const std::string pids = own_folder("pids");
  if (memory.empty() || pids.empty()) return {};
  if (can_make_child(memory, "memory.limit_in_bytes") && can_make_child(pids, "pids.max"))
    return {memory, pids};
  reason = fmt::format("cannot make a cgroup in {} and {}: {}", memory, pids, std::strerror(errno));
  return {};
}

std::uint64_t number_after(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    if (line.compare(0, key.size(), key) != 0 || line.size() <= key.size() + 1 || line[key.size()] != ' ')
      continue;
    std::uint64_t value = 0;
    std::from_chars(line.data() + key.size() + 1, line.data() + line.size(), value);
    return value;
  }
  return 0;
}

}  // namespace

std::vector<std::string> find_cgroup_parents(std::string& reason) {
  reason.clear();
  std::vector<std::string> parents = find_version2(reason);
  if (parents.empty()) parents = find_version1(reason);
  if (parents.empty() && reason.empty())
    reason = "no cgroup file system with a memory and a pids controller is mounted";
  for (const std::string& parent : parents) sweep(parent);
  return parents;
}

Result<Cgroup> Cgroup::create(const SandboxSupport& support, const SandboxLimits& limits) {
  if (support.cgroup_parents.empty())
    return environment_error("this machine offers no cgroup to make one in");
  const std::string name = new_name();
  Cgroup cgroup({});
  for (const std::string& parent : support.cgroup_parents) {
    const std::string dir = parent + "/" + name;
    if (mkdir(dir.c_str(), 0755) != 0) return errno_error("cannot make the cgroup " + dir, errno);
    cgroup.dirs_.push_back(dir);
  }
  KA_TRY(cgroup.set_caps(limits));
  return cgroup;
}

Status Cgroup::set_caps(const SandboxLimits& limits) {
  const std::string memory = std::to_string(limits.memory_bytes);
  for (const std::string& dir : dirs_) {
    if (is_there(dir + "/pids.max") && !write_text(dir + "/pids.max", std::to_string(limits.processes))) {
      return errno_error("cannot cap the processes of " + dir, errno);
    }
    if (is_there(dir + "/memory.max")) {
      if (!write_text(dir + "/memory.max", memory))
        return errno_error("cannot cap the memory of " + dir, errno);
      // Swap is not there on every kernel; killing the whole group at once is a courtesy to the reader of the
      // verdict.
      (void)write_text(dir + "/memory.swap.max", "0");
      (void)write_text(dir + "/memory.oom.group", "1");
    }
    if (is_there(dir + "/memory.limit_in_bytes")) {
      // The combined cap may never lie below the memory cap, so it is lifted before and set after.
      (void)write_text(dir + "/memory.memsw.limit_in_bytes", "-1");
      if (!write_text(dir + "/memory.limit_in_bytes", memory))
        return errno_error("cannot cap the memory of " + dir, errno);
      (void)write_text(dir + "/memory.memsw.limit_in_bytes", memory);
    }
  }
  return ok();
}

std::uint64_t Cgroup::oom_kills() const {
  std::uint64_t kills = 0;
  for (const std::string& dir : dirs_) {
    kills += number_after(read_text(dir + "/memory.events"), "oom_kill");
    kills += number_after(read_text(dir + "/memory.oom_control"), "oom_kill");
  }
  return kills;
}

void Cgroup::remove() noexcept {
  for (const std::string& dir : dirs_) {
    (void)write_text(dir + "/cgroup.kill", "1");
    for (int tries = 0; rmdir(dir.c_str()) != 0 && errno == EBUSY && tries < kRemoveTries; ++tries) {
      for (const std::string& pid : split(read_text(dir + "/cgroup.procs"), '\n')) {
        if (const int number = std::atoi(pid.c_str()); number > 0) kill(number, SIGKILL);
      }
      usleep(kRemovePauseUs);
    }
  }
  dirs_.clear();
}

Cgroup::Cgroup(Cgroup&& other) noexcept : dirs_(std::move(other.dirs_)) {
  other.dirs_.clear();
}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  if (this != &other) {
    remove();
    dirs_ = std::move(other.dirs_);
    other.dirs_.clear();
  }
  return *this;
}

Cgroup::~Cgroup() {
  remove();
}

}  // namespace ka::os

// A scan of /proc is not atomic: a program that forks and lets the parent exit, for ever, can slip through
// one scan. So every scan first stops what it sees (a stopped process forks no more), then kills, and we only
// believe a scan that saw nothing.
#include "os/sandbox_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

namespace ka::os {
namespace {

constexpr long kPatienceMs = 5000;

long now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Field 4 of /proc/<pid>/stat. The name, field 2, is in brackets and may hold anything: read on from the last
// bracket.
int parent_of(const char* pid, bool& is_zombie) {
  const std::string path = std::string("/proc/") + pid + "/stat";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  char text[512];
  const ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return -1;
  text[length] = '\0';
  const char* bracket = std::strrchr(text, ')');
  if (bracket == nullptr || std::strlen(bracket) < 5) return -1;
  is_zombie = bracket[2] == 'Z';
  return std::atoi(bracket + 4);
}

struct Process {
  int parent = 0;
  bool is_zombie = false;
};

std::map<int, Process> all_processes() {
  std::map<int, Process> processes;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return processes;
  for (const dirent* entry = readdir(folder); entry != nullptr; entry = readdir(folder)) {
    const int pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    Process process;
    process.parent = parent_of(entry->d_name, process.is_zombie);
    if (process.parent >= 0) processes[pid] = process;
  }
  closedir(folder);
  return processes;
}

enum class Place { below, elsewhere };

Place place_of(int pid, int root, const std::map<int, Process>& processes, const std::set<int>& spared) {
  for (int steps = 0; steps < 10000 && pid > 0; ++steps) {
    if (spared.count(pid) != 0) return Place::elsewhere;
    if (pid == root) return Place::below;
    const auto found = processes.find(pid);
    if (found == processes.end()) return Place::elsewhere;
    pid = found->second.parent;
  }
  return Place::elsewhere;
}

// Zombies that are our children are reaped on the way; zombies of others are not alive.
std::vector<int> living_descendants(int root, const std::set<int>& spared) {
  const std::map<int, Process> processes = all_processes();
  std::vector<int> found;
  for (const auto& [pid, process] : processes) {
    if (pid == root || place_of(pid, root, processes, spared) != Place::below) continue;
    if (!process.is_zombie) {
      found.push_back(pid);
    } else if (process.parent == getpid()) {
      waitpid(pid, nullptr, WNOHANG);
    }
  }
  return found;
}

// Orphans become children of the subreaper: one without children has no descendants either. Saves scanning,
// mostly.
bool has_children() {
  siginfo_t ended{};
  return waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

int kill_descendants(int root, const std::vector<int>& spared_list) {
  if (root == getpid() && !has_children()) return 0;
  const std::set<int> spared(spared_list.begin(), spared_list.end());
  const long deadline = now_ms() + kPatienceMs;
  std::set<int> killed;
  int clean_scans = 0;
  while (clean_scans < 2) {
    const std::vector<int> found = living_descendants(root, spared);
    clean_scans = found.empty() ? clean_scans + 1 : 0;
    for (const int pid : found) kill(pid, SIGSTOP);
    for (const int pid : found) kill(pid, SIGKILL);
    for (const int pid : found) waitpid(pid, nullptr, WNOHANG);
    killed.insert(found.begin(), found.end());
    if (!found.empty() && now_ms() > deadline) return -1;
  }
  return static_cast<int>(killed.size());
}

int kill_tree(int root) {
  kill(root, SIGSTOP);
  const int below = kill_descendants(root, {});
  kill(root, SIGKILL);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(root), &ended, WEXITED | WNOWAIT);
  return below < 0 ? below : below + 1;
}

}  // namespace ka::os

#include "os/sandbox.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>

namespace ka::os {
namespace {

struct LevelName {
  SandboxLevel level;
  const char* name;
};

constexpr LevelName kLevels[] = {
    {SandboxLevel::none, "none"},
    {SandboxLevel::process, "process"},
    {SandboxLevel::isolated, "isolated"},
    {SandboxLevel::full, "full"},
};

constexpr std::uint64_t kShmBytes = 64ULL << 20;

// Programs and libraries; of /etc only what the loader, the name service and Debian's alternatives need,
// since keys are sometimes kept in /etc/environment or in a service's file.
constexpr const char* kSystemFolders[] = {
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/etc/alternatives",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/timezone",
};

constexpr const char* kDevices[] = {"/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"};

bool exists(const std::string& path) {
  struct stat status{};
  return lstat(path.c_str(), &status) == 0;
}

bool is_printable_path(const std::string& path) {
  return path.size() > 1 && path.front() == '/' &&
         std::none_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

// Both the path as given (its links are followed on the way) and where it really is.
void add_readable(const std::string& given, std::vector<std::string>& paths) {
  std::error_code error;
  std::string path = std::filesystem::path(given).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (!is_printable_path(path) || !exists(path)) return;
  paths.push_back(path);
  const std::string real = std::filesystem::canonical(path, error).string();
  if (!error && real != path && is_printable_path(real)) paths.push_back(real);
}

std::vector<std::string> readable_paths(const SandboxRequest& request) {
  std::vector<std::string> paths;
  for (const char* path : kSystemFolders) {
    if (exists(path)) paths.emplace_back(path);
  }
  for (const std::string& path : request.readable) add_readable(path, paths);
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

bool is_gpu_node(const std::string& name) {
  constexpr std::string_view kPrefix = "nvidia";
  if (name == "nvidiactl" || name == "nvidia-uvm") return true;
  return name.size() > kPrefix.size() && name.compare(0, kPrefix.size(), kPrefix) == 0 &&
         std::all_of(name.begin() + kPrefix.size(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> devices(bool gpu) {
  std::vector<std::string> found(std::begin(kDevices), std::end(kDevices));
  if (!gpu) return found;
  std::error_code error;
  std::vector<std::string> nodes;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    if (is_gpu_node(entry.path().filename().string())) nodes.push_back(entry.path().string());
  }
  std::sort(nodes.begin(), nodes.end());
  found.insert(found.end(), nodes.begin(), nodes.end());
  return found;
}

// Without a root of its own, an unprivileged user reaches an interpreter only through folders that are open
// to all.
bool open_to_all(const std::string& path) {
  std::error_code error;
  std::string real = std::filesystem::canonical(path, error).string();
  if (error) return true;
  for (std::filesystem::path at = real; at != at.root_path(); at = at.parent_path()) {
    struct stat status{};
    const mode_t needed = at == real && !std::filesystem::is_directory(at, error) ? S_IROTH : S_IXOTH;
    if (stat(at.c_str(), &status) != 0 || (status.st_mode & needed) == 0) return false;
  }
  return true;
}

bool can_change_user(const SandboxRequest& request, SandboxLevel level) {
  if (level >= SandboxLevel::isolated) return true;
  return std::all_of(request.readable.begin(), request.readable.end(), open_to_all);
}

std::string limits_text(const SandboxLimits& limits) {
  return fmt::format(
      "limit core 0\nlimit cpu {}\nlimit data {}\nlimit fsize {}\nlimit nofile {}\nlimit nproc {}\n",
      limits.cpu_seconds, limits.memory_bytes, limits.file_bytes, limits.open_files, limits.processes);
}

std::string places_text(const SandboxRequest& request, SandboxLevel level) {
  std::string text;
  for (const std::string& path : readable_paths(request)) text += fmt::format("ro {}\n", path);
  if (request.gpu) text += "proc writable\n";
  for (const std::string& path : devices(request.gpu)) text += fmt::format("dev {}\n", path);
  if (level < SandboxLevel::isolated) {
    return text + fmt::format("scratch 0 {}\n", request.scratch_dir.empty() ? "/tmp" : request.scratch_dir);
  }
  text += fmt::format("scratch {} /tmp\n", request.limits.scratch_bytes);
  return text + fmt::format("shm {} /dev/shm\n", std::min(kShmBytes, request.limits.scratch_bytes));
}

std::string seccomp_text(const SandboxRequest& request, SandboxLevel level) {
  std::string text = "seccomp base";
  if (level < SandboxLevel::isolated) text += " attributes sockets";
  // A GPU driver shares memory with itself; there the memory of a run is bounded by a cgroup or not at all.
  if (level < SandboxLevel::full && !request.gpu) text += " shared";
  return text + "\n";
}

}  // namespace

const char* to_string(SandboxLevel level) {
  for (const LevelName& row : kLevels) {
    if (row.level == level) return row.name;
  }
  return "none";
}

std::optional<SandboxLevel> sandbox_level(std::string_view name) {
  for (const LevelName& row : kLevels) {
    if (row.name == name) return row.level;
  }
  return std::nullopt;
}

std::vector<std::string> compiler_folders(std::string_view path_variable) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders;
  std::error_code error;
  for (std::string_view rest = path_variable; !rest.empty();) {
    const fs::path bin(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), std::min(rest.find(':'), rest.size()) + 1));
    for (const char* tool : {"gcc", "cc", "clang", "ptxas"}) {
      const fs::path real = fs::canonical(bin / tool, error);
      if (error || !bin.is_absolute()) continue;
      folders.push_back(bin.string());
      // Beside bin/, by name: the folder above may be somebody's home.
      for (const char* beside : {"bin", "include", "lib", "lib64", "libexec", "share"}) {
        const fs::path folder = real.parent_path().parent_path() / beside;
        if (fs::is_directory(folder, error)) folders.push_back(folder.string());
      }
    }
  }
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::erase_if(folders,
                [](const std::string& folder) { return folder.rfind("/usr/", 0) == 0 || folder == "/bin"; });
  return folders;
}

SandboxLevel effective_level(const SandboxRequest& request, const SandboxSupport& support) {
  const SandboxLevel level = std::min(request.at_most, support.level);
  return level == SandboxLevel::full && request.cgroup_dirs.empty() ? SandboxLevel::isolated : level;
}

std::string sandbox_policy(const SandboxRequest& request, const SandboxSupport& support) {
  const SandboxLevel level = effective_level(request, support);
  std::string text = fmt::format("level {}\n", to_string(level));
  if (can_change_user(request, level)) text += fmt::format("uid {} {}\n", support.uid, support.gid);
  if (level >= SandboxLevel::isolated) {
    text += fmt::format("namespaces {}mount pid net ipc uts cgroup\n", support.user_namespace ? "user " : "");
  }
  text += places_text(request, level) + limits_text(request.limits);
  if (level == SandboxLevel::full) {
    for (const std::string& dir : request.cgroup_dirs) text += fmt::format("cgroup {}\n", dir);
  }
  if (support.landlock_abi > 0) text += fmt::format("landlock {}\n", support.landlock_abi);
  return text + seccomp_text(request, level);
}

}  // namespace ka::os

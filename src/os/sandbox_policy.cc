#include "os/sandbox_policy.h"

#include <sched.h>
#include <sys/resource.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>

#include "os/sandbox_seccomp.h"

namespace ka::os {
namespace {

struct Word {
  std::string_view name;
  int value;
};

constexpr Word kNamespaces[] = {
    {"user", CLONE_NEWUSER}, {"mount", CLONE_NEWNS}, {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
    {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS},  {"cgroup", CLONE_NEWCGROUP},
};

constexpr Word kLimits[] = {
    {"core", RLIMIT_CORE},   {"cpu", RLIMIT_CPU},       {"data", RLIMIT_DATA},
    {"fsize", RLIMIT_FSIZE}, {"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC},
};

constexpr Word kSeccompSets[] = {
    {"base", kSeccompBase},
    {"attributes", kSeccompAttributes},
    {"sockets", kSeccompSockets},
    {"shared", kSeccompShared},
};

template <std::size_t N>
std::optional<int> find(const Word (&words)[N], std::string_view name) {
  for (const Word& word : words) {
    if (word.name == name) return word.value;
  }
  return std::nullopt;
}

std::string_view take_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

bool take_number(std::string_view& rest, std::uint64_t& value) {
  const std::string_view word = take_word(rest);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return !word.empty() && error == std::errc() && end == word.data() + word.size();
}

// Absolute, not the root itself, no component that climbs, no control characters.
bool take_path(std::string_view rest, std::string& path) {
  if (rest.size() < 2 || rest.front() != '/' || rest.back() == '/') return false;
  for (const char c : rest) {
    if (static_cast<unsigned char>(c) < 0x20) return false;
  }
  const std::string closed = std::string(rest) + "/";
  for (const char* part : {"//", "/./", "/../"}) {
    if (closed.find(part) != std::string::npos) return false;
  }
  path = rest;
  return true;
}

template <std::size_t N>
bool take_set(std::string_view rest, const Word (&words)[N], int& flags) {
  while (!rest.empty()) {
    const std::optional<int> flag = find(words, take_word(rest));
    if (!flag) return false;
    flags |= *flag;
  }
  return flags != 0;
}

bool take_ids(std::string_view rest, SandboxPolicy& policy) {
  std::uint64_t uid = 0;
  std::uint64_t gid = 0;
  constexpr std::uint64_t kHighest = 0xfffffffe;
  if (!take_number(rest, uid) || !take_number(rest, gid) || !rest.empty()) return false;
  if (uid > kHighest || gid > kHighest) return false;
  policy.ids = SandboxIds{static_cast<uid_t>(uid), static_cast<gid_t>(gid)};
  return true;
}

bool take_folder(std::string_view rest, std::optional<SandboxFolder>& folder) {
  SandboxFolder given;
  if (!take_number(rest, given.bytes) || !take_path(rest, given.path)) return false;
  folder = given;
  return true;
}

bool take_limit(std::string_view rest, SandboxPolicy& policy) {
  const std::optional<int> resource = find(kLimits, take_word(rest));
  SandboxRlimit limit;
  if (!resource || !take_number(rest, limit.value) || !rest.empty()) return false;
  limit.resource = *resource;
  policy.limits.push_back(limit);
  return true;
}

bool take_path_into(std::string_view rest, std::vector<std::string>& paths) {
  std::string path;
  if (!take_path(rest, path)) return false;
  paths.push_back(path);
  return true;
}

bool take_landlock(std::string_view rest, SandboxPolicy& policy) {
  std::uint64_t abi = 0;
  if (!take_number(rest, abi) || !rest.empty() || abi < 1 || abi > 1000) return false;
  policy.landlock = static_cast<int>(abi);
  return true;
}

bool take_record(std::string_view line, SandboxPolicy& policy) {
  const std::string_view record = take_word(line);
  if (record == "level") {
    policy.level = line;
    return !line.empty();
  }
  if (record == "uid") return take_ids(line, policy);
  if (record == "namespaces") return take_set(line, kNamespaces, policy.namespaces);
  if (record == "ro") return take_path_into(line, policy.readable);
  if (record == "proc") {
    policy.proc_writable = true;
    return line == "writable";
  }
  if (record == "dev") return take_path_into(line, policy.devices);
  if (record == "scratch") return take_folder(line, policy.scratch);
  if (record == "shm") return take_folder(line, policy.shm);
  if (record == "limit") return take_limit(line, policy);
  if (record == "cgroup") return take_path_into(line, policy.cgroups);
  if (record == "landlock") return take_landlock(line, policy);
  if (record == "seccomp") {
    int sets = 0;
    if (!take_set(line, kSeccompSets, sets)) return false;
    policy.seccomp = static_cast<unsigned>(sets);
    return true;
  }
  return false;
}

// Combinations that would quietly protect less than they seem to.
Complaint check_whole(const SandboxPolicy& policy) {
  const bool mounts = (policy.namespaces & CLONE_NEWNS) != 0;
  if (!policy.scratch) return "the policy has no scratch record";
  if (mounts && policy.scratch->bytes == 0) return "a scratch folder of 0 bytes cannot be mounted";
  if (!mounts && policy.scratch->bytes != 0) return "a size of scratch needs the mount namespace";
  if (!mounts && policy.shm) return "shm needs the mount namespace";
  if (mounts && (policy.namespaces & CLONE_NEWPID) == 0) return "the mount namespace needs the pid namespace";
  return {};
}

}  // namespace

Complaint failed(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

Complaint parse_policy(std::string_view text, SandboxPolicy& policy) {
  policy = SandboxPolicy{};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (!take_record(line, policy))
      return "sandbox policy: cannot read the record \"" + std::string(line) + "\"";
  }
  const Complaint complaint = check_whole(policy);
  return complaint.empty() ? complaint : "sandbox policy: " + complaint;
}

}  // namespace ka::os

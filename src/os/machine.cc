#include "os/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <thread>

#include "base/strings.h"
#include "os/files.h"

namespace ka::os {
namespace {

constexpr std::size_t kMaxProcBytes = std::size_t{1} << 20;

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// A number in a file of one line; nothing for "max" and for files that are not there.
std::uint64_t number_in_file(const char* path, std::uint64_t otherwise) {
  const Result<std::string> text = read_file(path, kMaxProcBytes);
  if (!text) return otherwise;
  const std::string trimmed = trim(*text);
  std::uint64_t value = 0;
  const char* const end = trimmed.data() + trimmed.size();
  const auto [stopped, error] = std::from_chars(trimmed.data(), end, value);
  return error == std::errc{} && stopped == end && !trimmed.empty() ? value : otherwise;
}

struct GroupMemory {
  const char* limit;
  const char* used;
};
// Version 2 and version 1 of the control groups, as a container sees its own group.
constexpr GroupMemory kGroups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
};

void apply_group_limits(Machine& machine) {
  for (const GroupMemory& group : kGroups) {
    const std::uint64_t limit = number_in_file(group.limit, UINT64_MAX);
    if (limit >= machine.memory_total) continue;
    const std::uint64_t used = std::min(limit, number_in_file(group.used, 0));
    machine.memory_total = limit;
    machine.memory_available = std::min(machine.memory_available, limit - used);
  }
}

}  // namespace

std::uint64_t meminfo_bytes(std::string_view text, std::string_view name) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const std::string rest = trim(std::string_view(line).substr(name.size() + 1));
    std::uint64_t kib = 0;
    const auto [stopped, error] = std::from_chars(rest.data(), rest.data() + rest.size(), kib);
    const bool good = error == std::errc{} && trim({stopped, rest.data() + rest.size()}) == "kB";
    return good && kib <= UINT64_MAX / 1024 ? kib * 1024 : 0;
  }
  return 0;
}

Result<Machine> query_machine(const std::string& disk_path) {
  Machine machine;
  machine.cores = usable_cores();
  KA_ASSIGN(const std::string meminfo, read_file("/proc/meminfo", kMaxProcBytes));
  machine.memory_total = meminfo_bytes(meminfo, "MemTotal");
  machine.memory_available = meminfo_bytes(meminfo, "MemAvailable");
  apply_group_limits(machine);
  KA_ASSIGN(machine.disk_free, free_bytes(disk_path));
  utsname names{};
  if (::uname(&names) == 0) machine.kernel = names.release;
  return machine;
}

}  // namespace ka::os

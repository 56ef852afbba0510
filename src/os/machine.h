// Size of this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ka::os {

struct Machine {
  int cores = 1;                       // that this process may use
  std::uint64_t memory_total = 0;      // bytes, no more than the control group allows
  std::uint64_t memory_available = 0;  // bytes that can be used without swapping
  std::uint64_t disk_free = 0;         // bytes, on the file system of the given path
  std::string kernel;                  // "6.18.44"
};

Result<Machine> query_machine(const std::string& disk_path);

// Bytes named by a line "MemTotal:  123 kB" of /proc/meminfo; 0 when there is none.
std::uint64_t meminfo_bytes(std::string_view text, std::string_view name);

}  // namespace ka::os

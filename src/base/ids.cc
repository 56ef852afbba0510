#include "base/ids.h"

#include <ctime>
#include <random>

#include <fmt/format.h>

namespace ka {

std::string new_run_id(WallTime now, std::uint32_t random) {
  const std::time_t seconds =
      static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("run_{:04}{:02}{:02}_{:02}{:02}{:02}_{:08x}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, random);
}

std::string new_run_id() {
  std::random_device device;
  return new_run_id(std::chrono::system_clock::now(), device());
}

std::string new_nonce() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace ka

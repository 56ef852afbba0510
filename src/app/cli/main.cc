#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "os/sandbox_launch.h"

// Started by libkernelagent.so: this process ends with the one that started it, even when that is killed.
static bool tied_to_parent() {
  const char* const parent = std::getenv("KERNELAGENT_PARENT");
  if (parent == nullptr) return true;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const bool there = std::to_string(::getppid()) == parent;
  ::unsetenv("KERNELAGENT_PARENT");
  return there;
}

// Hundreds of conversations and judgements at a time need more than the 1024 that shells allow at first; nothing here calls select(2), for which that number is.
static void allow_many_descriptors() {
  constexpr rlim_t kMany = 65'536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kMany) return;
  limit.rlim_cur = std::min(limit.rlim_max, kMany);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char** argv) {
  // The program is its own launcher for sandboxed processes that do not come from the warm interpreter.
  if (argc > 1 && std::string(argv[1]) == "__launch") return ka::os::sandbox_launch_main(argc - 1, argv + 1);
  if (!tied_to_parent()) return 130;
  allow_many_descriptors();
  const std::vector<std::string> words(argv + 1, argv + argc);
  return ka::app::run_program(words);
}

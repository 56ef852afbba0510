#include <string>
#include <vector>

#include "app/cli/command.h"
#include "os/sandbox_launch.h"

int main(int argc, char** argv) {
  // The program is its own launcher for sandboxed processes that do not come from the warm interpreter.
  if (argc > 1 && std::string(argv[1]) == "__launch") return ka::os::sandbox_launch_main(argc - 1, argv + 1);
  const std::vector<std::string> words(argv + 1, argv + argc);
  return ka::app::run_program(words);
}

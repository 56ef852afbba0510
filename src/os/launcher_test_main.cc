// The main function of test programs that start sandboxes: for an ordinary user such a program is its own launcher.
#include <gtest/gtest.h>

#include <string_view>

#include "os/sandbox_launch.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "__launch") return ka::os::sandbox_launch_main(argc - 1, argv + 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

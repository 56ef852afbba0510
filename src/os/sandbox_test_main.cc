// The test program is its own launcher, and can report what it finds under another environment.
#include <gtest/gtest.h>

#include <cstdio>
#include <string_view>

#include "os/sandbox.h"
#include "os/sandbox_launch.h"

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "__launch") return ka::os::sandbox_launch_main(argc - 1, argv + 1);
  if (command == "__probe") {
    const ka::os::SandboxSupport& support = ka::os::probe_sandbox();
    std::printf("%s\n", to_string(support.level));
    for (const auto& missing : support.missing)
      std::printf("%s: %s\n", missing.part.c_str(), missing.reason.c_str());
    return 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

#include "base/tar_gz.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "base/hash.h"

namespace ka {
namespace {

TEST(TarGz, IsReadByTarAndHasTheSameBytesEveryTime) {
  std::map<std::string, std::string> files = {{"code.py", "print(1)\n"}, {"long.txt", std::string(200'000, 'x')}, {"empty", ""}};
  const std::string archive = tar_gz(files);
  EXPECT_EQ(archive, tar_gz(files));
  const std::string path = testing::TempDir() + "/archive.tgz";
  std::ofstream(path, std::ios::binary) << archive;
  for (const auto& [name, content] : files) {
    const std::string out = testing::TempDir() + "/member";
    ASSERT_EQ(std::system(("tar -xzOf " + path + " " + name + " > " + out).c_str()), 0) << name;
    std::ifstream in(out, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), content) << name;
  }
  files["code.py"] = "print(2)\n";
  EXPECT_NE(archive, tar_gz(files));
}

}  // namespace
}  // namespace ka

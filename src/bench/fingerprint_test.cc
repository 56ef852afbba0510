#include "bench/fingerprint.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/environment.h"
#include "os/files.h"

namespace ka::bench {
namespace {

// Puts a program called nvidia-smi with the given text in front of the search path.
class FingerprintTest : public ::testing::Test {
 protected:
  ~FingerprintTest() override { ::setenv("PATH", path_.c_str(), 1); }
  void install(const std::string& script) {
    ASSERT_TRUE(os::write_file_atomic(dir_.file("nvidia-smi"), "#!/bin/sh\n" + script));
    ASSERT_EQ(::chmod(dir_.file("nvidia-smi").c_str(), 0755), 0);
    ::setenv("PATH", (dir_.path() + ":" + path_).c_str(), 1);
  }
  static bridge::InterpreterFacts facts() {
    bridge::InterpreterFacts out;
    out.torch = "2.11.0";
    out.triton = "3.6.0";
    return out;
  }

  os::TempDir dir_ = os::TempDir::create().value();
  std::string path_ = os::get_env("PATH").value_or("/usr/bin:/bin");
};

TEST_F(FingerprintTest, AsksAboutTheGpuThatIsUsed) {
  install("[ \"$1\" = --id=3 ] && echo 'NVIDIA H200, 580.159.04, 700.00'\n");
  EXPECT_EQ(fingerprint_of("cuda", 3, facts()).value(), (Fingerprint{"NVIDIA H200", "580.159.04", "700.00", "2.11.0", "3.6.0"}));
}

TEST_F(FingerprintTest, AnAnswerThatIsNoneIsAnError) {
  for (const char* script : {"exit 1\n", "echo none\n", "true\n"}) {
    install(script);
    EXPECT_EQ(fingerprint_of("cuda", 0, facts()).error().kind, ErrorKind::environment) << script;
  }
}

TEST_F(FingerprintTest, WithoutAGpu) {
  const Fingerprint found = fingerprint_of("cpu", std::nullopt, facts()).value();
  EXPECT_THAT(found.gpu, ::testing::StartsWith("cpu, "));
  EXPECT_EQ(found.driver, "");
  EXPECT_EQ(found.torch, "2.11.0");
}

}  // namespace
}  // namespace ka::bench

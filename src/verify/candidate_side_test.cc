// What a kernel file would do if the policy let it: it is imported here without having been read, so that the rules which
// watch a running process are seen to hold on their own.
#include <gtest/gtest.h>

#include <memory>

#include "verify/candidate_side.h"

namespace ka::verify {
namespace {

const os::CancelToken kNever;

class Unread : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<std::string> python = bridge::find_interpreter();
    ASSERT_TRUE(python) << python.error().message;
    interpreter_ = std::make_unique<bridge::WarmInterpreter>(bridge::InterpreterOptions{*python});
  }
  static void TearDownTestSuite() { interpreter_.reset(); }

  // The rule that a file breaks when it is imported, "" when it breaks none, or our own error.
  static std::string rule_of_import(const std::string& lines) {
    const std::string entry = "\ndef kernel_function(x):\n    return x\n";
    CandidateOptions options;
    options.limit = std::chrono::seconds(20);
    Result<CandidateSide> side = CandidateSide::start({"k.py", lines + entry}, options, *interpreter_, kNever);
    if (!side) return side.error().message;
    if (Status prepared = side->prepare(kNever); !prepared) return prepared.error().message;
    ReferenceFacts reference;
    reference.inputs.resize(1);
    reference.inputs[0].name = "x";
    reference.init_arguments = "[]";
    Result<std::optional<Refusal>> refusal = side->import({{}, "kernel_function", false}, reference, kNever);
    if (!refusal) return refusal.error().message;
    return *refusal ? (*refusal)->rule : "";
  }

  static std::unique_ptr<bridge::WarmInterpreter> interpreter_;
};
std::unique_ptr<bridge::WarmInterpreter> Unread::interpreter_;

TEST_F(Unread, HarmlessFileBreaksNoRule) { EXPECT_EQ(rule_of_import("import os, threading"), ""); }

TEST_F(Unread, EndOfTheProcessIsSeen) {
  EXPECT_EQ(rule_of_import("import os; os._exit(0)"), "run.exit");
  EXPECT_EQ(rule_of_import("import os; os._exit(7)"), "run.exit");
}

TEST_F(Unread, DeathBySignalIsSeen) {
  EXPECT_EQ(rule_of_import("import ctypes; ctypes.string_at(0)"), "run.crash");
}

TEST_F(Unread, ThreadsAreSeen) {
  EXPECT_EQ(rule_of_import("import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()"),
            "guard.process");
}

TEST_F(Unread, ProcessesAreSeen) {
  EXPECT_EQ(rule_of_import("import os, time\nif os.fork() == 0:\n    time.sleep(60)\n    os._exit(0)"), "guard.process");
}

TEST_F(Unread, WritingToTheJudgeIsSeen) {
  EXPECT_EQ(rule_of_import("import os, stat\n"
                           "for fd in range(3, 64):\n"
                           "    try:\n"
                           "        if stat.S_ISSOCK(os.fstat(fd).st_mode): os.write(fd, b'accepted')\n"
                           "    except OSError: pass"),
            "run.exit");
}

}  // namespace
}  // namespace ka::verify

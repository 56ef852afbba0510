// The warm interpreter with real children: answers, deaths, time-outs, restarts, and a thousand requests that leave nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "bridge/embedded.h"
#include "bridge/warm_interpreter.h"
#include "os/files.h"
#include "os/memory_file.h"

namespace ka::bridge {
namespace {

const os::CancelToken kNever;

class Bridge : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Result<std::string> python = find_interpreter();
    ASSERT_TRUE(python) << python.error().message;
    interpreter_ = std::make_unique<WarmInterpreter>(InterpreterOptions{*python});
    Result<InterpreterFacts> facts = interpreter_->start(kNever);
    ASSERT_TRUE(facts) << facts.error().message;
  }
  static void TearDownTestSuite() { interpreter_.reset(); }

  // Asks the reference module to load a problem; its module level runs in the child.
  static Result<Answer> load_problem(const std::string& text, std::chrono::milliseconds limit = std::chrono::seconds(30)) {
    KA_ASSIGN(Child child, interpreter_->spawn("reference", {}, kNever));
    return ask_load(child, text, limit);
  }
  static Result<Answer> ask_load(Child& child, const std::string& text, std::chrono::milliseconds limit) {
    KA_ASSIGN(os::MemoryFile source, os::MemoryFile::create("problem"));
    KA_TRY(source.write(text));
    const std::array fds = {source.fd()};
    const Json message = {{"cmd", "load"}, {"name", nullptr},   {"filename", "p.py"}, {"mode", "train"},
                          {"device", "cpu"}, {"budget", nullptr}, {"seed", 1}};
    return child.ask(message, fds, os::Deadline::in(limit), kNever);
  }
  static Result<Answer> check_policy_once() {
    KA_ASSIGN(Child child, interpreter_->spawn("policy", {}, kNever));
    KA_ASSIGN(os::MemoryFile source, os::MemoryFile::create("kernel"));
    KA_TRY(source.write("import os\nos.getpid()\n"));
    const std::array fds = {source.fd()};
    return child.ask(Json{{"cmd", "check"}, {"filename", "k.py"}, {"allow_random", false}}, fds,
                     os::Deadline::in(std::chrono::seconds(30)), kNever);
  }
  static std::unique_ptr<WarmInterpreter> interpreter_;
};
std::unique_ptr<WarmInterpreter> Bridge::interpreter_;

TEST_F(Bridge, IntroducesItself) {
  Result<InterpreterFacts> facts = interpreter_->start(kNever);
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->torch.empty());
  EXPECT_FALSE(facts->triton.empty());
  EXPECT_FALSE(facts->prefixes.empty());
  EXPECT_EQ(facts->threads, 1) << "a fork of a process with threads is not safe";
}

TEST_F(Bridge, AnswersARequest) {
  Result<Answer> answer = check_policy_once();
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->end, ChildEnd::alive);
  EXPECT_NE(answer->text.find("policy.import"), std::string::npos) << answer->text;
}

TEST_F(Bridge, AChildThatExitsIsAnAnswer) {
  Result<Answer> answer = load_problem("import os\nos._exit(7)\n");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->end, ChildEnd::exited);
  EXPECT_EQ(answer->status.code, 7);
}

TEST_F(Bridge, AChildThatCrashesIsAnAnswer) {
  Result<Answer> answer = load_problem("import ctypes\nctypes.string_at(0)\n");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->end, ChildEnd::signalled);
  EXPECT_EQ(answer->status.signal, SIGSEGV);
}

TEST_F(Bridge, AChildThatHangsIsKilledAtTheDeadline) {
  Result<Answer> answer = load_problem("while True: pass\n", std::chrono::milliseconds(400));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->end, ChildEnd::timed_out);
  EXPECT_LT(answer->seconds, 3);
}

TEST_F(Bridge, AFloodOfOutputIsCut) {
  Result<Child> child = interpreter_->spawn("reference", {}, kNever);
  ASSERT_TRUE(child) << child.error().message;
  Result<Answer> answer = ask_load(*child, "print('x' * 50_000_000)\nimport os\nos._exit(1)\n", std::chrono::seconds(30));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->end, ChildEnd::exited);
  EXPECT_LE(child->output_tail().size(), 8u * 1024);
}

TEST_F(Bridge, CancellationReachesAWaitingRequest) {
  os::CancelSource source;
  Result<Child> child = interpreter_->spawn("policy", {}, source.token());
  ASSERT_TRUE(child) << child.error().message;
  source.cancel();
  Result<Answer> answer = child->ask(Json{{"cmd", "nothing"}}, {}, os::Deadline::in(std::chrono::seconds(30)), source.token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::cancelled);
}

TEST_F(Bridge, ADeadInterpreterIsAnErrorAndIsReplaced) {
  Result<Child> child = interpreter_->spawn("reference", {}, kNever);
  ASSERT_TRUE(child) << child.error().message;
  const int old_pid = interpreter_->pid();
  ASSERT_EQ(kill(old_pid, SIGKILL), 0);
  Result<Answer> answer = ask_load(*child, "while True: pass\n", std::chrono::seconds(20));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NE(answer->end, ChildEnd::alive);
  EXPECT_LT(answer->seconds, 15);
  Result<Answer> next = check_policy_once();
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->end, ChildEnd::alive);
  EXPECT_NE(interpreter_->pid(), old_pid);
}

TEST_F(Bridge, TheEnvironmentOfAChildHoldsNoKeys) {
  setenv("OPENAI_API_KEY", "canary-in-the-environment", 1);
  Result<Answer> answer = load_problem(
      "import os\n"
      "text = repr(dict(os.environ)) + open('/proc/self/environ').read()\n"
      "raise ValueError(f'key {\"canary\" in text}, scratch {\"TMPDIR\" in text}')\n");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NE(answer->text.find("key False, scratch True"), std::string::npos) << answer->text;
}

TEST_F(Bridge, AChildSeesTheGpuThatItIsGiven) {
  os::SandboxRequest request;
  request.only_gpu = 5;
  Result<Child> child = interpreter_->spawn("reference", request, kNever);
  ASSERT_TRUE(child) << child.error().message;
  Result<Answer> answer = ask_load(*child, "import os\nraise ValueError('GPU ' + os.environ['CUDA_VISIBLE_DEVICES'] + ' by ' + os.environ['CUDA_DEVICE_ORDER'])\n", std::chrono::seconds(30));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NE(answer->text.find("GPU 5 by PCI_BUS_ID"), std::string::npos) << answer->text;
}

struct Usage {
  std::size_t descriptors, processes;
  long resident_kib;
};

Usage usage_of(int pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  Usage usage{os::list_dir(proc + "/fd")->size(), 0, 0};
  for (const std::string& line : split(*os::read_file(proc + "/status"), '\n'))
    if (line.starts_with("VmRSS:")) usage.resident_kib = std::atol(line.c_str() + 6);
  const std::string children = trim(*os::read_file(proc + "/task/" + std::to_string(pid) + "/children"));
  usage.processes = children.empty() ? 0 : split(children, ' ').size();
  return usage;
}

TEST_F(Bridge, AThousandRequestsLeakNothing) {
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(check_policy_once());
  const os::Deadline settled = os::Deadline::in(std::chrono::seconds(20));
  while (!settled.passed() && usage_of(interpreter_->pid()).processes > 0) usleep(1000);
  const Usage ours = usage_of(getpid()), theirs = usage_of(interpreter_->pid());
  for (int i = 0; i < 1000; ++i) {
    Result<Answer> answer = check_policy_once();
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->end, ChildEnd::alive);
  }
  // The last children may still be ending.
  const os::Deadline deadline = os::Deadline::in(std::chrono::seconds(20));
  while (!deadline.passed() && usage_of(interpreter_->pid()).processes > theirs.processes) usleep(1000);
  const Usage ours_after = usage_of(getpid()), theirs_after = usage_of(interpreter_->pid());
  EXPECT_EQ(ours_after.descriptors, ours.descriptors);
  EXPECT_EQ(theirs_after.descriptors, theirs.descriptors);
  EXPECT_EQ(theirs_after.processes, theirs.processes);
#ifndef __SANITIZE_ADDRESS__  // keeps what was freed (256 MiB of it), and looks for leaks itself
  EXPECT_LT(ours_after.resident_kib, ours.resident_kib + 4 * 1024);
#endif
  EXPECT_LT(theirs_after.resident_kib, theirs.resident_kib + 4 * 1024);
}

TEST(Embedded, HoldsTheScriptsAndTheLibrary) {
  EXPECT_TRUE(sandbox_library().starts_with("\x7f" "ELF"));
  EXPECT_NE(loader_script().find("ka_bridge"), std::string_view::npos);
  bool has_server = false;
  for (const EmbeddedScript& script : embedded_scripts()) has_server = has_server || script.name == "server";
  EXPECT_TRUE(has_server);
}

}  // namespace
}  // namespace ka::bridge

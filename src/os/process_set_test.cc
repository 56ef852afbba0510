#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/process.h"

namespace ka::os {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

ProcessSpec in_shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.env = {"PATH=/usr/bin:/bin"};
  return spec;
}

CommandResult run(const std::string& script, std::size_t max_output = kMaxOutputBytes) {
  return run_command(in_shell(script), Deadline::never(), {}, max_output).value();
}

bool no_child_left() {
  return ::waitpid(-1, nullptr, WNOHANG) == -1;
}

TEST(RunCommand, CapturesBothStreams) {
  const CommandResult result = run("echo out; echo err >&2; exit 5");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.status.code, 5);
  EXPECT_FALSE(result.timed_out);
}

TEST(RunCommand, NoOutput) {
  const CommandResult result = run("exit 0");
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "");
}

TEST(RunCommand, NeverBlocksOnFullPipes) {
  // Fills both pipes many times over, one after the other and in turn.
  const CommandResult result = run(
      "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2; "
      "i=0; while [ $i -lt 20 ]; do head -c 9000 /dev/zero; head -c 9000 /dev/zero >&2; i=$((i+1)); done");
  EXPECT_TRUE(result.status.success());
  EXPECT_EQ(result.out.size(), 480000U);
  EXPECT_EQ(result.err.size(), 480000U);
}

TEST(RunCommand, KeepsHeadAndTailOverTheLimit) {
  const CommandResult result =
      run("echo first; head -c 500000 /dev/zero | tr '\\0' x; echo; echo last", 1000);
  EXPECT_THAT(result.out, ::testing::StartsWith("first\n"));
  EXPECT_THAT(result.out, HasSubstr("bytes left out"));
  EXPECT_THAT(result.out, ::testing::EndsWith("\nlast\n"));
  EXPECT_LT(result.out.size(), 1100U);
}

TEST(RunCommand, ClosedOutputIsNotTheEnd) {
  const CommandResult result = run("exec >&- 2>&-; exit 6");
  EXPECT_EQ(result.status.code, 6);
}

TEST(RunCommand, KillsAtTheDeadlineAndKeepsTheOutput) {
  const ProcessSpec spec = in_shell("trap '' TERM; echo before; while :; do sleep 600; done");
  std::string out;
  // A busy machine may need more than the first limit to get to the echo.
  for (milliseconds limit(100); out.empty() && limit < std::chrono::minutes(1); limit *= 2) {
    const CommandResult result = run_command(spec, Deadline::in(limit), {}).value();
    EXPECT_TRUE(result.timed_out);
    EXPECT_EQ(result.status.signal, SIGKILL);
    out = result.out;
  }
  EXPECT_EQ(out, "before\n");
  EXPECT_TRUE(no_child_left());
}

TEST(RunCommand, DeadlineAlreadyPassed) {
  const CommandResult result =
      run_command(in_shell("exec sleep 600"), Deadline::in(milliseconds(0)), {}).value();
  EXPECT_TRUE(result.timed_out);
}

TEST(RunCommand, CancellationKills) {
  CancelSource source;
  std::jthread canceller([&source] { source.cancel(); });
  const Result<CommandResult> result =
      run_command(in_shell("exec sleep 600"), Deadline::never(), source.token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(no_child_left());
}

TEST(RunCommand, EscapedGrandchildDoesNotHoldItUp) {
  // In a session of its own the grandchild survives and keeps the output pipe open, as a daemon would.
  std::array<int, 2> feed{};
  std::array<int, 2> witness{};
  ASSERT_EQ(::pipe2(feed.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(witness.data(), O_CLOEXEC), 0);
  UniqueFd feed_reader(feed[0]);
  UniqueFd feed_writer(feed[1]);
  const UniqueFd witness_reader(witness[0]);
  UniqueFd witness_writer(witness[1]);
  ProcessSpec spec = in_shell("setsid sh -c 'echo up >&4; exec cat' <&3 & read line <&5; echo done");
  std::array<int, 2> go{};
  ASSERT_EQ(::pipe2(go.data(), O_CLOEXEC), 0);
  const UniqueFd go_reader(go[0]);
  const UniqueFd go_writer(go[1]);
  spec.pass_fds = {{feed_reader.get(), 3}, {witness_writer.get(), 4}, {go_reader.get(), 5}};
  // Lets the shell end only when the grandchild has its own session.
  std::jthread starter([&] {
    char c = 0;
    while (::read(witness_reader.get(), &c, 1) == 1 && c != '\n') {
    }
    EXPECT_EQ(::write(go_writer.get(), "\n", 1), 1);
  });
  const CommandResult result = run_command(spec, Deadline::never(), {}).value();
  starter.join();
  EXPECT_EQ(result.out, "done\n");
  EXPECT_TRUE(result.status.success());
  // The grandchild ends when its input ends, and with it the last writer of the witness.
  feed_writer.reset();
  feed_reader.reset();
  witness_writer.reset();
  char c = 0;
  EXPECT_EQ(::read(witness_reader.get(), &c, 1), 0);
}

TEST(RunCommand, GivenStreamsAreNotCaptured) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  ProcessSpec spec = in_shell("echo out; echo err >&2");
  spec.stdout_fd = writer.get();
  const CommandResult result = run_command(spec, Deadline::never(), {}).value();
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "err\n");
  std::array<char, 16> bytes{};
  EXPECT_EQ(::read(reader.get(), bytes.data(), bytes.size()), 4);
}

TEST(RunCommand, SurvivesInterruptions) {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  struct sigaction before{};
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  const itimerval often{{0, 1000}, {0, 1000}};
  const itimerval off{};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  const CommandResult result = run("i=0; while [ $i -lt 20 ]; do head -c 1000 /dev/zero; i=$((i+1)); done");
  ::setitimer(ITIMER_REAL, &off, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_TRUE(result.status.success());
  EXPECT_EQ(result.out.size(), 20000U);
}

TEST(RunCommand, MissingProgramIsAnError) {
  ProcessSpec spec;
  spec.argv = {"/no/such/program"};
  EXPECT_EQ(run_command(spec, Deadline::never(), {}).error().kind, ErrorKind::not_found);
}

TEST(ProcessSet, ReturnsEachAsItEnds) {
  ProcessSet set;
  std::map<std::size_t, std::string> expected;
  for (const char* word : {"a", "b", "c", "d"}) {
    const std::size_t id = set.add(in_shell(std::string("echo ") + word), Deadline::never()).value();
    expected[id] = std::string(word) + "\n";
  }
  EXPECT_EQ(set.running(), 4U);
  std::map<std::size_t, std::string> seen;
  while (set.running() > 0) {
    const ProcessSet::Finished finished = set.wait_next(Deadline::never(), {}).value();
    seen[finished.id] = finished.result.out;
  }
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(set.wait_next(Deadline::never(), {}).error().kind, ErrorKind::internal);
}

TEST(ProcessSet, EachHasItsOwnDeadline) {
  ProcessSet set;
  const std::size_t slow = set.add(in_shell("exec sleep 600"), Deadline::never()).value();
  const std::size_t late = set.add(in_shell("exec sleep 600"), Deadline::in(milliseconds(20))).value();
  const ProcessSet::Finished finished = set.wait_next(Deadline::never(), {}).value();
  EXPECT_EQ(finished.id, late);
  EXPECT_TRUE(finished.result.timed_out);
  EXPECT_EQ(set.wait_next(Deadline::in(milliseconds(5)), {}).error().kind, ErrorKind::timeout);
  EXPECT_EQ(set.running(), 1U);
  EXPECT_EQ(slow, 0U);
}

TEST(ProcessSet, CancellationReachesAll) {
  CancelSource source;
  ProcessSet set;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(set.add(in_shell("exec sleep 600"), Deadline::never()));
  std::jthread canceller([&source] { source.cancel(); });
  EXPECT_EQ(set.wait_next(Deadline::never(), source.token()).error().kind, ErrorKind::cancelled);
  EXPECT_EQ(set.running(), 0U);
  EXPECT_TRUE(no_child_left());
}

TEST(ProcessSet, DestructorLeavesNothingBehind) {
  {
    ProcessSet set;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(set.add(in_shell("exec sleep 600"), Deadline::never()));
  }
  EXPECT_TRUE(no_child_left());
}

}  // namespace
}  // namespace ka::os

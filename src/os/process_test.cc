#include "os/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/files.h"
#include "os/memory_file.h"

namespace ka::os {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

struct Pipe {
  UniqueFd read, write;
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  // Everything until all writers are gone.
  std::string drain() {
    write.reset();
    std::string text;
    std::array<char, 4096> bytes;
    for (ssize_t got = 1; got > 0;) {
      got = ::read(read.get(), bytes.data(), bytes.size());
      if (got > 0) text.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return text;
  }
};

ProcessSpec shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.env = {"PATH=/usr/bin:/bin"};
  return spec;
}

ExitStatus ended(Process& process) {
  return process.wait(Deadline::never(), {}).value();
}

TEST(Process, ReportsItsExitCode) {
  Process process = spawn(shell("exit 3")).value();
  const ExitStatus status = ended(process);
  EXPECT_TRUE(status.exited);
  EXPECT_EQ(status.code, 3);
  EXPECT_FALSE(status.success());
  EXPECT_GT(status.max_rss_kib, 0);
  EXPECT_GE(status.cpu_s, 0);
  EXPECT_EQ(describe(status), "exit code 3");
  EXPECT_EQ(ended(process).code, 3);
}

TEST(Process, ReportsItsSignal) {
  Process process = spawn(shell("kill -SEGV $$")).value();
  const ExitStatus status = ended(process);
  EXPECT_FALSE(status.exited);
  EXPECT_EQ(status.signal, SIGSEGV);
  EXPECT_EQ(describe(status), "killed by signal 11 (Segmentation fault)");
}

TEST(Process, MissingProgram) {
  ProcessSpec spec;
  spec.argv = {"no-such-program-here"};
  EXPECT_EQ(spawn(spec).error().kind, ErrorKind::not_found);
  spec.argv = {"/no/such/program"};
  EXPECT_EQ(spawn(spec).error().message, "cannot start /no/such/program: No such file or directory");
  spec.argv = {"/"};
  EXPECT_EQ(spawn(spec).error().kind, ErrorKind::environment);
  spec.argv = {};
  EXPECT_EQ(spawn(spec).error().kind, ErrorKind::internal);
  spec.argv = {"/bin/sh", std::string("a\0b", 3)};
  EXPECT_EQ(spawn(spec).error().kind, ErrorKind::invalid_input);
}

TEST(Process, SearchesThePathOfItsOwnEnvironment) {
  ProcessSpec spec;
  spec.argv = {"sh", "-c", "exit 0"};
  spec.env = {"PATH=/nonexistent"};
  EXPECT_FALSE(spawn(spec));
  spec.env = {"PATH=/nonexistent:/bin"};
  Process process = spawn(spec).value();
  EXPECT_TRUE(ended(process).success());
}

TEST(Process, WaitTimesOutAndMayBeRepeated) {
  Process process = spawn(shell("exec sleep 600")).value();
  EXPECT_EQ(process.wait(Deadline::in(milliseconds(0)), {}).error().kind, ErrorKind::timeout);
  EXPECT_EQ(process.wait(Deadline::in(milliseconds(5)), {}).error().kind, ErrorKind::timeout);
  EXPECT_FALSE(process.reaped());
  process.kill();
  EXPECT_EQ(ended(process).signal, SIGKILL);
  process.kill();  // nothing happens
  EXPECT_TRUE(process.reaped());
}

TEST(Process, WaitIsCancelled) {
  Process process = spawn(shell("exec sleep 600")).value();
  CancelSource source;
  std::jthread canceller([&source] { source.cancel(); });
  EXPECT_EQ(process.wait(Deadline::never(), source.token()).error().kind, ErrorKind::cancelled);
}

TEST(Process, SignalsGoToTheChild) {
  Process process = spawn(shell("exec sleep 600")).value();
  process.send_signal(SIGTERM);
  EXPECT_EQ(ended(process).signal, SIGTERM);
}

TEST(Process, DestructorKillsAndReaps) {
  pid_t pid = -1;
  {
    const Process process = spawn(shell("exec sleep 600")).value();
    pid = process.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Process, AssignmentEndsTheOldOne) {
  Process process = spawn(shell("exec sleep 600")).value();
  const pid_t old = process.pid();
  process = spawn(shell("exit 4")).value();
  EXPECT_EQ(::kill(old, 0), -1);
  EXPECT_EQ(ended(process).code, 4);
}

TEST(Process, WhatItLeftInItsGroupDies) {
  Pipe stays_open;  // holds the grandchild alive as far as we are concerned
  Pipe witness;     // ends when the grandchild ends
  ProcessSpec spec = shell("cat <&3 & exit 0");
  spec.pass_fds = {{stays_open.read.get(), 3}, {witness.write.get(), 4}};
  Process process = spawn(spec).value();
  EXPECT_TRUE(ended(process).success());
  EXPECT_EQ(witness.drain(), "");
}

TEST(Process, WithoutOwnSessionOnlyTheChildIsKilled) {
  Pipe feeds;
  Pipe witness;
  ProcessSpec spec = shell("cat <&3 >&4 & echo started >&4; wait");
  spec.own_session = false;
  spec.pass_fds = {{feeds.read.get(), 3}, {witness.write.get(), 4}};
  {
    const Process process = spawn(spec).value();
    EXPECT_EQ(::getpgid(process.pid()), ::getpgrp());
    std::array<char, 8> line;
    ASSERT_EQ(::read(witness.read.get(), line.data(), line.size()), 8);  // "started\n"
  }
  ASSERT_EQ(::write(feeds.write.get(), "alive", 5), 5);
  feeds.write.reset();
  EXPECT_EQ(witness.drain(), "alive");
}

TEST(Process, OwnSession) {
  const Process process = spawn(shell("exec sleep 600")).value();
  EXPECT_EQ(::getsid(process.pid()), process.pid());
}

TEST(Process, StandardStreamsAreNullByDefault) {
  Process process = spawn(shell("read x; test $? -ne 0 && echo out && echo err >&2")).value();
  EXPECT_TRUE(ended(process).success());
}

TEST(Process, OverlappingDescriptorNumbers) {
  // Each source number is the target number of the other: 3 and 4 change places whatever they are.
  MemoryFile a = MemoryFile::create("a").value();
  MemoryFile b = MemoryFile::create("b").value();
  ASSERT_TRUE(a.write("A"));
  ASSERT_TRUE(b.write("B"));
  Pipe out;
  ProcessSpec spec = shell("cat <&\"$1\"; cat <&\"$2\"");
  spec.argv.insert(spec.argv.end(), {"sh", std::to_string(b.fd()), std::to_string(a.fd())});
  spec.pass_fds = {{a.fd(), b.fd()}, {b.fd(), a.fd()}};
  ASSERT_LE(b.fd(), 9) << "a shell can name single digits only";
  spec.stdout_fd = out.write.get();
  Process process = spawn(spec).value();
  EXPECT_TRUE(ended(process).success());
  EXPECT_EQ(out.drain(), "AB");
}

TEST(Process, StreamsMayChangePlaces) {
  Pipe out;
  ProcessSpec spec = shell("echo to-out; echo to-err >&2");
  spec.stdout_fd = out.write.get();
  spec.stderr_fd = out.write.get();
  Process process = spawn(spec).value();
  ended(process);
  EXPECT_EQ(out.drain(), "to-out\nto-err\n");
}

TEST(Process, NothingElseIsInherited) {
  const UniqueFd inheritable(::open("/dev/null", O_RDONLY));  // no O_CLOEXEC, as a library might do
  const UniqueFd high(::fcntl(inheritable.get(), F_DUPFD, 50));
  Pipe passed;
  ProcessSpec spec = shell("ls /proc/self/fd | tr '\\n' ' '");
  spec.pass_fds = {{passed.read.get(), 60}};
  const CommandResult result = run_command(spec, Deadline::never(), {}).value();
  // ls itself opens the folder as the lowest free number.
  EXPECT_EQ(result.out, "0 1 2 3 60 ");
}

TEST(Process, BadDescriptorsAreRefused) {
  ProcessSpec spec = shell("exit 0");
  spec.pass_fds = {{-1, 3}};
  EXPECT_EQ(spawn(spec).error().kind, ErrorKind::internal);
  spec.pass_fds = {{0, 2}};
  EXPECT_EQ(spawn(spec).error().kind, ErrorKind::internal);
  spec.pass_fds = {{0, 5}, {1, 5}};
  EXPECT_EQ(spawn(spec).error().kind, ErrorKind::internal);
  spec.pass_fds = {{900, 5}};
  EXPECT_EQ(spawn(spec).error().kind, ErrorKind::io);
}

TEST(Process, RunsInItsFolderWithItsEnvironmentOnly) {
  const TempDir dir = std::move(TempDir::create()).value();
  ProcessSpec spec = shell("pwd; /usr/bin/env");
  spec.cwd = dir.path();
  spec.env = {"ONLY=this"};
  const CommandResult result = run_command(spec, Deadline::never(), {}).value();
  EXPECT_THAT(result.out, HasSubstr(dir.path() + "\n"));
  EXPECT_THAT(result.out, HasSubstr("ONLY=this\n"));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("PATH=")));
  spec.cwd = "/no/such/folder";
  EXPECT_THAT(spawn(spec).error().message, HasSubstr("in folder /no/such/folder: it does not exist"));
}

TEST(Process, SignalsAreAtTheirDefaults) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  const auto pipe_before = ::signal(SIGPIPE, SIG_IGN);
  const CommandResult result =
      run_command(shell("grep -E 'SigBlk|SigIgn' /proc/self/status"), Deadline::never(), {}).value();
  ::signal(SIGPIPE, pipe_before);
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  // The two internal signals of the C library (32 and 33) are its own business.
  EXPECT_THAT(result.out,
              ::testing::MatchesRegex("SigBlk:\t0000000000000000\nSigIgn:\t0000000[01][08]0000000\n"));
}

TEST(Process, NoDescriptorsLeftIsAnError) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const int free = ::dup(0);
  ::close(free);
  for (rlim_t spare = 0; spare < 6; ++spare) {
    rlimit tight = limit;
    tight.rlim_cur = static_cast<rlim_t>(free) + spare;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    const Result<CommandResult> result = run_command(shell("exit 0"), Deadline::never(), {});
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_FALSE(result) << spare;
  }
  const int after = ::dup(0);
  ::close(after);
  EXPECT_EQ(after, free);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left behind";
}

}  // namespace
}  // namespace ka::os

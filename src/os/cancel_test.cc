#include "os/cancel.h"

#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "os/unique_fd.h"

namespace ka::os::cancel_test {
namespace {

using std::chrono::milliseconds;

struct Pipe {
  UniqueFd read, write;
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
};

TEST(Cancel, DefaultTokenIsNeverCancelled) {
  const CancelToken token;
  EXPECT_FALSE(token.cancelled());
  EXPECT_EQ(token.fd(), -1);
}

TEST(Cancel, ReachesEveryToken) {
  CancelSource source;
  const CancelToken before = source.token();
  const CancelToken copy = before;
  EXPECT_FALSE(before.cancelled());
  source.cancel();
  source.cancel();
  EXPECT_TRUE(before.cancelled());
  EXPECT_TRUE(copy.cancelled());
  EXPECT_TRUE(source.token().cancelled());
  pollfd polled{copy.fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&polled, 1, 0), 1);
}

TEST(Cancel, TokenOutlivesItsSource) {
  CancelToken token;
  {
    CancelSource source;
    token = source.token();
    source.cancel();
  }
  EXPECT_TRUE(token.cancelled());
}

TEST(Cancel, WakesASleepingWait) {
  const Pipe pipe;
  CancelSource source;
  std::jthread canceller([&source] { source.cancel(); });
  EXPECT_EQ(*wait_ready(pipe.read.get(), POLLIN, Deadline::never(), source.token()), Ready::cancelled);
}

TEST(WaitReady, TellsReadyFromTimeout) {
  Pipe pipe;
  EXPECT_EQ(*wait_ready(pipe.read.get(), POLLIN, Deadline::in(milliseconds(0)), {}), Ready::timeout);
  EXPECT_EQ(*wait_ready(pipe.read.get(), POLLIN, Deadline::in(milliseconds(5)), {}), Ready::timeout);
  ASSERT_EQ(::write(pipe.write.get(), "x", 1), 1);
  EXPECT_EQ(*wait_ready(pipe.read.get(), POLLIN, Deadline::in(milliseconds(0)), {}), Ready::ready);
}

TEST(WaitReady, HangUpCountsAsReady) {
  Pipe pipe;
  pipe.write.reset();
  EXPECT_EQ(*wait_ready(pipe.read.get(), POLLIN, Deadline::never(), {}), Ready::ready);
}

TEST(WaitReady, ClosedDescriptorIsOurBug) {
  Pipe pipe;
  const int fd = pipe.read.get();
  pipe.read.reset();
  EXPECT_EQ(wait_ready(fd, POLLIN, Deadline::never(), {}).error().kind, ErrorKind::internal);
}

TEST(WaitReady, GoesOnAfterAnInterruption) {
  const Pipe pipe;
  struct sigaction action{};
  action.sa_handler = [](int) {};
  struct sigaction before{};
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  const itimerval often{{0, 2000}, {0, 2000}};
  const itimerval off{};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  const Deadline deadline = Deadline::in(milliseconds(30));
  EXPECT_EQ(*wait_ready(pipe.read.get(), POLLIN, deadline, {}), Ready::timeout);
  EXPECT_TRUE(deadline.passed());
  ::setitimer(ITIMER_REAL, &off, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
}

// The handlers are for good, so each of these runs in a process of its own.
class WatchSignalsDeathTest : public ::testing::Test {
 protected:
  WatchSignalsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void exit_by_cancellation(int signal) {
  CancelSource source;
  if (!watch_signals(source)) std::_Exit(99);
  const CancelToken token = source.token();
  if (token.cancelled()) std::_Exit(98);
  ::raise(signal);
  const Result<Ready> ready = wait_ready(-1, POLLIN, Deadline::never(), token);
  std::_Exit(ready && *ready == Ready::cancelled ? 7 : 97);
}

TEST_F(WatchSignalsDeathTest, FirstSignalCancels) {
  EXPECT_EXIT(exit_by_cancellation(SIGINT), ::testing::ExitedWithCode(7), "");
  EXPECT_EXIT(exit_by_cancellation(SIGTERM), ::testing::ExitedWithCode(7), "");
}

void interrupt_twice() {
  CancelSource source;
  if (!watch_signals(source)) std::_Exit(99);
  ::raise(SIGTERM);
  ::raise(SIGINT);
  ::raise(SIGINT);
  std::_Exit(98);
}

TEST_F(WatchSignalsDeathTest, SecondInterruptEndsTheProgram) {
  EXPECT_EXIT(interrupt_twice(), ::testing::ExitedWithCode(130), "");
}

void signal_after_the_source_has_gone() {
  {
    CancelSource source;
    if (!watch_signals(source)) std::_Exit(99);
  }
  ::raise(SIGTERM);
  std::_Exit(7);
}

TEST_F(WatchSignalsDeathTest, SourceMayEndFirst) {
  EXPECT_EXIT(signal_after_the_source_has_gone(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace ka::os::cancel_test

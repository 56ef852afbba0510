#include "os/file_lock.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include <gmock/gmock.h>

#include "os/files.h"

namespace ka::os {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class Lock : public testing::Test {
 protected:
  TempDir folder_ = *TempDir::create();
  std::string path_ = folder_.file("x.lock");
};

TEST_F(Lock, HasOneHolderAtATime) {
  std::optional<FileLock> first = FileLock::try_acquire(path_).value();
  ASSERT_TRUE(first);
  EXPECT_FALSE(FileLock::try_acquire(path_).value());
  EXPECT_TRUE(is_held(path_));
  first.reset();
  EXPECT_FALSE(is_held(path_));
  EXPECT_TRUE(FileLock::try_acquire(path_).value());
}

TEST_F(Lock, NamesItsHolder) {
  EXPECT_EQ(holder_of(path_), "");
  EXPECT_FALSE(is_held(path_));
  EXPECT_FALSE(exists(path_));
  FileLock lock = std::move(*FileLock::try_acquire(path_).value());
  EXPECT_EQ(holder_of(path_), "");
  lock.sign("a long line of words");
  lock.sign("process 7\x1b[2J");
  EXPECT_EQ(holder_of(path_), "process 7?[2J");
  lock.sign(std::string(1000, 'x'));
  EXPECT_EQ(holder_of(path_).size(), 200U);
}

TEST_F(Lock, WaitsForTheHolderToEnd) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = FileLock::acquire(path_, Deadline::in(milliseconds(20'000)), {});
    ::usleep(200'000);
    ::_exit(held ? 0 : 1);
  }
  while (!exists(path_) || FileLock::try_acquire(path_).value()) ::usleep(1000);
  EXPECT_TRUE(FileLock::acquire(path_, Deadline::in(milliseconds(20'000)), {}));
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Lock, GivesUpAtTheDeadlineAndSaysWhoHoldsIt) {
  FileLock lock = std::move(*FileLock::try_acquire(path_).value());
  lock.sign("process 12");
  const Result<FileLock> second = FileLock::acquire(path_, Deadline::in(milliseconds(30)), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::timeout);
  EXPECT_THAT(second.error().message, HasSubstr(path_ + " is still in use by process 12"));
}

TEST_F(Lock, EndsWaitingWhenCancelled) {
  FileLock lock = std::move(*FileLock::try_acquire(path_).value());
  CancelSource source;
  std::jthread canceller([&] {
    ::usleep(50'000);
    source.cancel();
  });
  const TimePoint begin = std::chrono::steady_clock::now();
  const Result<FileLock> second = FileLock::acquire(path_, Deadline::never(), source.token());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::cancelled);
  EXPECT_LT(seconds_since(begin), 0.25);
}

TEST_F(Lock, AFileThatWasRemovedMeanwhileDoesNotLock) {
  const std::optional<FileLock> first = FileLock::try_acquire(path_).value();
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  EXPECT_TRUE(FileLock::try_acquire(path_).value());
}

TEST_F(Lock, RefusesLinksAndWhatIsNoFile) {
  const std::string target = folder_.file("target"), link = folder_.file("link"), hard = folder_.file("hard"), pipe = folder_.file("pipe");
  ASSERT_TRUE(write_file_atomic(target, "precious"));
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
  ASSERT_EQ(::link(target.c_str(), hard.c_str()), 0);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {link, hard, pipe, folder_.path()}) {
    const auto lock = FileLock::try_acquire(path);
    ASSERT_FALSE(lock) << path;
    EXPECT_EQ(lock.error().kind, ErrorKind::invalid_input) << path;
    EXPECT_THAT(lock.error().message, HasSubstr(path));
  }
  EXPECT_EQ(*read_file(target), "precious");
}

}  // namespace
}  // namespace ka::os

#include "os/gpu_lease.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>

#include "os/files.h"

namespace ka::os {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// A process that holds leases until it is killed. It also leaves a program running that outlives it.
class Holder {
 public:
  Holder(const std::vector<int>& gpus, const std::string& folder) {
    std::array<int, 2> told{};
    EXPECT_EQ(::pipe(told.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) hold(gpus, folder, told[1]);
    ::close(told[1]);
    EXPECT_EQ(::read(told[0], &sleeper_, sizeof sleeper_), static_cast<ssize_t>(sizeof sleeper_)) << "the holder got no lease";
    ::close(told[0]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    kill();
    if (sleeper_ > 0) ::kill(sleeper_, SIGKILL);
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] static void hold(const std::vector<int>& gpus, const std::string& folder, int told) {
    std::vector<GpuLease> leases;
    for (const int gpu : gpus) {
      Result<std::optional<GpuLease>> lease = GpuLease::try_acquire(gpu, "a test", folder);
      if (!lease || !*lease) ::_exit(1);
      leases.push_back(std::move(**lease));
    }
    std::array<int, 2> started{};  // closed by exec: until then the new process still has our descriptors
    if (::pipe2(started.data(), O_CLOEXEC) != 0) ::_exit(1);
    const pid_t sleeper = ::fork();
    if (sleeper == 0) {
      ::execl("/bin/sleep", "sleep", "60", nullptr);
      ::_exit(1);
    }
    ::close(started[1]);
    char nothing = 0;
    if (::read(started[0], &nothing, 1) != 0 || ::write(told, &sleeper, sizeof sleeper) < 0) ::_exit(1);
    while (true) ::pause();
  }
  pid_t pid_ = -1, sleeper_ = -1;
};

class Lease : public testing::Test {
 protected:
  TempDir parent_ = *TempDir::create();
  std::string folder_ = parent_.file("leases");
  std::optional<GpuLease> take(int gpu) { return GpuLease::try_acquire(gpu, "kernelagent bench", folder_).value(); }
};

TEST_F(Lease, IsExclusivePerGpu) {
  std::optional<GpuLease> zero = take(0);
  ASSERT_TRUE(zero);
  EXPECT_EQ(zero->gpu(), 0);
  EXPECT_FALSE(take(0));
  EXPECT_TRUE(take(1));
  zero.reset();
  EXPECT_TRUE(take(0));
}

TEST_F(Lease, NamesItsHolder) {
  EXPECT_EQ(gpu_holder(0, folder_), "");
  EXPECT_FALSE(exists(folder_)) << "asking makes nothing";
  std::optional<GpuLease> lease = take(0);
  EXPECT_EQ(gpu_holder(0, folder_), "process " + std::to_string(::getpid()) + " (kernelagent bench)");
  EXPECT_EQ(gpu_holder(1, folder_), "");
  lease.reset();
  EXPECT_EQ(gpu_holder(0, folder_), "");
}

TEST_F(Lease, AKilledHolderLetsGoAlthoughItsChildLives) {
  Holder holder({0}, folder_);
  EXPECT_FALSE(take(0));
  EXPECT_EQ(gpu_holder(0, folder_), "process " + std::to_string(holder.pid()) + " (a test)");
  holder.kill();
  EXPECT_EQ(gpu_holder(0, folder_), "");
  EXPECT_TRUE(take(0));
}

TEST_F(Lease, TakesWhicheverIsFree) {
  const Holder holder({0, 2}, folder_);
  const std::array gpus = {0, 1, 2};
  const Result<GpuLease> lease = GpuLease::acquire_any(gpus, "x", Deadline::in(milliseconds(0)), {}, folder_);
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_EQ(lease->gpu(), 1);
}

TEST_F(Lease, WaitsForAHolderThatIsKilledAndDoesNotSpin) {
  Holder zero({0}, folder_), one({1}, folder_);
  std::jthread killer([&] {
    ::usleep(400'000);
    one.kill();
  });
  struct rusage before{}, after{};
  ::getrusage(RUSAGE_THREAD, &before);
  const std::array gpus = {0, 1};
  const Result<GpuLease> lease = GpuLease::acquire_any(gpus, "x", Deadline::in(milliseconds(20'000)), {}, folder_);
  ::getrusage(RUSAGE_THREAD, &after);
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_EQ(lease->gpu(), 1);
  EXPECT_LT(after.ru_nvcsw - before.ru_nvcsw, 100) << "it slept and woke too often";
}

TEST_F(Lease, WaitingEndsAtACancellation) {
  const Holder holder({0}, folder_);
  CancelSource source;
  TimePoint cancelled;
  std::jthread canceller([&] {
    ::usleep(100'000);
    cancelled = std::chrono::steady_clock::now();
    source.cancel();
  });
  const std::array gpus = {0};
  const Result<GpuLease> lease = GpuLease::acquire_any(gpus, "x", Deadline::never(), source.token(), folder_);
  const TimePoint ended = std::chrono::steady_clock::now();
  canceller.join();
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().kind, ErrorKind::cancelled);
  EXPECT_LT(std::chrono::duration<double>(ended - cancelled).count(), 0.2);
}

TEST_F(Lease, GivingUpSaysWhoHoldsWhich) {
  const Holder holder({0, 1}, folder_);
  const std::array gpus = {0, 1};
  const Result<GpuLease> lease = GpuLease::acquire_any(gpus, "x", Deadline::in(milliseconds(60)), {}, folder_);
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().kind, ErrorKind::timeout);
  const std::string who = "process " + std::to_string(holder.pid()) + " (a test)";
  EXPECT_THAT(lease.error().message, HasSubstr("GPU 0 by " + who + ", GPU 1 by " + who));
}

TEST_F(Lease, NoGpuIsOneSentence) {
  EXPECT_EQ(GpuLease::acquire_any({}, "x", Deadline::never(), {}, folder_).error().kind, ErrorKind::environment);
  EXPECT_EQ(GpuLease::try_acquire(-1, "x", folder_).error().kind, ErrorKind::invalid_input);
}

TEST_F(Lease, MakesAFolderThatOthersCannotEnter) {
  ASSERT_TRUE(take(0));
  struct stat status{};
  ASSERT_EQ(::stat(folder_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(Lease, RefusesAFolderThatOthersControl) {
  const auto says = [&](const std::string& folder) {
    const auto lease = GpuLease::try_acquire(0, "x", folder);
    EXPECT_FALSE(lease);
    EXPECT_EQ(lease.error().kind, ErrorKind::environment);
    EXPECT_THAT(lease.error().message, HasSubstr(folder));
    return lease.error().message;
  };
  ASSERT_EQ(::mkdir(folder_.c_str(), 0700), 0);
  ASSERT_EQ(::symlink(folder_.c_str(), parent_.file("link").c_str()), 0);
  EXPECT_THAT(says(parent_.file("link")), HasSubstr("is no folder"));
  ASSERT_TRUE(write_file_atomic(parent_.file("file"), ""));
  EXPECT_THAT(says(parent_.file("file")), HasSubstr("is no folder"));
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  EXPECT_THAT(says(folder_), HasSubstr("may be written by others"));
  if (::geteuid() == 0) {
    ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
    ASSERT_EQ(::chown(folder_.c_str(), 65534, 65534), 0);
    EXPECT_THAT(says(folder_), HasSubstr("belongs to another user"));
  }
}

TEST_F(Lease, RefusesALinkInPlaceOfTheFile) {
  ASSERT_TRUE(write_file_atomic(parent_.file("precious"), "text"));
  ASSERT_EQ(::mkdir(folder_.c_str(), 0700), 0);
  ASSERT_EQ(::symlink(parent_.file("precious").c_str(), (folder_ + "/gpu0.lock").c_str()), 0);
  const auto lease = GpuLease::try_acquire(0, "x", folder_);
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().kind, ErrorKind::environment);
  EXPECT_EQ(*read_file(parent_.file("precious")), "text");
}

TEST_F(Lease, LiesInTheRuntimeFolderWhereThereIsOne) {
  const char* before = ::getenv("XDG_RUNTIME_DIR");
  const std::string kept = before == nullptr ? "" : before;
  const std::string name = "/kernelagent-gpu-" + std::to_string(::geteuid());
  ::setenv("XDG_RUNTIME_DIR", parent_.path().c_str(), 1);
  EXPECT_EQ(gpu_lease_folder(), parent_.path() + name);
  for (const char* unusable : {"", "relative", "/nonexistent"}) {
    ::setenv("XDG_RUNTIME_DIR", unusable, 1);
    EXPECT_EQ(gpu_lease_folder(), "/tmp" + name) << unusable;
  }
  before == nullptr ? ::unsetenv("XDG_RUNTIME_DIR") : ::setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace ka::os

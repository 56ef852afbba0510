#include "os/gpu_pool.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "os/files.h"
#include "os/gpu.h"

namespace ka::os {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Pool : public testing::Test {
 protected:
  GpuPool::Options options(std::vector<int> gpus, std::size_t slots) { return {std::move(gpus), slots, "a test", folder_}; }
  std::string holder(int gpu) const { return gpu_holder(gpu, folder_); }

  // A process that holds a GPU until it is killed.
  pid_t start_holder(int gpu) {
    std::array<int, 2> told{};
    EXPECT_EQ(::pipe(told.data()), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      const Result<std::optional<GpuLease>> lease = GpuLease::try_acquire(gpu, "another run", folder_);
      if (!lease || !*lease || ::write(told[1], "x", 1) != 1) ::_exit(1);
      while (true) ::pause();
    }
    char byte = 0;
    ::close(told[1]);
    EXPECT_EQ(::read(told[0], &byte, 1), 1) << "the holder got no lease";
    ::close(told[0]);
    return pid;
  }

  TempDir parent_ = *TempDir::create();
  std::string folder_ = parent_.file("leases");
};

// What was said, by sentence.
class Said : public EventSink {
 public:
  explicit Said(std::vector<std::string>& lines) : lines_(lines) {}
  void write(const Event& event, WallTime) override { lines_.push_back(event.message); }

 private:
  std::vector<std::string>& lines_;
};

TEST_F(Pool, SpreadsBeforeItShares) {
  GpuPool pool(options({0, 2, 5}, 2), nullptr);
  EXPECT_EQ(pool.capacity(), 6U);
  std::vector<GpuPool::Slot> slots;
  std::vector<int> gpus;
  for (int i = 0; i < 6; ++i) {
    slots.push_back(pool.take({}).value());
    gpus.push_back(slots.back().gpu());
  }
  EXPECT_THAT(gpus, ElementsAre(0, 2, 5, 0, 2, 5));
}

TEST_F(Pool, LeasesWhileItIsUsed) {
  GpuPool pool(options({0, 1}, 2), nullptr);
  EXPECT_EQ(holder(0), "");
  std::optional<GpuPool::Slot> first(pool.take({}).value()), second(pool.take({}).value()), third(pool.take({}).value());
  EXPECT_THAT((std::vector{first->gpu(), second->gpu(), third->gpu()}), ElementsAre(0, 1, 0));
  EXPECT_THAT(holder(0), HasSubstr("a test"));
  second.reset();
  EXPECT_EQ(holder(1), "");
  first.reset();
  EXPECT_NE(holder(0), "") << "given back while somebody works on it";
  third.reset();
  EXPECT_EQ(holder(0), "");
}

TEST_F(Pool, LeavesAloneWhatOthersHold) {
  const std::optional<GpuLease> other = GpuLease::try_acquire(0, "another run", folder_).value();
  GpuPool pool(options({0, 1}, 2), nullptr);
  const GpuPool::Slot first = pool.take({}).value(), second = pool.take({}).value();
  EXPECT_THAT((std::vector{first.gpu(), second.gpu()}), ElementsAre(1, 1));
}

TEST_F(Pool, SaysOnceForWhomItWaitsAndSurvivesAKilledHolder) {
  const pid_t holder = start_holder(3);
  std::vector<std::string> lines;
  EventLog log;
  log.add_sink(std::make_unique<Said>(lines));
  GpuPool pool(options({3}, 1), &log);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
  });
  const Result<GpuPool::Slot> slot = pool.take({});
  killer.join();
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->gpu(), 3);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("GPU 3 by process " + std::to_string(holder) + " (another run)")));
}

TEST_F(Pool, ACancellationEndsTheWait) {
  const std::optional<GpuLease> other = GpuLease::try_acquire(0, "another run", folder_).value();
  GpuPool pool(options({0}, 3), nullptr);
  CancelSource source;
  source.cancel();
  const Result<GpuPool::Slot> slot = pool.take(source.token());
  ASSERT_FALSE(slot);
  EXPECT_EQ(slot.error().kind, ErrorKind::cancelled);
}

TEST_F(Pool, WithoutGpusThereIsNothingToWaitFor) { EXPECT_EQ(GpuPool(options({}, 3), nullptr).take({}).error().kind, ErrorKind::environment); }

TEST_F(Pool, ThreadsNeverShareBeyondTheSlots) {
  constexpr std::size_t kSlots = 3;
  GpuPool pool(options({0, 1, 2}, kSlots), nullptr);
  std::array<std::atomic<std::size_t>, 3> now{}, most{};
  std::atomic<int> failed = 0;
  const auto work = [&] {
    for (int i = 0; i < 20; ++i) {
      const Result<GpuPool::Slot> slot = pool.take({});
      if (!slot) {
        ++failed;
        return;
      }
      const auto gpu = static_cast<std::size_t>(slot->gpu());
      const std::size_t here = ++now[gpu];
      for (std::size_t seen = most[gpu]; seen < here && !most[gpu].compare_exchange_weak(seen, here);) {
      }
      std::this_thread::yield();
      --now[gpu];
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  for (const auto& count : most) EXPECT_LE(count, kSlots);
  EXPECT_THAT((std::vector{holder(0), holder(1), holder(2)}), ElementsAre("", "", ""));
}

TEST(VisibleGpus, AreThoseOfTheVariable) {
  const std::vector<Gpu> machine = {{0, "a", "9.0", 0, ""}, {1, "a", "9.0", 0, ""}, {3, "a", "9.0", 0, ""}};
  const auto of = [&](const char* text) { return visible_gpus(machine, text).value(); };
  EXPECT_THAT(visible_gpus(machine, std::nullopt).value(), ElementsAre(0, 1, 3));
  EXPECT_THAT(of("3, 1"), ElementsAre(3, 1));
  EXPECT_THAT(of("1,1"), ElementsAre(1));
  EXPECT_THAT(of(""), ElementsAre());
  EXPECT_THAT(of("-1"), ElementsAre());
  EXPECT_THAT(of("1,7,3"), ElementsAre(1));
  EXPECT_THAT(of("NoDevFiles"), ElementsAre());
  EXPECT_FALSE(visible_gpus(machine, "GPU-5fa1b2c3"));
}

}  // namespace
}  // namespace ka::os

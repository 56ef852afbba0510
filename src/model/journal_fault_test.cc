// A run of six steps is killed with SIGKILL at every point where a crash leaves another state on the disk, and then
// resumed. What must hold each time: the directory opens, no step that was acknowledged is done again, and the
// artefacts end up byte for byte as those of a run that nobody disturbed.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "base/hash.h"
#include "model/run_directory.h"
#include "os/files.h"

namespace ka::model::journal_fault_test {
namespace {

constexpr int kSteps = 6;

// Seen by the parent also when the child is killed.
struct Shared {
  std::atomic<int> points;
  std::atomic<int> executed[kSteps];
  std::atomic<int> acknowledged[kSteps];  // record() had returned
};

RunInfo info() { return {1, "run_1", "2026-11-15T06:40:20.123Z", "test", "0", {}}; }

std::string step_name(int step) { return "step" + std::to_string(step); }

// Each step writes two artefacts from those of the step before, so that a lost or half-written one shows at the end.
Status execute(RunDirectory& run, int step) {
  std::string before = "start";
  if (step > 0) {
    KA_ASSIGN(before, run.read_artifact("out/" + std::to_string(step - 1) + "/main.txt"));
  }
  const std::string folder = "out/" + std::to_string(step) + "/";
  KA_TRY(run.write_artifact(folder + "main.txt", sha256_hex(before) + "\n"));
  KA_TRY(run.write_artifact(folder + "side.txt", std::string(static_cast<std::size_t>(step) * 1000, 's')));
  return run.record(step_name(step), "key", {folder + "main.txt", folder + "side.txt"});
}

Status perform(const std::string& root, Shared& shared) {
  const bool made = os::exists(root + "/run_1/run.json");
  KA_ASSIGN(RunDirectory run, made ? RunDirectory::open(root + "/run_1") : RunDirectory::create(root, info()));
  for (int step = 0; step < kSteps; ++step) {
    if (run.finished(step_name(step), "key")) continue;
    ++shared.executed[step];
    KA_TRY(execute(run, step));
    ++shared.acknowledged[step];
  }
  return ok();
}

// All files below a folder: name and hash. Not the lock, whose content names a process.
std::map<std::string, std::string> tree(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename() == "lock") continue;
    files[std::filesystem::relative(entry.path(), folder).string()] =
        sha256_hex(os::read_file(entry.path().string()).value());
  }
  return files;
}

// In memory where there is such a place: a killed process leaves the same state there, and syncing costs nothing.
std::string scratch() { return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ""; }

class JournalFaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ = new (memory) Shared{};
    dir_.emplace(os::TempDir::create("kernelagent-", scratch()).value());
    Status undisturbed = perform(dir_->file("whole"), *shared_);
    ASSERT_TRUE(undisturbed) << undisturbed.error().message;
    expected_ = tree(dir_->file("whole"));
    ASSERT_EQ(expected_.size(), 2u + 2 * kSteps);
    reset();
  }
  void TearDown() override { ::munmap(shared_, sizeof(Shared)); }

  void reset() {
    shared_->points = 0;
    for (int step = 0; step < kSteps; ++step) shared_->executed[step] = shared_->acknowledged[step] = 0;
  }

  // Runs `work` in a child; true when it came to its end, false when it was killed.
  template <class Work>
  bool in_child(Work work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work() ? 0 : 1);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
      EXPECT_EQ(WTERMSIG(status), SIGKILL);
      return false;
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return true;
  }

  // The run in a child that is killed at its n-th write point.
  bool perform_killed_at(const std::string& root, int point) {
    shared_->points = 0;
    return in_child([&] {
      os::set_write_fault([this, point](std::string_view) {
        if (shared_->points++ == point) ::kill(::getpid(), SIGKILL);
      });
      return static_cast<bool>(perform(root, *shared_));
    });
  }

  void expect_complete(const std::string& root, int point) {
    EXPECT_EQ(tree(root), expected_) << "killed at point " << point;
    EXPECT_TRUE(std::filesystem::exists(root + "/run_1/lock"));
  }

  Shared* shared_ = nullptr;
  std::optional<os::TempDir> dir_;
  std::map<std::string, std::string> expected_;
};

TEST_F(JournalFaultTest, KilledAtEveryWritePointAndResumed) {
  int point = 0;
  for (;; ++point) {
    const std::string root = dir_->file("p" + std::to_string(point));
    reset();
    if (perform_killed_at(root, point)) break;
    int acknowledged[kSteps];
    for (int step = 0; step < kSteps; ++step) {
      acknowledged[step] = shared_->acknowledged[step];
      shared_->executed[step] = 0;
    }
    Status resumed = perform(root, *shared_);
    ASSERT_TRUE(resumed) << "point " << point << ": " << resumed.error().message;
    int redone = 0;
    for (int step = 0; step < kSteps; ++step) {
      ASSERT_LE(shared_->executed[step] + acknowledged[step], 1) << "step " << step << " point " << point;
      redone += shared_->executed[step];
    }
    // A step may be on the disk though the kill came before it was acknowledged: one at most.
    int done = 0;
    for (int step = 0; step < kSteps; ++step) done += acknowledged[step];
    ASSERT_GE(redone + done, kSteps - 1) << point;
    expect_complete(root, point);
    ASSERT_TRUE(os::remove_tree(root));
  }
  // run.json and six times two artefacts of seven points each, six journal lines of four.
  EXPECT_EQ(point, 13 * 7 + kSteps * 4);
}

// Killed again and again, at other points each time: it still comes to the end, and to the same one.
TEST_F(JournalFaultTest, KilledOverAndOver) {
  for (int stride = 9; stride < 60; stride += 5) {
    const std::string root = dir_->file("s" + std::to_string(stride));
    reset();
    int attempts = 1;
    // Resuming does one step at least when the kill comes late enough; every third attempt is given more time.
    while (!perform_killed_at(root, attempts % 3 == 0 ? stride + 30 : stride)) ASSERT_LT(++attempts, 100);
    expect_complete(root, stride);
    for (int step = 0; step < kSteps; ++step) ASSERT_LE(shared_->acknowledged[step], 1) << stride;
    ASSERT_TRUE(os::remove_tree(root));
  }
}

TEST_F(JournalFaultTest, JournalTornAtEveryByteIsResumed) {
  const std::string root = dir_->file("whole");
  const std::string journal = root + "/run_1/journal.jsonl";
  const std::string whole = os::read_file(journal).value();
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    std::filesystem::resize_file(journal, length);
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n');
    reset();
    Status resumed = perform(root, *shared_);
    ASSERT_TRUE(resumed) << length << ": " << resumed.error().message;
    for (int step = 0; step < kSteps; ++step) ASSERT_EQ(shared_->executed[step], step < lines ? 0 : 1) << length;
    ASSERT_EQ(tree(root), expected_) << length;
  }
}

// A limit on the size of files makes a write fail half way, as a full disk does; at every size.
TEST_F(JournalFaultTest, WritesThatFailHalfWayAreErrorsAndLoseNothing) {
  const std::size_t journal_bytes = std::filesystem::file_size(dir_->file("whole/run_1/journal.jsonl"));
  for (std::size_t limit = 0; limit <= journal_bytes; limit += 37) {
    const std::string root = dir_->file("f" + std::to_string(limit));
    reset();
    const bool ended = in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit size{limit, limit};
      if (::setrlimit(RLIMIT_FSIZE, &size) != 0) return false;
      Status status = perform(root, *shared_);
      if (status) return false;
      return status.error().kind == ErrorKind::io && status.error().message.find("File too large") != std::string::npos;
    });
    ASSERT_TRUE(ended) << limit;
    int acknowledged[kSteps];
    for (int step = 0; step < kSteps; ++step) {
      acknowledged[step] = shared_->acknowledged[step];
      shared_->executed[step] = 0;
    }
    if (os::exists(root + "/run_1/run.json")) {
      RunDirectory run = RunDirectory::open(root + "/run_1").value();
      EXPECT_TRUE(run.repairs().empty()) << "a failed write cleans up after itself: " << run.repairs()[0];
    }
    ASSERT_TRUE(perform(root, *shared_));
    for (int step = 0; step < kSteps; ++step) {
      ASSERT_EQ(shared_->executed[step] + acknowledged[step], 1) << "step " << step << " limit " << limit;
    }
    ASSERT_EQ(tree(root), expected_) << limit;
  }
}

// Mounts `point` in a namespace of its own; false when this machine does not allow that.
bool mount_private(const std::string& point, const char* options) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("none", point.c_str(), "tmpfs", 0, options) == 0;
}

constexpr int kCannotMount = 77;

// Exit status of `work`, done in a child in which `point` is a small file system of its own.
template <class Work>
int on_small_disk(const std::string& point, const char* options, Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(mount_private(point, options) ? work() : kCannotMount);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool says(const Status& status, const char* text) {
  return !status && status.error().kind == ErrorKind::io && status.error().message.find(text) != std::string::npos;
}

TEST_F(JournalFaultTest, AFullDiskIsAnErrorAndLosesNothing) {
  const std::string disk = dir_->file("disk");
  ASSERT_TRUE(os::make_dirs(disk));
  const int result = on_small_disk(disk, "size=256k", [&] {
    if (!perform(disk, *shared_)) return 1;
    RunDirectory run = RunDirectory::open(disk + "/run_1").value();
    Status status = ok();
    int files = 0;
    while (status) status = run.write_artifact("more/" + std::to_string(files++), std::string(10000, 'x'));
    if (!says(status, "No space left on device")) return 2;
    // Fill what is left, so that not even a journal line fits. (In tmpfs a line fits until its page is full.)
    std::ofstream(disk + "/ballast") << std::string(300000, 'b');
    int records = 0;
    for (status = ok(); status && records < 1000; ++records) status = run.record("more", std::string(200, 'k'), {});
    if (!says(status, "No space left on device")) return 3;
    for (int step = 0; step < kSteps; ++step) {
      if (!run.finished(step_name(step), "key")) return 4;
    }
    std::filesystem::remove(disk + "/ballast");
    if (!run.record("after", "", {})) return 5;
    { RunDirectory ended = std::move(run); }
    Result<RunDirectory> again = RunDirectory::open(disk + "/run_1");
    if (!again || !again->repairs().empty() || !again->finished("after", "")) return 6;
    return again->entries().size() == static_cast<std::size_t>(kSteps + records) ? 0 : 7;
  });
  if (result == kCannotMount) GTEST_SKIP() << "this machine does not allow mounting in a namespace";
  EXPECT_EQ(result, 0);
}

TEST_F(JournalFaultTest, ADiskThatBecomesReadOnlyIsAnErrorAndLosesNothing) {
  const std::string disk = dir_->file("disk");
  ASSERT_TRUE(os::make_dirs(disk));
  const int result = on_small_disk(disk, "size=1m", [&] {
    if (!perform(disk, *shared_)) return 1;
    const std::map<std::string, std::string> before = tree(disk);
    if (::mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return kCannotMount;
    if (!says(perform(disk, *shared_), "Read-only file system")) return 2;
    Result<RunDirectory> created = RunDirectory::create(disk + "/other", info());
    if (created || created.error().message.find("Read-only file system") == std::string::npos) return 3;
    Result<RunDirectory> reader = RunDirectory::open(disk + "/run_1", RunDirectory::Access::read);
    if (!reader || !reader->finished(step_name(kSteps - 1), "key")) return 4;
    return tree(disk) == before ? 0 : 5;
  });
  if (result == kCannotMount) GTEST_SKIP() << "this machine does not allow mounting in a namespace";
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace ka::model::journal_fault_test

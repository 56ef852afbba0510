#include "os/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace ka::os {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() : dir_(TempDir::create("files-test-").value()) {}
  std::string at(std::string_view name) const { return dir_.file(name); }
  TempDir dir_;
};

TEST_F(FilesTest, ReadsBackWhatWasWritten) {
  const std::string binary("a\0b\n\xFF", 5);
  for (const std::string& text : {std::string(), std::string("x"), binary, std::string(300000, 'y')}) {
    ASSERT_TRUE(write_file_atomic(at("f"), text));
    EXPECT_EQ(read_file(at("f")).value(), text);
  }
  EXPECT_THAT(list_dir(dir_.path()).value(), ElementsAre("f"));
}

TEST_F(FilesTest, ReadErrorsSayWhatIsWrong) {
  const Error missing = read_file(at("none")).error();
  EXPECT_EQ(missing.kind, ErrorKind::not_found);
  EXPECT_EQ(missing.message, at("none") + " does not exist");

  const Error directory = read_file(dir_.path()).error();
  EXPECT_EQ(directory.kind, ErrorKind::invalid_input);
  EXPECT_EQ(directory.message, dir_.path() + " is a directory, not a file");

  ASSERT_TRUE(write_file_atomic(at("f"), "12345"));
  const Error large = read_file(at("f"), 4).error();
  EXPECT_EQ(large.kind, ErrorKind::invalid_input);
  EXPECT_EQ(large.message, at("f") + " has 5 bytes, more than the 4 allowed");
  EXPECT_TRUE(read_file(at("f"), 5));

  EXPECT_EQ(read_file(at("f") + "/below").error().kind, ErrorKind::not_found);
  ASSERT_EQ(::symlink("loop", at("loop").c_str()), 0);
  EXPECT_EQ(read_file(at("loop")).error().kind, ErrorKind::io);
}

TEST_F(FilesTest, ReadNeverWaitsForAPipe) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_file(at("fifo")).error().message, at("fifo") + " is not a regular file");
}

TEST_F(FilesTest, ReadsFilesThatClaimToBeEmpty) {
  EXPECT_THAT(read_file("/proc/self/status").value(), HasSubstr("Pid:"));
  EXPECT_EQ(read_file("/proc/self/status", 10).error().message, "/proc/self/status is larger than 10 bytes");
}

TEST_F(FilesTest, UnreadableFileIsAnIoError) {
  constexpr uid_t kNobody = 65534;
  ASSERT_TRUE(write_file_atomic(at("f"), "x"));
  ASSERT_EQ(::chmod(at("f").c_str(), 0), 0);
  const uid_t user = ::geteuid();
  const uid_t reader = user == 0 ? kNobody : user;  // root reads everything
  ASSERT_EQ(::seteuid(reader), 0);
  const Result<std::string> text = read_file(at("f"));
  ASSERT_EQ(::seteuid(user), 0);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::io);
  EXPECT_EQ(text.error().message, "cannot open " + at("f") + ": Permission denied");
}

TEST_F(FilesTest, AtomicWriteFailsCleanly) {
  EXPECT_EQ(write_file_atomic(at("no/such/f"), "x").error().kind, ErrorKind::io);
  ASSERT_TRUE(make_dirs(at("folder")));
  EXPECT_FALSE(write_file_atomic(at("folder"), "x"));
  EXPECT_THAT(list_dir(dir_.path()).value(), ElementsAre("folder"));
}

TEST_F(FilesTest, AtomicWriteIsAsReadableAsOtherFiles) {
  ASSERT_TRUE(write_file_atomic(at("f"), "x"));
  const mode_t mask = ::umask(0);
  ::umask(mask);
  struct stat status{};
  ASSERT_EQ(::stat(at("f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0666U & ~mask);
}

// Runs `work` in a process that is killed at the named point. True when it got there.
template <typename Work>
bool killed_at(std::string_view point, Work work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    set_write_fault([point](std::string_view here) {
      if (here == point) ::kill(::getpid(), SIGKILL);
    });
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

TEST_F(FilesTest, AtomicWriteKilledAnywhereLeavesOldOrNew) {
  for (const char* point : {"atomic.open", "atomic.create", "atomic.half", "atomic.write", "atomic.fsync",
                            "atomic.rename", "atomic.done"}) {
    ASSERT_TRUE(write_file_atomic(at("f"), "old"));
    EXPECT_TRUE(killed_at(point, [&] { static_cast<void>(write_file_atomic(at("f"), "something new")); }))
        << point;
    EXPECT_THAT(read_file(at("f")).value(), AnyOf("old", "something new")) << point;
  }
  EXPECT_EQ(read_file(at("f")).value(), "something new");
}

TEST_F(FilesTest, AppendKilledAnywhereSpoilsOnlyTheLastLine) {
  struct Case {
    const char* point;
    const char* left;
  };
  const Case cases[] = {{"append.before", "one\n"},
                        {"append.half", "one\ntw"},
                        {"append.write", "one\ntwo\n"},
                        {"append.done", "one\ntwo\n"}};
  for (const Case& row : cases) {
    ASSERT_TRUE(write_file_atomic(at("log"), "one\n"));
    EXPECT_TRUE(killed_at(row.point, [&] {
      AppendFile file = AppendFile::open(at("log"), Sync::yes).value();
      static_cast<void>(file.append_line("two"));
    })) << row.point;
    EXPECT_EQ(read_file(at("log")).value(), row.left) << row.point;
  }
}

TEST_F(FilesTest, AppendAddsLines) {
  {
    AppendFile file = AppendFile::open(at("log")).value();
    EXPECT_TRUE(file.append_line("one"));
    EXPECT_TRUE(file.append_line(""));
    EXPECT_EQ(file.append_line("a\nb").error().kind, ErrorKind::internal);
  }
  AppendFile again = AppendFile::open(at("log"), Sync::yes).value();
  EXPECT_TRUE(again.append_line("two"));
  EXPECT_EQ(read_file(at("log")).value(), "one\n\ntwo\n");
  EXPECT_FALSE(AppendFile::open(at("no/such/log")));
}

TEST_F(FilesTest, AppendedLinesOfSeveralWritersDoNotMix) {
  {
    std::vector<std::jthread> writers;
    for (const char letter : {'a', 'b', 'c'}) {
      writers.emplace_back([this, letter] {
        AppendFile file = AppendFile::open(at("log")).value();
        for (int i = 0; i < 100; ++i) static_cast<void>(file.append_line(std::string(100, letter)));
      });
    }
  }
  const std::vector<std::string> lines = split(read_file(at("log")).value(), '\n');
  ASSERT_EQ(lines.size(), 301U);
  for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(lines[i], std::string(100, lines[i][0]));
}

TEST_F(FilesTest, MakeDirsLikeMkdirP) {
  EXPECT_TRUE(make_dirs(at("a/b//c/")));
  EXPECT_TRUE(make_dirs(at("a/b/c")));
  EXPECT_TRUE(is_directory(at("a/b/c")));
  EXPECT_TRUE(make_dirs("/"));
  ASSERT_TRUE(write_file_atomic(at("f"), ""));
  EXPECT_THAT(make_dirs(at("f/x")).error().message, HasSubstr("cannot make folder " + at("f")));
  EXPECT_FALSE(make_dirs(""));
}

TEST_F(FilesTest, ExistsFollowsLinks) {
  ASSERT_EQ(::symlink("nowhere", at("dangling").c_str()), 0);
  EXPECT_FALSE(exists(at("dangling")));
  EXPECT_TRUE(exists(dir_.path()));
  EXPECT_TRUE(is_directory(dir_.path()));
  EXPECT_FALSE(is_directory(at("none")));
}

TEST_F(FilesTest, ListDirIsSorted) {
  for (const char* name : {"b", "a", ".hidden"}) ASSERT_TRUE(write_file_atomic(at(name), ""));
  EXPECT_THAT(list_dir(dir_.path()).value(), ElementsAre(".hidden", "a", "b"));
  EXPECT_EQ(list_dir(at("none")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(list_dir(at("a")).error().kind, ErrorKind::invalid_input);
}

TEST_F(FilesTest, FreeBytes) {
  EXPECT_GT(free_bytes(dir_.path()).value(), 0U);
  EXPECT_FALSE(free_bytes(at("none")));
}

TEST_F(FilesTest, RemoveTreeTakesAllKinds) {
  ASSERT_TRUE(make_dirs(at("t/a/b")));
  ASSERT_TRUE(make_dirs(at("t/.removed-0/x")));
  ASSERT_TRUE(write_file_atomic(at("t/a/b/f"), "x"));
  ASSERT_TRUE(write_file_atomic(at("t/.removed-1"), "x"));
  ASSERT_EQ(::mkfifo(at("t/fifo").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(at("t/a/b").c_str(), 0), 0);
  ASSERT_EQ(::chmod(at("t/a").c_str(), 0500), 0);
  const Status removed = remove_tree(at("t"));
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(exists(at("t")));
  EXPECT_TRUE(remove_tree(at("t")));
}

TEST_F(FilesTest, RemoveTreeNeverFollowsLinks) {
  ASSERT_TRUE(make_dirs(at("outside")));
  ASSERT_TRUE(write_file_atomic(at("outside/precious"), "x"));
  ASSERT_TRUE(make_dirs(at("t/inner")));
  ASSERT_EQ(::symlink("../../outside", at("t/inner/link").c_str()), 0);
  ASSERT_EQ(::symlink("../outside", at("t/link").c_str()), 0);
  EXPECT_TRUE(remove_tree(at("t")));
  EXPECT_EQ(read_file(at("outside/precious")).value(), "x");

  ASSERT_EQ(::symlink("outside", at("link").c_str()), 0);
  EXPECT_TRUE(remove_tree(at("link")));
  EXPECT_THAT(list_dir(dir_.path()).value(), ElementsAre("outside"));
}

TEST_F(FilesTest, RemoveTreeOfAnyDepth) {
  constexpr int kDepth = 1500;
  ASSERT_TRUE(make_dirs(at("deep")));
  UniqueFd folder(::open(at("deep").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kDepth; ++i) {
    ASSERT_EQ(::mkdirat(folder.get(), "d", 0700), 0);
    folder.reset(::openat(folder.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(folder.valid());
  }
  folder.reset();
  const Status removed = remove_tree(at("deep"));
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_THAT(list_dir(dir_.path()).value(), IsEmpty());
}

TEST(TempDirTest, IsPrivateAndGoesAway) {
  std::string path;
  {
    TempDir dir = TempDir::create().value();
    path = dir.path();
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
    TempDir moved = std::move(dir);
    EXPECT_TRUE(write_file_atomic(moved.file("f"), "x"));
  }
  EXPECT_FALSE(exists(path));
}

TEST(TempDirTest, MayBeKept) {
  TempDir dir = TempDir::create("keep-").value();
  const std::string path = dir.path();
  dir.keep();
  dir = TempDir::create("other-").value();
  EXPECT_TRUE(exists(path));
  EXPECT_TRUE(remove_tree(path));
}

TEST(TempDirTest, NeedsAParent) {
  EXPECT_FALSE(TempDir::create("x-", "/nonexistent"));
}

}  // namespace
}  // namespace ka::os

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include "os/files.h"
#include "store/test_winner.h"
#include "store/winners.h"

namespace ka::store {
namespace {

class Store : public testing::Test {
 protected:
  const os::TempDir folder_ = os::TempDir::create("kernelagent-test-").value();
  const std::string path_ = folder_.file("below/winners.sqlite");
};

TEST_F(Store, KeepsTheFastest) {
  EXPECT_FALSE(Winners::look(path_).value());
  Winners store = Winners::open(path_).value();
  EXPECT_TRUE(store.put(winner('a', 1)).value());
  EXPECT_FALSE(store.put(winner('a', 1.5)).value());
  EXPECT_TRUE(store.put(winner('a', 0.75)).value());
  EXPECT_TRUE(store.put(winner('b', 3)).value());
  Winner elsewhere = winner('a', 0.1);
  elsewhere.gpu = "NVIDIA A100";
  EXPECT_TRUE(store.put(elsewhere).value());
  Winner newer = winner('a', 0.8);
  newer.versions.triton = "3.8.0";
  EXPECT_TRUE(store.put(newer).value());
  const std::vector<Winner> found = Winners::look(path_).value()->of(std::string(64, 'a'), "NVIDIA H200").value();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], winner('a', 0.75));
  EXPECT_EQ(found[1], newer);
  EXPECT_EQ(store.all().value().size(), 4u);
}

TEST_F(Store, RemovesOneSignatureAtATime) {
  Winners store = Winners::open(path_).value();
  Winner near = winner('a', 1);
  near.signature.back() = 'b';
  for (const Winner& one : {winner('a', 1), near, winner('c', 1)}) EXPECT_TRUE(store.put(one).value());
  EXPECT_NE(store.remove("aaaa").error().message.find("2 signatures begin with aaaa"), std::string::npos);
  EXPECT_NE(store.remove("ff").error().message.find("no winner has"), std::string::npos);
  for (const char* word : {"", "%", "A", "a' OR 1"}) EXPECT_EQ(store.remove(word).error().kind, ErrorKind::invalid_input) << word;
  EXPECT_EQ(store.remove("c").value(), 1u);
  EXPECT_EQ(store.all().value().size(), 2u);
}

TEST_F(Store, AFileThatIsSomethingElseIsOneSentence) {
  ASSERT_TRUE(os::make_dirs(folder_.file("below")));
  ASSERT_TRUE(os::write_file_atomic(path_, std::string(5000, 'x')));
  for (const Error& error : {Winners::look(path_).error(), Winners::open(path_).error()}) {
    EXPECT_EQ(error.kind, ErrorKind::invalid_input) << error.message;
    EXPECT_NE(error.message.find(path_ + " is no store of winners, or damaged"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("--rebuild"), std::string::npos) << error.message;
  }
}

// Every page in turn is overwritten: no crash, no wrong kernel, and a sentence where something is wrong.
TEST_F(Store, DamageNeverBecomesAKernel) {
  std::vector<Winner> put;
  {
    Winners store = Winners::open(path_).value();
    for (const char digit : std::string("0123456789abcdef")) {
      put.push_back(winner(digit, 1));
      ASSERT_TRUE(store.put(put.back()).value());
    }
  }
  const std::string whole = os::read_file(path_).value();
  int complaints = 0;
  for (std::size_t at = 0; at < whole.size(); at += 128) {
    std::string spoilt = whole;
    for (std::size_t i = at; i < std::min(at + 32, whole.size()); ++i) spoilt[i] = static_cast<char>(spoilt[i] ^ 0x5a);
    ASSERT_TRUE(os::write_file_atomic(path_, spoilt));
    Result<std::optional<Winners>> store = Winners::look(path_);
    if (!store || !*store) {
      ++complaints;
      continue;
    }
    const Result<std::vector<Winner>> all = (*store)->all();
    if (!all) {
      ++complaints;
      continue;
    }
    for (const Winner& one : *all) EXPECT_EQ(one.kernel, put[0].kernel);
  }
  EXPECT_GT(complaints, 10);
}

TEST_F(Store, TwoProcessesWriteAtTheSameTime) {
  constexpr int kEach = 40;
  std::vector<pid_t> children;
  for (int child = 0; child < 2; ++child) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      int failed = 0;
      for (int i = 0; i < kEach; ++i) {
        Winner one = winner(child == 0 ? 'a' : 'b', 1);
        one.gpu = "GPU " + std::to_string(i);
        Result<Winners> store = Winners::open(path_);
        if (!store || !store->put(one)) ++failed;
      }
      ::_exit(failed == 0 ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Winners::look(path_).value()->all().value().size(), 2u * kEach);
}

}  // namespace
}  // namespace ka::store

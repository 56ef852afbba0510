#include "os/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace ka::os {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

int open_null() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(UniqueFd, ClosesAtTheEnd) {
  const int fd = open_null();
  {
    const UniqueFd owner(fd);
    EXPECT_TRUE(owner.valid());
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(UniqueFd, MovesItsDescriptor) {
  UniqueFd first(open_null());
  const int fd = first.get();
  UniqueFd second(std::move(first));
  EXPECT_EQ(second.get(), fd);
  UniqueFd third(open_null());
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), fd);
  EXPECT_FALSE(is_open(replaced));
}

TEST(UniqueFd, ReleaseGivesUpOwnership) {
  UniqueFd owner(open_null());
  const int fd = owner.release();
  EXPECT_FALSE(owner.valid());
  EXPECT_TRUE(is_open(fd));
  owner.reset(fd);
  owner.reset(fd);  // the same again must not close it
  EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, KeepsErrno) {
  errno = E2BIG;
  UniqueFd(open_null()).reset();
  EXPECT_EQ(errno, E2BIG);
}

}  // namespace
}  // namespace ka::os

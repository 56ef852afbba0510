#include "os/packet_socket.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/memory_file.h"

namespace ka::os {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr const char* kClosed = "the other end closed the connection";

class PacketTest : public ::testing::Test {
 protected:
  PacketTest() { std::tie(ours_, theirs_) = std::move(packet_socket_pair()).value(); }

  Status send(std::string_view text, std::span<const int> fds = {}) {
    return send_packet(ours_.get(), text, fds, Deadline::never(), {});
  }
  Result<Packet> receive() { return receive_packet(theirs_.get(), Deadline::never(), {}); }

  // As a hostile peer might: any number of descriptors.
  void send_raw(std::size_t bytes, std::size_t fd_count) {
    const std::string text(bytes, 'x');
    iovec part{const_cast<char*>(text.data()), text.size()};
    alignas(cmsghdr) std::array<char, 1024> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (fd_count > 0) {
      const std::vector<int> fds(fd_count, ours_.get());
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
      std::memcpy(CMSG_DATA(header), fds.data(), fd_count * sizeof(int));
    }
    ASSERT_EQ(::sendmsg(ours_.get(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes));
  }

  UniqueFd ours_, theirs_;
};

int lowest_free_fd() {
  const int fd = ::dup(0);
  ::close(fd);
  return fd;
}

TEST_F(PacketTest, PacketsKeepTheirBorders) {
  ASSERT_TRUE(send("one"));
  ASSERT_TRUE(send(std::string("t\0o", 3)));
  EXPECT_EQ(receive()->text, "one");
  EXPECT_EQ(receive()->text, std::string("t\0o", 3));
}

TEST_F(PacketTest, LargestPacketFits) {
  const std::string text(kMaxPacketBytes, 'x');
  ASSERT_TRUE(send(text));
  EXPECT_EQ(receive()->text, text);
}

TEST_F(PacketTest, SenderRefusesWhatTheReceiverWould) {
  EXPECT_EQ(send("").error().kind, ErrorKind::internal);
  EXPECT_EQ(send(std::string(kMaxPacketBytes + 1, 'x')).error().kind, ErrorKind::internal);
  const std::vector<int> fds(kMaxPacketFds + 1, 0);
  EXPECT_EQ(send("x", fds).error().kind, ErrorKind::internal);
}

TEST_F(PacketTest, DescriptorsTravel) {
  MemoryFile file = MemoryFile::create("travels").value();
  ASSERT_TRUE(file.write("bulk"));
  const std::vector<int> fds(kMaxPacketFds, file.fd());
  ASSERT_TRUE(send("with", fds));
  Packet packet = std::move(receive()).value();
  ASSERT_EQ(packet.fds.size(), kMaxPacketFds);
  EXPECT_EQ(::fcntl(packet.fds[0].get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(MemoryFile::adopt(std::move(packet.fds[3]))->map()->text(), "bulk");
}

TEST_F(PacketTest, OversizedPacketIsAnErrorAndTheNextOneArrives) {
  const int room = 1 << 20;
  ASSERT_EQ(::setsockopt(ours_.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
  send_raw(kMaxPacketBytes + 1, 1);
  ASSERT_TRUE(send("next"));
  const int before = lowest_free_fd();
  EXPECT_EQ(receive().error().message, "a packet longer than 131072 bytes");
  EXPECT_EQ(lowest_free_fd(), before);
  EXPECT_EQ(receive()->text, "next");
}

TEST_F(PacketTest, TooManyDescriptorsAreAnErrorAndNoneLeaks) {
  send_raw(1, kMaxPacketFds + 1);
  send_raw(1, 100);
  const int before = lowest_free_fd();
  EXPECT_THAT(receive().error().message, HasSubstr("a packet with more than 4 descriptors"));
  EXPECT_FALSE(receive());
  EXPECT_EQ(lowest_free_fd(), before);
}

TEST_F(PacketTest, NoRoomForDescriptorsIsAnError) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const UniqueFd owner(null);
  const std::array<int, 2> fds = {null, null};
  ASSERT_TRUE(send("x", fds));
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlimit tight = limit;
  tight.rlim_cur = static_cast<rlim_t>(lowest_free_fd()) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  const Result<Packet> packet = receive();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_FALSE(packet);
  EXPECT_EQ(packet.error().kind, ErrorKind::io);
}

TEST_F(PacketTest, ClosedPeer) {
  ASSERT_TRUE(send("last words"));
  ours_.reset();
  EXPECT_EQ(receive()->text, "last words");
  EXPECT_EQ(receive().error().message, kClosed);
  EXPECT_EQ(receive().error().kind, ErrorKind::io);
}

TEST_F(PacketTest, SendingToAClosedPeerIsAnErrorNotASignal) {
  theirs_.reset();
  EXPECT_EQ(send("x").error().message, kClosed);
}

TEST_F(PacketTest, UnreadPacketsOfAPeerThatCloses) {
  ASSERT_TRUE(send_packet(theirs_.get(), "unread", {}, Deadline::never(), {}));
  ours_.reset();
  EXPECT_EQ(receive().error().message, kClosed);
}

TEST_F(PacketTest, EmptyPacketCountsAsClosed) {
  send_raw(0, 1);
  const int before = lowest_free_fd();
  EXPECT_EQ(receive().error().message, kClosed);
  EXPECT_EQ(lowest_free_fd(), before);
}

TEST_F(PacketTest, ReceiveTimesOut) {
  EXPECT_EQ(receive_packet(theirs_.get(), Deadline::in(milliseconds(0)), {}).error().kind,
            ErrorKind::timeout);
  EXPECT_EQ(receive_packet(theirs_.get(), Deadline::in(milliseconds(5)), {}).error().kind,
            ErrorKind::timeout);
}

TEST_F(PacketTest, SendTimesOutWhenNobodyReads) {
  const std::string text(kMaxPacketBytes, 'x');
  Status sent = ok();
  for (int i = 0; i < 10000 && sent; ++i) {
    sent = send_packet(ours_.get(), text, {}, Deadline::in(milliseconds(5)), {});
  }
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind, ErrorKind::timeout);
}

TEST_F(PacketTest, CancellationEndsAWait) {
  CancelSource source;
  std::jthread canceller([&source] { source.cancel(); });
  EXPECT_EQ(receive_packet(theirs_.get(), Deadline::never(), source.token()).error().kind,
            ErrorKind::cancelled);
  EXPECT_EQ(send_packet(ours_.get(), "x", {}, Deadline::never(), source.token()).error().kind,
            ErrorKind::cancelled);
}

}  // namespace
}  // namespace ka::os

#include "os/packet_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace ka::os {
namespace {

constexpr std::size_t kControlBytes = CMSG_SPACE(kMaxPacketFds * sizeof(int));

Error closed_error() {
  return io_error("the other end closed the connection");
}

// Nothing to report when the descriptor is ready.
Status wait_for(int fd, short events, Deadline deadline, const CancelToken& cancel, const char* what) {
  KA_ASSIGN(const Ready ready, wait_ready(fd, events, deadline, cancel));
  switch (ready) {
    case Ready::ready:
      return ok();
    case Ready::timeout:
      return timeout_error(fmt::format("no {} within the time limit", what));
    case Ready::cancelled:
      return cancelled_error("cancelled");
  }
  return ok();
}

// Takes over every descriptor of the message first, so that none can leak on any later path.
std::vector<UniqueFd> take_fds(const msghdr& message) {
  std::vector<UniqueFd> fds;
  auto* walked =
      const_cast<msghdr*>(&message);  // CMSG_NXTHDR does not change it but asks for a plain pointer
  for (cmsghdr* part = CMSG_FIRSTHDR(walked); part != nullptr; part = CMSG_NXTHDR(walked, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

void attach_fds(msghdr& message, std::span<const int> fds, std::span<char> control) {
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(part), fds.data(), fds.size_bytes());
}

bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> packet_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errno_error("cannot make a socket pair", errno);
  }
  std::pair<UniqueFd, UniqueFd> pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
  // Room for a full packet whatever the machine's default is; the kernel doubles the figure for its own
  // overhead.
  const int room = 2 * static_cast<int>(kMaxPacketBytes);
  for (const int end : ends) {
    if (::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &room, sizeof room) != 0) {
      return errno_error("cannot size a socket", errno);
    }
  }
  return pair;
}

Status send_packet(int fd, std::string_view text, std::span<const int> fds, Deadline deadline,
                   const CancelToken& cancel) {
  if (text.empty() || text.size() > kMaxPacketBytes) {
    return internal_error(
        fmt::format("a packet of {} bytes; 1 to {} are possible", text.size(), kMaxPacketBytes));
  }
  if (fds.size() > kMaxPacketFds) {
    return internal_error(
        fmt::format("a packet with {} descriptors; at most {} are possible", fds.size(), kMaxPacketFds));
  }
  iovec bytes{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) std::array<char, kControlBytes> control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  if (!fds.empty()) attach_fds(message, fds, control);

  while (true) {
    if (cancel.cancelled()) return cancelled_error("cancelled");
    const ssize_t sent = ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) return ok();
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return closed_error();
    if (!would_block(errno)) return errno_error("cannot send a packet", errno);
    KA_TRY(wait_for(fd, POLLOUT, deadline, cancel, "room for a packet"));
  }
}

Result<Packet> receive_packet(int fd, Deadline deadline, const CancelToken& cancel) {
  Packet packet;
  packet.text.resize(kMaxPacketBytes);
  while (true) {
    KA_TRY(wait_for(fd, POLLIN, deadline, cancel, "packet"));
    iovec bytes{packet.text.data(), packet.text.size()};
    alignas(cmsghdr) std::array<char, kControlBytes> control{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || would_block(errno))) continue;
    if (got < 0 && errno == ECONNRESET) return closed_error();
    if (got < 0) return errno_error("cannot receive a packet", errno);
    packet.fds = take_fds(message);
    if (got == 0) return closed_error();
    if ((message.msg_flags & MSG_TRUNC) != 0) {
      return io_error(fmt::format("a packet longer than {} bytes", kMaxPacketBytes));
    }
    if ((message.msg_flags & MSG_CTRUNC) != 0) {
      return io_error(fmt::format(
          "a packet with more than {} descriptors, or more than this process can hold", kMaxPacketFds));
    }
    packet.text.resize(static_cast<std::size_t>(got));
    // A short packet must not keep a full one's memory.
    packet.text.shrink_to_fit();
    return packet;
  }
}

}  // namespace ka::os

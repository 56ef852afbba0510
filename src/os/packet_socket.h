// Packets with descriptors between processes: AF_UNIX SOCK_SEQPACKET. A packet arrives whole or is an error.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/cancel.h"
#include "os/clock.h"
#include "os/unique_fd.h"

namespace ka::os {

struct Packet {
  std::string text;
  std::vector<UniqueFd> fds;
};

inline constexpr std::size_t kMaxPacketBytes = 128 * 1024;
inline constexpr std::size_t kMaxPacketFds = 4;

// Both ends are close-on-exec.
Result<std::pair<UniqueFd, UniqueFd>> packet_socket_pair();

// Error kinds: timeout, cancelled, io ("the other end closed the connection"); an empty or too long text or
// too many descriptors is internal. The descriptors stay the caller's.
Status send_packet(int fd, std::string_view text, std::span<const int> fds, Deadline deadline,
                   const CancelToken& cancel);

// Error kinds as above; a packet that is longer than kMaxPacketBytes or carries more than kMaxPacketFds
// descriptors is an io error, its descriptors are closed. Received descriptors are close-on-exec. An empty
// packet cannot be told from a closed connection and counts as one.
Result<Packet> receive_packet(int fd, Deadline deadline, const CancelToken& cancel);

}  // namespace ka::os

#include "os/output_buffer.h"

#include <algorithm>

#include <fmt/format.h>

namespace ka::os {

void OutputBuffer::append(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t head_room = max_ / 2 - head_.size();
  const std::size_t taken = std::min(head_room, bytes.size());
  head_.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);

  const std::size_t ring_size = max_ - max_ / 2;
  if (bytes.size() > ring_size) bytes.remove_prefix(bytes.size() - ring_size);
  const std::size_t free = ring_size - ring_.size();
  const std::size_t grown = std::min(free, bytes.size());
  ring_.append(bytes.substr(0, grown));
  bytes.remove_prefix(grown);
  // The ring is full: the oldest bytes give way.
  while (!bytes.empty()) {
    const std::size_t run = std::min(bytes.size(), ring_size - ring_start_);
    ring_.replace(ring_start_, run, bytes.substr(0, run));
    ring_start_ = (ring_start_ + run) % ring_size;
    bytes.remove_prefix(run);
  }
}

std::string OutputBuffer::text() const {
  const std::string tail = ring_.substr(ring_start_) + ring_.substr(0, ring_start_);
  if (complete()) return head_ + tail;
  return fmt::format("{}\n[... {} bytes left out ...]\n{}", head_, total_ - head_.size() - tail.size(), tail);
}

}  // namespace ka::os

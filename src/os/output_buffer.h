// Collects output of unknown length in bounded memory: the head and the tail, which are what people need to
// see.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ka::os {

class OutputBuffer {
 public:
  explicit OutputBuffer(std::size_t max_bytes) : max_(max_bytes) {}

  void append(std::string_view bytes);
  // All of it when it fitted; else head, a line "[... N bytes left out ...]", tail.
  std::string text() const;
  // Bytes that were appended, kept or not.
  std::size_t total() const { return total_; }
  bool complete() const { return total_ <= max_; }

 private:
  std::size_t max_;
  std::size_t total_ = 0;
  std::string head_;  // grows to max_/2 first
  std::string ring_;  // the last max_ - max_/2 bytes, oldest at ring_start_ once full
  std::size_t ring_start_ = 0;
};

}  // namespace ka::os

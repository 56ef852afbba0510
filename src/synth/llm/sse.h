// Server-sent events: bytes in, in pieces of any size, whole events out. Line ends may be LF, CR or CRLF, also cut between two pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ka::llm {

struct SseEvent {
  std::string name;  // "" where the server gave none
  std::string data;  // lines joined by LF
  bool operator==(const SseEvent&) const = default;
};

class SseReader {
 public:
  using OnEvent = std::function<Status(const SseEvent& event)>;

  // An event with its line may have so many bytes.
  explicit SseReader(OnEvent on_event, std::size_t max_event_bytes = std::size_t{4} << 20);

  // The error of on_event, or `unsupported` when an event is too long. After an error, nothing more may be fed.
  Status feed(std::string_view bytes);
  // At the end of the stream: an event without its empty line counts all the same.
  Status finish();

 private:
  Status take_line(std::string_view line);
  Status take_field(std::string_view name, std::string_view value);
  Status dispatch();
  Status too_long() const;

  OnEvent on_event_;
  std::size_t max_event_bytes_;
  std::string line_;  // begun, its end not seen yet
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;  // an LF that comes next belongs to the line end before
  bool first_line_ = true;
};

}  // namespace ka::llm

#include "synth/llm/sse.h"

#include <utility>

#include <fmt/format.h>

namespace ka::llm {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

SseReader::SseReader(OnEvent on_event, std::size_t max_event_bytes) : on_event_(std::move(on_event)), max_event_bytes_(max_event_bytes) {}

Status SseReader::too_long() const {
  return unsupported(fmt::format("an event of the stream has more than {} bytes", max_event_bytes_));
}

Status SseReader::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > max_event_bytes_) return too_long();
    if (end == std::string_view::npos) {
      line_ += piece;
      return ok();
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      KA_TRY(take_line(piece));
      continue;
    }
    line_ += piece;
    KA_TRY(take_line(std::exchange(line_, {})));
  }
  return ok();
}

Status SseReader::finish() {
  if (!line_.empty()) KA_TRY(take_line(std::exchange(line_, {})));
  return dispatch();
}

Status SseReader::take_line(std::string_view line) {
  if (std::exchange(first_line_, false) && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.empty()) return dispatch();
  if (line.front() == ':') return ok();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return take_field(line, {});
  std::string_view value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  return take_field(line.substr(0, colon), value);
}

Status SseReader::take_field(std::string_view name, std::string_view value) {
  if (name == "event") event_.name = value;
  if (name != "data") return ok();
  if (event_.data.size() + value.size() + 1 > max_event_bytes_) return too_long();
  if (std::exchange(has_data_, true)) event_.data += '\n';
  event_.data += value;
  return ok();
}

Status SseReader::dispatch() {
  const SseEvent event = std::exchange(event_, {});
  return std::exchange(has_data_, false) ? on_event_(event) : ok();
}

}  // namespace ka::llm

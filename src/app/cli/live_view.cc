// A frame, in bytes: begin of a synchronised update (terminals that do not know it ignore it), hide the cursor, wrapping off, to the
// first line of the old frame, the new lines each with "erase to the end of the line", erase what is left below, and all modes back.
#include "app/cli/live_view.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "os/environment.h"

namespace ka::app {
namespace {

constexpr std::chrono::milliseconds kFrameEvery{100};
// After such a pause the program was stopped (Ctrl-Z) or the machine slept: the screen belongs to whoever wrote to it since.
constexpr std::chrono::seconds kForgottenAfter{3};
constexpr std::string_view kBegin = "\x1b[?2026h\x1b[?25l\x1b[?7l", kEnd = "\x1b[?7h\x1b[?25h\x1b[?2026l";
constexpr std::string_view kEraseLine = "\x1b[K", kEraseBelow = "\x1b[J";

std::string_view colour_of(Tone tone) {
  switch (tone) {
    case Tone::waiting: return "";
    case Tone::busy: return "\x1b[33m";
    case Tone::good: return "\x1b[32m";
    case Tone::bad: return "\x1b[31m";
  }
  return "";
}

// Writing from the background would disturb whatever runs in the foreground now. No controlling terminal: nobody to disturb.
bool in_foreground(int fd) {
  const pid_t group = ::tcgetpgrp(fd);
  return group < 0 || group == ::getpgrp();
}

}  // namespace

WindowSize window_size(int fd) {
  struct winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

bool can_draw(int fd) {
  const std::string term = os::get_env("TERM").value_or("");
  return ::isatty(fd) != 0 && !term.empty() && term != "dumb";
}

LiveView::LiveView(LiveOptions options) : options_(std::move(options)) {
  if (!options_.size) options_.size = [fd = options_.fd] { return window_size(fd); };
  state_.began = options_.clock();
  ticker_ = std::jthread([this](const std::stop_token& stop) { tick(stop); });
}

LiveView::~LiveView() { end(); }

void LiveView::write(const Event& event, WallTime time) {
  std::string line;
  {
    const std::lock_guard lock(state_mutex_);
    apply(state_, event, time);
    if (event.level < options_.lines_from) return;
    line = event_human_line(event) + "\n";
    if (!ended_) {
      above_ += line;
      return;
    }
  }
  const std::lock_guard lock(screen_mutex_);
  put(line);
}

void LiveView::print(std::FILE* stream, const std::string& text) {
  const std::lock_guard lock(screen_mutex_);
  if (!drawn_.empty()) put(take_back(options_.size()) + std::string(kEraseBelow));
  drawn_.clear();
  last_frame_.clear();
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

void LiveView::end() {
  if (!ticker_.joinable()) return;
  ticker_.request_stop();
  ticker_.join();
  std::string above;
  LiveState state;
  {
    const std::lock_guard lock(state_mutex_);
    ended_ = true;
    app::end(state_, options_.clock());
    state = state_;
    above = std::exchange(above_, {});
  }
  const std::lock_guard lock(screen_mutex_);
  const WindowSize size = options_.size();
  std::string text = drawn_.empty() ? "" : take_back(size) + std::string(kEraseBelow);
  text += above;
  if (!state.stages.empty()) {
    for (const FrameLine& line : frame(state, size.columns, size.rows, options_.clock())) text += coloured(line) + "\n";
  }
  drawn_.clear();
  put(text);
}

void LiveView::tick(std::stop_token stop) {
  std::mutex sleeping;
  std::unique_lock lock(sleeping);
  while (!stop.stop_requested()) {
    draw();
    wake_.wait_for(lock, stop, kFrameEvery, [] { return false; });
  }
}

void LiveView::draw() {
  if (!in_foreground(options_.fd)) {
    const std::lock_guard lock(screen_mutex_);
    drawn_.clear();
    return;
  }
  LiveState state;
  std::string above;
  {
    const std::lock_guard lock(state_mutex_);
    state = state_;
    above = std::exchange(above_, {});
  }
  const std::lock_guard lock(screen_mutex_);
  const os::TimePoint now = std::chrono::steady_clock::now();
  if (now - last_drawn_ > kForgottenAfter) drawn_.clear();
  last_drawn_ = now;
  const WindowSize size = options_.size();
  std::vector<FrameLine> lines = frame(state, size.columns, size.rows, options_.clock());
  const std::string text = redrawn(above, lines, size);
  if (above.empty() && !drawn_.empty() && text == last_frame_) return;
  put(text);
  drawn_ = std::move(lines);
  last_frame_ = text;
}

// To the beginning of the first line that is drawn. Where the window has become narrower, terminals have broken the longer lines.
std::string LiveView::take_back(WindowSize size) const {
  std::size_t up = 0;
  const auto columns = static_cast<std::size_t>(std::max(size.columns, 1));
  for (const FrameLine& line : drawn_) up += std::max<std::size_t>(1, (display_width(line.text) + columns - 1) / columns);
  return up == 0 ? "\r" : fmt::format("\r\x1b[{}A", up);
}

std::string LiveView::redrawn(const std::string& above, const std::vector<FrameLine>& lines, WindowSize size) const {
  std::string out(kBegin);
  out += take_back(size);
  if (!above.empty()) out += fmt::format("\x1b[?7h{}{}\x1b[?7l", kEraseBelow, above);
  for (const FrameLine& line : lines) out += fmt::format("{}{}\n", coloured(line), kEraseLine);
  out += kEraseBelow;
  out += kEnd;
  return out;
}

std::string LiveView::coloured(const FrameLine& line) const {
  const std::string_view colour = colour_of(line.tone);
  if (!options_.colour || line.mark_bytes == 0 || colour.empty()) return line.text;
  const std::string_view text = line.text;
  return fmt::format("{}{}{}\x1b[0m{}", text.substr(0, line.mark), colour, text.substr(line.mark, line.mark_bytes), text.substr(line.mark + line.mark_bytes));
}

void LiveView::put(const std::string& bytes) {
  std::string_view rest = bytes;
  while (!rest.empty() && !broken_) {
    const ssize_t written = ::write(options_.fd, rest.data(), rest.size());
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno == EAGAIN) {  // the shell may have left the terminal non-blocking
      pollfd polled{options_.fd, POLLOUT, 0};
      ::poll(&polled, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      broken_ = true;
    }
  }
}

}  // namespace ka::app

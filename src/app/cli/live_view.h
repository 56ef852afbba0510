// The live view of a run on a terminal: an event sink, and a thread that redraws what frame() says in place, ten times a second at most.
//
// Every frame is one write(2) that leaves the terminal as it found it (cursor shown, wrapping on), so that nothing has to be restored when
// the program ends in whatever way. The size is asked for at each frame. Warnings, errors and, on request, all events are lines that stay,
// above the view.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "app/cli/live_state.h"
#include "base/event_log.h"
#include "os/clock.h"

namespace ka::app {

struct WindowSize {
  int columns = 80, rows = 24;
};
// What the terminal says; where it says nothing, the default.
WindowSize window_size(int fd);

// Is it a terminal on which one can draw? TERM=dumb, or no TERM at all, is none.
bool can_draw(int fd);

struct LiveOptions {
  int fd = 2;
  LogLevel lines_from = LogLevel::warning;  // events from this level on are also lines that stay
  bool colour = true;                       // NO_COLOR is the caller's business
  WallClock clock = system_wall_clock();
  std::function<WindowSize()> size;  // by default window_size(fd)
};

class LiveView final : public EventSink {
 public:
  explicit LiveView(LiveOptions options);
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;
  ~LiveView() override;  // ends it

  void write(const Event& event, WallTime time) override;
  // For what the program itself prints meanwhile, to this or another stream: takes the view away, prints, and the next frame stands below.
  void print(std::FILE* stream, const std::string& text);
  // The last state stays on the screen as plain lines; from now on events are lines. May be called again.
  void end();

 private:
  void tick(std::stop_token stop);
  void draw();
  std::string redrawn(const std::string& above, const std::vector<FrameLine>& lines, WindowSize size) const;
  std::string take_back(WindowSize size) const;
  std::string coloured(const FrameLine& line) const;
  void put(const std::string& bytes);

  LiveOptions options_;
  std::mutex state_mutex_;  // guards state_, above_ and ended_; never held over output
  LiveState state_;
  std::string above_;  // lines that stay, not yet written
  bool ended_ = false;
  std::mutex screen_mutex_;  // guards what is below, and the terminal
  std::vector<FrameLine> drawn_;
  std::string last_frame_;
  os::TimePoint last_drawn_ = std::chrono::steady_clock::now();
  bool broken_ = false;  // the terminal is gone
  std::condition_variable_any wake_;
  std::jthread ticker_;  // last: it uses everything above
};

}  // namespace ka::app

// What a run is doing, gathered from its events, and how that looks in a window of a given size. Nothing here knows a terminal:
// frame() is a function from state, size and time to lines.
//
//   problem    done        1.2 s  examples/softmax_rows.py loaded
//   dispatch   running     3.4 s
//     conv2d_relu_1  verified    2.1 s
//     linear_2       writing     0.7 s
//     12 more waiting
//
// Events that are understood: "start" and "done" of a stage (also "accepted", "refused", "failed"), with a field "seconds" where it is
// known; and events about a part, which have the fields "id" and "state" (queued, writing, verifying, verified, refused, failed).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/event_log.h"
#include "base/wall_time.h"

namespace ka::app {

enum class Tone { waiting, busy, good, bad };

struct LiveItem {
  std::string name;
  std::string state;
  std::string message;
  Tone tone = Tone::busy;
  WallTime began;
  std::optional<double> seconds;  // known once it has ended
};

struct LiveState {
  WallTime began;
  std::vector<LiveItem> stages;  // in the order in which they appeared
  std::vector<LiveItem> parts;   // the subgraphs, likewise
  std::size_t parts_after = 0;   // they are shown below this many stages
};

void apply(LiveState& state, const Event& event, WallTime time);
// The run is over: what still ran was stopped.
void end(LiveState& state, WallTime time);

struct FrameLine {
  std::string text;                      // no control characters, no line end
  std::size_t mark = 0, mark_bytes = 0;  // the part of it that is coloured
  Tone tone = Tone::waiting;
};

// At most rows - 1 lines (but one at least), none wider than columns - 1: nothing wraps or scrolls. Names that are too long are elided;
// parts for which there is no line are counted in a last one, those that work or went wrong being shown first.
std::vector<FrameLine> frame(const LiveState& state, int columns, int rows, WallTime now);

// How many columns a terminal needs for a text of such a line.
std::size_t display_width(std::string_view text);

}  // namespace ka::app

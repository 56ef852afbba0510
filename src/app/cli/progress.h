// What a command tells people while it works, on stderr: a live view when that is a terminal; else lines, warnings only unless --verbose
// asks for all. With --json there are warnings only.
#pragma once

#include <memory>
#include <string>

#include "app/cli/command.h"
#include "base/event_log.h"

namespace ka::app {

class LiveView;

// Secrets of the settings are hidden from the log; and where a program that started this one asks for events (KERNELAGENT_EVENTS_FD, see app/capi/job.cc), it
// gets them as in events.jsonl.
void prepare_log(EventLog& log, const Arguments& arguments);

class Progress {
 public:
  explicit Progress(const Arguments& arguments);

  EventLog& log() { return *log_; }
  // To stdout, without disturbing the live view. Nothing else may write to the terminal before settle().
  void print(const std::string& text);
  // The work is over: the live view becomes plain lines that stay. Before the result is printed; without it, when this object ends.
  void settle();

 private:
  std::unique_ptr<EventLog> log_;
  LiveView* view_ = nullptr;  // owned by the log; null when there is none
};

}  // namespace ka::app

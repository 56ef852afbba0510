// The run directory of a command, and what it tells people meanwhile. Nothing is written before there is something to keep: a
// command that fails early leaves no folder behind. What happened until then is in events.jsonl all the same.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/cli/command.h"
#include "base/event_log.h"
#include "model/run_directory.h"

namespace ka::app {

class LiveView;

class RunOutput {
 public:
  // Looks at --out (a folder that is new, empty or of an earlier run; anything else is invalid_input) and changes nothing.
  // Progress goes to stderr: a live view when that is a terminal (and --json is not given); else lines, with --verbose what is being done.
  // `folder`: of a run that goes on; then --out does not count.
  static Result<RunOutput> plan(const Arguments& arguments, const std::string& command, const std::string& folder = "");
  RunOutput(RunOutput&&) noexcept;
  ~RunOutput();

  EventLog& log();
  // Makes the folder, or opens that of the earlier run, and writes the events so far. A run that somebody else has begun there meanwhile
  // is not taken for an earlier one.
  Status open();
  bool exists() const { return existed_; }  // a run was there already
  bool is_open() const { return directory_.has_value(); }
  model::RunDirectory& directory() { return *directory_; }
  const std::string& folder() const { return folder_; }
  std::string path(const std::string& artifact) const { return folder_ + "/" + artifact; }
  // Writes these artefacts, which no step vouches for.
  Status write(const std::map<std::string, std::string>& artifacts);
  // Writes these artefacts and records the step as finished.
  Status keep(const std::string& step, const std::map<std::string, std::string>& artifacts);

  // To stdout, without disturbing the live view. Nothing else may write to the terminal before settle().
  void print(const std::string& text);
  // The run is over: the live view becomes plain lines that stay. Before the result is printed; without it, when this object ends.
  void settle();

 private:
  class Recorder;
  RunOutput(std::string folder, std::string command);
  void add_progress(bool verbose, bool quiet);
  std::string folder_, command_;
  std::unique_ptr<EventLog> log_;
  Recorder* recorder_ = nullptr;  // owned by the log, as is the next
  LiveView* view_ = nullptr;      // null when there is none
  std::optional<model::RunDirectory> directory_;
  bool existed_ = false;
};

}  // namespace ka::app

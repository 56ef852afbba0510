// The run directory of a command, and what it tells people meanwhile. Nothing is written before there is something to keep: a
// command that fails early leaves no folder behind. What happened until then is in events.jsonl all the same.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/cli/command.h"
#include "app/cli/progress.h"
#include "base/event_log.h"
#include "model/run_directory.h"

namespace ka::app {

class RunOutput {
 public:
  // Looks at --out (a folder that is new, empty or of an earlier run; anything else is invalid_input) and changes nothing.
  // `folder`: of a run that goes on; then --out does not count. `home`: where runs of this kind are.
  static Result<RunOutput> plan(const Arguments& arguments, const std::string& command, const std::string& folder = "", const std::string& home = ".fuse");
  RunOutput(RunOutput&&) noexcept;
  ~RunOutput();

  EventLog& log() { return progress_.log(); }
  // Makes the folder, or opens that of the earlier run, and writes the events so far; nothing to do where that was done. A run that somebody else has begun there meanwhile
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

  // As in progress.h.
  void print(const std::string& text) { progress_.print(text); }
  void settle() { progress_.settle(); }

 private:
  class Recorder;
  RunOutput(std::string folder, std::string command, const Arguments& arguments);
  std::string folder_, command_;
  Progress progress_;
  Recorder* recorder_ = nullptr;  // owned by the log
  std::optional<model::RunDirectory> directory_;
  bool existed_ = false;
};

}  // namespace ka::app

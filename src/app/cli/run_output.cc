#include "app/cli/run_output.h"

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "app/cli/live_view.h"
#include "base/ids.h"
#include "base/wall_time.h"
#include "os/environment.h"
#include "os/files.h"

namespace ka::app {

// Keeps events until there is a file for them.
class RunOutput::Recorder : public EventSink {
 public:
  void write(const Event& event, WallTime time) override {
    if (file_) file_->write(event, time);
    else waiting_.emplace_back(event, time);
  }
  void open(std::unique_ptr<EventSink> file) {
    file_ = std::move(file);
    for (const auto& [event, time] : waiting_) file_->write(event, time);
    waiting_.clear();
  }

 private:
  std::unique_ptr<EventSink> file_;
  std::vector<std::pair<Event, WallTime>> waiting_;
};

RunOutput::RunOutput(std::string folder, std::string command)
    : folder_(std::move(folder)), command_(std::move(command)), log_(std::make_unique<EventLog>()) {}
RunOutput::RunOutput(RunOutput&&) noexcept = default;
RunOutput::~RunOutput() = default;

EventLog& RunOutput::log() { return *log_; }

Result<RunOutput> RunOutput::plan(const Arguments& arguments, const std::string& command, const std::string& earlier) {
  std::string folder = earlier.empty() ? fmt::format(".fuse/{}", new_run_id()) : earlier;
  if (earlier.empty() && arguments.has("--out")) {
    KA_ASSIGN(folder, arguments.required("--out"));
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(folder, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status))
      return invalid_input(fmt::format("--out: {} is no folder", folder));
    if (std::filesystem::is_directory(status) && !os::exists(folder + "/run.json")) {
      KA_ASSIGN(std::vector<std::string> names, os::list_dir(folder));
      std::erase(names, "lock");
      if (!names.empty())
        return invalid_input(fmt::format("--out: {} is not empty and no run directory (it holds {}); name a new folder", folder, names[0]));
    }
  }
  RunOutput output(folder, command);
  output.existed_ = os::exists(folder + "/run.json");
  auto recorder = std::make_unique<Recorder>();
  output.recorder_ = recorder.get();
  output.log_->add_sink(std::move(recorder));
  output.add_progress(arguments.has("--verbose"), arguments.has("--json"));
  return output;
}

void RunOutput::add_progress(bool verbose, bool quiet) {
  if (quiet || !can_draw(STDERR_FILENO)) {
    const bool watched = verbose || (isatty(STDERR_FILENO) != 0 && !quiet);
    log_->add_sink(make_human_sink(stderr, watched ? LogLevel::info : LogLevel::warning));
    return;
  }
  LiveOptions options;
  options.fd = STDERR_FILENO;
  options.lines_from = verbose ? LogLevel::info : LogLevel::warning;
  options.colour = os::get_env("NO_COLOR").value_or("").empty();
  auto view = std::make_unique<LiveView>(std::move(options));
  view_ = view.get();
  log_->add_sink(std::move(view));
}

void RunOutput::print(const std::string& text) {
  if (view_ != nullptr) return view_->print(stdout, text);
  fmt::print("{}", text);
  std::fflush(stdout);
}

void RunOutput::settle() {
  if (view_ != nullptr) view_->end();
}

Status RunOutput::open() {
  if (exists()) {
    KA_ASSIGN(directory_, model::RunDirectory::open(folder_));
  } else {
    const std::filesystem::path path = std::filesystem::absolute(folder_).lexically_normal();
    const model::RunInfo info{model::RunInfo::kSchema, path.filename().string(), utc_timestamp(system_wall_clock()()), command_, KA_VERSION, {}};
    KA_ASSIGN(directory_, model::RunDirectory::create(path.parent_path().string(), info));
  }
  KA_ASSIGN(std::unique_ptr<EventSink> file, open_event_file(directory_->events_path()));
  recorder_->open(std::move(file));
  return ok();
}

Status RunOutput::write(const std::map<std::string, std::string>& artifacts) {
  for (const auto& [name, text] : artifacts) KA_TRY(directory_->write_artifact(name, text));
  return ok();
}

Status RunOutput::keep(const std::string& step, const std::map<std::string, std::string>& artifacts) {
  KA_TRY(write(artifacts));
  std::vector<std::string> names;
  for (const auto& [name, text] : artifacts) names.push_back(name);
  return directory_->record(step, "", names);
}

}  // namespace ka::app

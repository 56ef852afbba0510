#include "app/cli/run_output.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/ids.h"
#include "base/wall_time.h"
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

RunOutput::RunOutput(std::string folder, std::string command, const Arguments& arguments)
    : folder_(std::move(folder)), command_(std::move(command)), progress_(arguments) {
  auto recorder = std::make_unique<Recorder>();
  recorder_ = recorder.get();
  progress_.log().add_sink(std::move(recorder));
}
RunOutput::RunOutput(RunOutput&&) noexcept = default;
RunOutput::~RunOutput() = default;

Result<RunOutput> RunOutput::plan(const Arguments& arguments, const std::string& command, const std::string& earlier, const std::string& home) {
  std::string folder = earlier.empty() ? fmt::format("{}/{}", home, new_run_id()) : earlier;
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
  RunOutput output(folder, command, arguments);
  output.existed_ = os::exists(folder + "/run.json");
  return output;
}

Status RunOutput::open() {
  if (is_open()) return ok();
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

#include "app/cli/progress.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/live_view.h"
#include "app/cli/settings.h"
#include "os/environment.h"

namespace ka::app {

void prepare_log(EventLog& log, const Arguments& arguments) {
  for (const std::string& secret : arguments.settings().secrets()) log.add_secret(secret);
  const std::string fd = os::get_env("KERNELAGENT_EVENTS_FD").value_or("");
  if (fd.empty() || !std::all_of(fd.begin(), fd.end(), [](char c) { return c >= '0' && c <= '9'; })) return;
  if (Result<std::unique_ptr<EventSink>> sink = open_event_file("/proc/self/fd/" + fd)) log.add_sink(std::move(*sink));
}

Progress::Progress(const Arguments& arguments) : log_(std::make_unique<EventLog>()) {
  prepare_log(*log_, arguments);
  const bool verbose = arguments.has("--verbose"), quiet = arguments.has("--json");
  const LogLevel wanted = arguments.settings().log_level();
  if (quiet || !can_draw(STDERR_FILENO)) {
    const bool watched = verbose || wanted == LogLevel::debug || (isatty(STDERR_FILENO) != 0 && !quiet);
    log_->add_sink(make_human_sink(stderr, watched ? wanted : std::max(wanted, LogLevel::warning)));
    return;
  }
  LiveOptions options;
  options.fd = STDERR_FILENO;
  options.lines_from = verbose || wanted == LogLevel::debug ? wanted : std::max(wanted, LogLevel::warning);
  options.colour = os::get_env("NO_COLOR").value_or("").empty();
  auto view = std::make_unique<LiveView>(std::move(options));
  view_ = view.get();
  log_->add_sink(std::move(view));
}

void Progress::print(const std::string& text) {
  if (view_ != nullptr) return view_->print(stdout, text);
  fmt::print("{}", text);
  std::fflush(stdout);
}

void Progress::settle() {
  if (view_ != nullptr) view_->end();
}

}  // namespace ka::app

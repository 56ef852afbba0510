#include "app/cli/progress.h"

#include <unistd.h>

#include <fmt/format.h>

#include "app/cli/live_view.h"
#include "os/environment.h"

namespace ka::app {

Progress::Progress(const Arguments& arguments) : log_(std::make_unique<EventLog>()) {
  const bool verbose = arguments.has("--verbose"), quiet = arguments.has("--json");
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

void Progress::print(const std::string& text) {
  if (view_ != nullptr) return view_->print(stdout, text);
  fmt::print("{}", text);
  std::fflush(stdout);
}

void Progress::settle() {
  if (view_ != nullptr) view_->end();
}

}  // namespace ka::app

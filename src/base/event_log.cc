#include "base/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ka {
namespace {

struct LevelRow {
  LogLevel level;
  std::string_view word;
};
constexpr std::array kLevels = {LevelRow{LogLevel::debug, "debug"}, LevelRow{LogLevel::info, "info"},
                                LevelRow{LogLevel::warning, "warning"}, LevelRow{LogLevel::warning, "warn"},
                                LevelRow{LogLevel::error, "error"}};

// Foreign text must not move the cursor or change the title of the terminal it is shown on.
std::string without_control_characters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\n  ";
    } else if ((byte < 0x20 && c != '\t') || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string field_text(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const bool plain = !text->empty() && text->find_first_of(" \t\n\"=()") == std::string::npos;
    return plain ? *text : '"' + *text + '"';
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.6g}", *real);
  return std::get<bool>(value) ? "yes" : "no";
}

class FileSink final : public EventSink {
 public:
  FileSink(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override { ::close(fd_); }

  void write(const Event& event, WallTime time) override {
    std::string line = event_json_line(event, time) + "\n";
    // A full disk may have cut the last line in two; the next one must not become part of it.
    if (torn_) line.insert(0, "\n");
    const ssize_t written = write_once(line);
    torn_ = written > 0 && static_cast<std::size_t>(written) < line.size();
    if (written < 0 && !reported_) {
      reported_ = true;
      std::fprintf(stderr, "warning: cannot write to %s: %s\n", path_.c_str(), std::strerror(errno));
    }
  }

 private:
  ssize_t write_once(const std::string& line) const {
    ssize_t written = -1;
    do {
      written = ::write(fd_, line.data(), line.size());
    } while (written < 0 && errno == EINTR);
    return written;
  }

  int fd_;
  std::string path_;
  bool torn_ = false;
  bool reported_ = false;
};

class HumanSink final : public EventSink {
 public:
  HumanSink(std::FILE* stream, LogLevel min_level) : stream_(stream), min_level_(min_level) {}

  void write(const Event& event, WallTime /*time*/) override {
    if (event.level < min_level_) return;
    const std::string line = event_human_line(event) + "\n";
    std::fwrite(line.data(), 1, line.size(), stream_);
    std::fflush(stream_);
  }

 private:
  std::FILE* stream_;
  LogLevel min_level_;
};

}  // namespace

const char* to_string(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "error";
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const LevelRow& row : kLevels) {
    if (row.word == lower) return row.level;
  }
  return std::nullopt;
}

std::string event_json_line(const Event& event, WallTime time) {
  nlohmann::ordered_json line = {{"time", utc_timestamp(time)},
                                 {"level", to_string(event.level)},
                                 {"stage", event.stage},
                                 {"event", event.name},
                                 {"message", event.message}};
  line["fields"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : event.fields) {
    std::visit([&, &name = name](const auto& v) { line["fields"][name] = v; }, value);
  }
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string event_human_line(const Event& event) {
  std::string line;
  if (event.level >= LogLevel::warning) line = fmt::format("{}: ", to_string(event.level));
  if (!event.stage.empty()) line += event.stage + ": ";
  line += event.message.empty() ? event.name : event.message;
  for (std::size_t i = 0; i < event.fields.size(); ++i) {
    const auto& [name, value] = event.fields[i];
    line += fmt::format("{}{}={}", i == 0 ? " (" : " ", name, field_text(value));
  }
  if (!event.fields.empty()) line += ")";
  return without_control_characters(line);
}

Result<std::unique_ptr<EventSink>> open_event_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return errno_error("cannot open " + path, errno);
  return std::unique_ptr<EventSink>(std::make_unique<FileSink>(fd, path));
}

std::unique_ptr<EventSink> make_human_sink(std::FILE* stream, LogLevel min_level) {
  return std::make_unique<HumanSink>(stream, min_level);
}

EventLog::EventLog(WallClock clock, LogLevel min_level) : clock_(std::move(clock)), min_level_(min_level) {}

void EventLog::add_sink(std::unique_ptr<EventSink> sink) {
  const std::lock_guard lock(mutex_);
  sinks_.push_back(std::move(sink));
}

void EventLog::set_min_level(LogLevel level) {
  const std::lock_guard lock(mutex_);
  min_level_ = level;
}

void EventLog::add_secret(std::string value) {
  redactor_.add_secret(std::move(value));
}

void EventLog::write(const Event& event) {
  Event clean{event.level, redact(event.stage), redact(event.name), redact(event.message), {}};
  clean.fields.reserve(event.fields.size());
  for (const auto& [name, value] : event.fields) {
    const auto* text = std::get_if<std::string>(&value);
    clean.fields.emplace_back(redact(name), text ? FieldValue(redact(*text)) : value);
  }
  // Held over the sinks' output on purpose: lines of two threads must neither mix nor change their order.
  const std::lock_guard lock(mutex_);
  if (event.level < min_level_) return;
  const WallTime time = clock_();
  for (const auto& sink : sinks_) sink->write(clean, time);
}

void EventLog::debug(std::string stage, std::string name, std::string message) {
  write({LogLevel::debug, std::move(stage), std::move(name), std::move(message), {}});
}
void EventLog::info(std::string stage, std::string name, std::string message) {
  write({LogLevel::info, std::move(stage), std::move(name), std::move(message), {}});
}
void EventLog::warning(std::string stage, std::string name, std::string message) {
  write({LogLevel::warning, std::move(stage), std::move(name), std::move(message), {}});
}
void EventLog::error(std::string stage, std::string name, std::string message) {
  write({LogLevel::error, std::move(stage), std::move(name), std::move(message), {}});
}

}  // namespace ka

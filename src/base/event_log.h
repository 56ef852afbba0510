// The one event log. Whatever the program reports is an Event; the file for machines (events.jsonl) and the
// lines for people are two views of the same events. Secrets are redacted before a sink sees anything.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/redact.h"
#include "base/result.h"
#include "base/wall_time.h"

namespace ka {

enum class LogLevel { debug, info, warning, error };

const char* to_string(LogLevel level);
// "debug", "info", "warning" (or "warn"), "error", in any case; nothing for any other word.
std::optional<LogLevel> parse_log_level(std::string_view text);

using FieldValue = std::variant<std::string, std::int64_t, double, bool>;

struct Event {
  LogLevel level = LogLevel::info;
  std::string stage;    // one word, as in the table of stages: "verify"
  std::string name;     // what happened, one word or words_with_underscores: "candidate_refused"
  std::string message;  // one sentence for people; may be empty, then people see the name
  std::vector<std::pair<std::string, FieldValue>> fields;
};

// Where events go. write() is called under the log's lock, with redacted events, in order.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void write(const Event& event, WallTime time) = 0;
};

// Appends one JSON object per line: {"time":..,"level":..,"stage":..,"event":..,"message":..,"fields":{..}}.
// Each line is one write(2) to a file opened for appending, so several processes may share the file.
Result<std::unique_ptr<EventSink>> open_event_file(const std::string& path);

// "verify: candidate refused (rule=policy.import line=3)"; warnings and errors are marked. The stream stays
// the caller's. min_level is the sink's own threshold, after that of the log.
std::unique_ptr<EventSink> make_human_sink(std::FILE* stream, LogLevel min_level = LogLevel::info);

class EventLog {
 public:
  explicit EventLog(WallClock clock = system_wall_clock(), LogLevel min_level = LogLevel::debug);

  void add_sink(std::unique_ptr<EventSink> sink);
  void set_min_level(LogLevel level);
  // From now on this value never reaches a sink, in any field.
  void add_secret(std::string value);
  std::string redact(std::string_view text) const { return redactor_.redact(text); }

  void write(const Event& event);
  void debug(std::string stage, std::string name, std::string message = {});
  void info(std::string stage, std::string name, std::string message = {});
  void warning(std::string stage, std::string name, std::string message = {});
  void error(std::string stage, std::string name, std::string message = {});

 private:
  std::mutex mutex_;
  WallClock clock_;
  LogLevel min_level_;
  Redactor redactor_;
  std::vector<std::unique_ptr<EventSink>> sinks_;
};

// The two views of one event as text, without a line end.
std::string event_json_line(const Event& event, WallTime time);
std::string event_human_line(const Event& event);

}  // namespace ka

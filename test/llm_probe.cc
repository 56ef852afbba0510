// Asks a model and prints what came back: a question as JSON on standard input, the outcome as JSON on standard output. For tests of the
// network side, which need no other part of the program.
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "synth/llm/open_chat.h"

namespace ka::llm {
namespace {

using std::chrono::milliseconds;

std::int64_t open_descriptors() {
  std::error_code error;
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd", error), {});
}

Json usage_json(const Usage& usage) {
  return {{"input", usage.input_tokens}, {"cached", usage.cached_tokens}, {"output", usage.output_tokens}, {"reasoning", usage.reasoning_tokens}, {"dollars", usage.dollars}};
}

Json outcome_json(const Result<ChatReply>& reply) {
  if (!reply) return {{"error", {{"kind", to_string(reply.error().kind)}, {"message", reply.error().message}}}};
  Json answers = Json::array();
  constexpr std::array<const char*, 3> ends = {"complete", "truncated", "refused"};
  for (const Answer& answer : reply->answers) answers.push_back({{"text", answer.text}, {"finish", ends.at(static_cast<std::size_t>(answer.finish))}});
  return {{"answers", answers}, {"usage", usage_json(reply->usage)}, {"model", reply->model}, {"provider", reply->provider}, {"id", reply->id}, {"retries", reply->retries},
      {"seconds", reply->seconds}};
}

void set(const Json& from, const char* name, milliseconds& to) {
  if (from.contains(name)) to = milliseconds(from[name].get<std::int64_t>());
}

ChatOptions options_of(const Json& json) {
  ChatOptions options;
  options.seed = 1;
  const Json times = json.value("times", Json::object()), retry = json.value("retry", Json::object());
  set(times, "connect", options.times.connect);
  set(times, "first_text", options.times.first_text);
  set(times, "idle", options.times.idle);
  set(times, "total", options.times.total);
  options.retry.attempts = retry.value("attempts", options.retry.attempts);
  set(retry, "first_wait", options.retry.first_wait);
  set(retry, "longest_wait", options.retry.longest_wait);
  set(retry, "longest_asked_wait", options.retry.longest_asked_wait);
  return options;
}

ChatRequest request_of(const Json& json) {
  ChatRequest request;
  for (const Json& row : json.value("messages", Json::array({{{"role", "user"}, {"text", "hello"}}}))) {
    const std::string role = row["role"];
    request.messages.push_back({role == "system" ? Role::system : role == "user" ? Role::user : Role::assistant, row["text"]});
  }
  request.effort = json.value("effort", "");
  if (json.contains("temperature")) request.temperature = json["temperature"].get<double>();
  request.max_output_tokens = json.value("max_output_tokens", 0);
  request.samples = json.value("samples", 1);
  return request;
}

// When to cancel: after some time, or when the first text has come. The token is cancelled from another thread, as it is in the program.
struct Canceller {
  os::CancelSource source;
  std::atomic<bool> wanted{false};
  os::TimePoint at{};
  std::jthread thread;

  explicit Canceller(std::int64_t after_ms) : thread([this, after_ms](const std::stop_token& stop) {
    const os::TimePoint start = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
      if (wanted.load() || (after_ms > 0 && std::chrono::steady_clock::now() - start > milliseconds(after_ms))) {
        at = std::chrono::steady_clock::now();
        source.cancel();
        return;
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
  }) {}
};

Json probe(const Json& json) {
  Redactor redactor;
  ChatOptions options = options_of(json);
  options.redactor = &redactor;
  if (json.contains("descriptors")) {
    const rlimit most{json["descriptors"].get<rlim_t>(), json["descriptors"].get<rlim_t>()};
    ::setrlimit(RLIMIT_NOFILE, &most);
  }
  const std::int64_t fds = open_descriptors();
  Json out;
  {
    Result<std::unique_ptr<Chat>> chat = open_chat(json.value("model", ""), environment_lookup(), options);
    if (!chat) return outcome_json(chat.error());
    const ChatRequest request = request_of(json);
    const int parallel = json.value("parallel", 1);
    std::vector<Json> outcomes(static_cast<std::size_t>(parallel));
    std::size_t text_bytes = 0;
    Canceller canceller(json.value("cancel_after", 0));
    const bool on_text = json.value("cancel_on_text", false);
    const auto ask = [&](std::size_t i) {
      outcomes[i] = outcome_json((*chat)->ask(request, canceller.source.token(), [&](std::string_view piece) {
        if (i == 0) text_bytes += piece.size();
        if (on_text) canceller.wanted = true;
      }));
    };
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < outcomes.size(); ++i) threads.emplace_back(ask, i);
      ask(0);
    }
    if (canceller.source.token().cancelled()) out["cancel_seconds"] = os::seconds_since(canceller.at);
    out["text_bytes"] = text_bytes;
    if (parallel == 1) out.update(outcomes[0]);
    else out["outcomes"] = outcomes;
  }
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  out["rss_kib"] = used.ru_maxrss;
  out["fds_left"] = open_descriptors() - fds;
  return out;
}

}  // namespace
}  // namespace ka::llm

int main() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const ka::Result<ka::Json> json = ka::parse_json(text, "question");
  if (!json) {
    fmt::print(stderr, "llm_probe: {}\n", json.error().message);
    return 2;
  }
  fmt::print("{}\n", ka::to_json_text(ka::llm::probe(*json)));
  return 0;
}

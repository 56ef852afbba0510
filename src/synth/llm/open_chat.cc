#include "synth/llm/open_chat.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"

namespace ka::llm {
namespace {

using std::chrono::milliseconds;

constexpr double kRelaySeconds = 600;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

void add_usage(Usage& sum, const Usage& one) {
  sum.input_tokens += one.input_tokens;
  sum.cached_tokens += one.cached_tokens;
  sum.output_tokens += one.output_tokens;
  sum.reasoning_tokens += one.reasoning_tokens;
}

struct Part {  // of the samples: one call with its retries
  Reply reply;
  Usage usage;  // of all attempts
  Retried retried;
};

class HttpChat final : public Chat {
 public:
  HttpChat(Road road, const ChatOptions& options) : road_(std::move(road)), options_(options), clock_(real_clock()), seed_(options.seed ? *options.seed : std::random_device{}()) {
    own_redactor_.add_secret(road_.server.key);
  }

  Result<ChatReply> ask(const ChatRequest& request, const os::CancelToken& cancel, const OnText& on_text) override {
    KA_TRY(check(request));
    const os::TimePoint start = std::chrono::steady_clock::now();
    const os::Deadline deadline = options_.times.total.count() > 0 ? os::Deadline::in(options_.times.total) : os::Deadline::never();
    std::vector<Part> parts;
    if (road_.wire->several_samples || request.samples == 1) parts.push_back(ask_part(request, deadline, cancel, on_text));
    const int missing = parts.empty() ? request.samples : parts[0].retried.error ? 0 : request.samples - static_cast<int>(parts[0].reply.answers.size());
    if (missing > 0) ask_side_by_side(parts, request, missing, deadline, cancel, on_text);
    return join(parts, request.samples, start);
  }

 private:
  Status check(const ChatRequest& request) const {
    if (!request.model.empty() && request.model != road_.model.name)
      return invalid_input(fmt::format("this conversation is with {}, not with {}", road_.model.name, elide_middle(request.model, 60)));
    if (request.messages.empty()) return invalid_input("a question without a message");
    if (request.samples < 1 || request.samples > kMostSamples) return invalid_input(fmt::format("{} samples; accepted: 1 to {}", request.samples, kMostSamples));
    return ok();
  }

  Part ask_part(const ChatRequest& request, os::Deadline deadline, const os::CancelToken& cancel, const OnText& on_text) {
    Part part;
    Random random(seed_ + counter_.fetch_add(1));
    part.retried = with_retries(options_.retry, deadline, clock_, random, cancel, [&](os::Deadline until) -> std::optional<Failure> {
      Attempt attempt = ask_once(http_, *road_.wire, road_.server, road_.model, request, options_.times, until, cancel, on_text);
      if (!attempt.failure || attempt.begun) add_usage(part.usage, attempt.reply.usage);
      part.reply = std::move(attempt.reply);
      return std::move(attempt.failure);
    });
    return part;
  }

  // A server that gives fewer answers than it was asked for, or one at a time only, is asked for each of the rest.
  void ask_side_by_side(std::vector<Part>& parts, ChatRequest request, int count, os::Deadline deadline, const os::CancelToken& cancel, const OnText& on_text) {
    const std::size_t before = parts.size();
    request.samples = 1;
    parts.resize(before + static_cast<std::size_t>(count));
    std::vector<std::jthread> threads;
    for (std::size_t i = before + 1; i < parts.size(); ++i) {
      const auto ask_for_one = [&, i] { parts[i] = ask_part(request, deadline, cancel, {}); };
      try {
        threads.emplace_back(ask_for_one);
      } catch (const std::system_error&) {  // no thread is left: one after the other then
        ask_for_one();
      }
    }
    parts[before] = ask_part(request, deadline, cancel, before == 0 ? on_text : OnText{});
  }

  Result<ChatReply> join(std::vector<Part>& parts, int samples, os::TimePoint start) const {
    ChatReply out;
    std::optional<Error> failed;
    for (Part& part : parts) {
      add_usage(out.usage, part.usage);
      out.retries += part.retried.retries;
      if (part.retried.error) {
        if (!failed || part.retried.error->kind == ErrorKind::cancelled) failed = part.retried.error;
        continue;
      }
      if (out.id.empty()) out.id = clean(plain_words(part.reply.id));
      if (out.model.empty()) out.model = clean(plain_words(part.reply.model));
      for (Answer& answer : part.reply.answers) {
        if (static_cast<int>(out.answers.size()) == samples) break;
        if (road_.server.key.size() >= 6) replace_all(answer.text, road_.server.key, "[redacted]");
        out.answers.push_back(std::move(answer));
      }
    }
    if (failed && (out.answers.empty() || failed->kind == ErrorKind::cancelled)) return Error{failed->kind, clean(hint(*failed))};
    out.usage.dollars = dollars(road_.model, out.usage);
    out.provider = to_string(road_.server.provider);
    if (out.model.empty()) out.model = road_.model.name;
    out.seconds = os::seconds_since(start);
    return out;
  }

  // A misspelt name ends at a relay that is not there; say so.
  std::string hint(const Error& error) const {
    if (road_.model.in_table || road_.server.provider != Provider::relay || error.kind != ErrorKind::network) return error.message;
    return fmt::format("{}; \"{}\" is not in the table of models (kernelagent models), so the relay was asked", error.message, road_.model.name);
  }

  std::string clean(const std::string& text) const {
    const std::string mine = own_redactor_.redact(text);
    return options_.redactor != nullptr ? options_.redactor->redact(mine) : mine;
  }

  Road road_;
  ChatOptions options_;
  RetryClock clock_;
  std::uint64_t seed_;
  std::atomic<std::uint64_t> counter_{0};
  os::HttpClient http_;
  Redactor own_redactor_;
};

Status set_relay_time(ChatOptions& options, const Lookup& lookup) {
  const std::string word = trim(lookup("LLM_RELAY_TIMEOUT_S").value_or(""));
  double seconds = kRelaySeconds;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (!word.empty() && (code != std::errc() || end != word.data() + word.size() || !(seconds > 0) || seconds > 1e6))
    return invalid_input(fmt::format("LLM_RELAY_TIMEOUT_S: \"{}\" is not a number of seconds", elide_middle(word, 60)));
  options.times.total = milliseconds(std::llround(seconds * 1000));
  options.times.first_text = options.times.total;
  return ok();
}

}  // namespace

namespace {

Result<Road> road_by_choice(const std::string& name, const std::string& provider, const Lookup& lookup) {
  KA_ASSIGN(const std::vector<Model> rows, all_models(lookup));
  Model model = find_model(rows, name, lookup);
  const std::vector<Provider> known = {Provider::openai, Provider::anthropic, Provider::relay};
  const auto chosen = std::find_if(known.begin(), known.end(), [&](Provider one) { return provider == to_string(one); });
  if (chosen == known.end()) return invalid_input(fmt::format("unknown provider \"{}\"; accepted: openai, anthropic, relay", elide_middle(provider, 60)));
  model.providers = {*chosen};
  return find_road(model, lookup);
}

}  // namespace

Result<std::unique_ptr<Chat>> open_chat(const std::string& model, const Lookup& lookup, const ChatOptions& options) {
  KA_ASSIGN(Road road, options.provider.empty() ? find_road(model, lookup) : road_by_choice(model, options.provider, lookup));
  ChatOptions mine = options;
  if (road.server.provider == Provider::relay) KA_TRY(set_relay_time(mine, lookup));
  if (options.redactor != nullptr && !road.server.key.empty()) options.redactor->add_secret(road.server.key);
  return std::unique_ptr<Chat>(std::make_unique<HttpChat>(std::move(road), mine));
}

}  // namespace ka::llm

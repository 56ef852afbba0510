#include "pipeline/conversations.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/ids.h"
#include "base/json_fields.h"
#include "os/files.h"

namespace ka::pipeline {
namespace {

constexpr const char* kFolder = "conversations/";
constexpr const char* kSeedFile = "conversations/seed";
constexpr std::int64_t kMostTokens = 1'000'000'000'000;  // of one answer in a file: sums of them are numbers too

const char* word_of(llm::Role role) { return role == llm::Role::system ? "system" : role == llm::Role::user ? "user" : "assistant"; }
const char* word_of(llm::Finish finish) { return finish == llm::Finish::complete ? "complete" : finish == llm::Finish::truncated ? "truncated" : "refused"; }

Json json_of(const llm::ChatRequest& request) {
  Json messages = Json::array();
  for (const llm::Message& message : request.messages) messages.push_back({{"role", word_of(message.role)}, {"text", message.text}});
  Json out = {{"model", request.model}, {"effort", request.effort}, {"samples", request.samples}, {"max_output_tokens", request.max_output_tokens}, {"messages", std::move(messages)}};
  if (request.temperature) out["temperature"] = *request.temperature;
  return out;
}

// What makes two questions the same; the model of a recording may have another name today.
std::string digest_of(const llm::ChatRequest& request) { return sha256_hex(to_json_text(json_of(request)["messages"])); }

Json json_of(const llm::ChatReply& reply) {
  Json answers = Json::array();
  for (const llm::Answer& answer : reply.answers) answers.push_back({{"finish", word_of(answer.finish)}, {"text", answer.text}});
  const llm::Usage& usage = reply.usage;
  return {{"answers", std::move(answers)},
          {"usage", {{"input_tokens", usage.input_tokens}, {"cached_tokens", usage.cached_tokens}, {"output_tokens", usage.output_tokens}, {"reasoning_tokens", usage.reasoning_tokens}, {"dollars", usage.dollars}}},
          {"model", reply.model}, {"provider", reply.provider}, {"id", reply.id}, {"retries", reply.retries}, {"seconds", reply.seconds}};
}

llm::Usage usage_of(const Json& json, FieldReader& outer) {
  FieldReader in(json, "usage");
  const auto tokens = [&](const char* name) { return in.required<std::int64_t>(name); };
  const llm::Usage out{tokens("input_tokens"), tokens("cached_tokens"), tokens("output_tokens"), tokens("reasoning_tokens"), in.required<double>("dollars")};
  const auto [least, most] = std::minmax({out.input_tokens, out.cached_tokens, out.output_tokens, out.reasoning_tokens});
  if (least < 0 || most > kMostTokens || !(out.dollars >= 0)) outer.fail("usage", "is no number of tokens or dollars");
  if (!in.good()) outer.fail(in.status().error());
  return out;
}

llm::Finish finish_of(const std::string& word) { return word == "truncated" ? llm::Finish::truncated : word == "refused" ? llm::Finish::refused : llm::Finish::complete; }

// Nothing where a file is not what it was when it was written.
std::optional<llm::ChatReply> reply_of(const Json& json) {
  llm::ChatReply out;
  FieldReader in(json, "reply");
  if (const Json* const answers = in.required_array("answers")) {
    for (const Json& one : *answers) {
      FieldReader answer(one, "answer");
      out.answers.push_back({answer.required<std::string>("text"), finish_of(answer.required<std::string>("finish"))});
      if (!answer.good()) return std::nullopt;
    }
  }
  if (const Json* const usage = in.required_object("usage")) out.usage = usage_of(*usage, in);
  out.model = in.required<std::string>("model");
  out.provider = in.required<std::string>("provider");
  out.id = in.required<std::string>("id");
  out.retries = in.required<int>("retries");
  out.seconds = in.required<double>("seconds");
  return in.good() ? std::optional(std::move(out)) : std::nullopt;
}

std::int64_t tokens_of(const llm::Usage& usage) { return usage.input_tokens + usage.output_tokens; }

}  // namespace

Artifacts artifacts_of(model::RunDirectory& directory) {
  return {directory.path(), [&directory](const std::string& name) { return directory.read_artifact(name); },
          [&directory](const std::string& name, const std::string& text) { return directory.write_artifact(name, text); }};
}

Artifacts artifacts_in(const std::string& folder) {
  return {folder, [folder](const std::string& name) { return os::read_file(folder + "/" + name); },
          [folder](const std::string& name, const std::string& text) -> Status {
            const std::string path = folder + "/" + name;
            KA_TRY(os::make_dirs(path.substr(0, path.rfind('/'))));
            return os::write_file_atomic(path, text);
          }};
}

Conversations::Conversations(Artifacts own, OpenChat open, ModelLimits limits, std::optional<Artifacts> replayed, EventLog* log, Spent before)
    : own_(std::move(own)), open_(std::move(open)), limits_(limits), replayed_(std::move(replayed)), log_(log), spent_(std::move(before)) {}

Result<llm::ChatReply> Conversations::ask(const std::string& key, const llm::ChatRequest& request, const os::CancelToken& cancel) {
  std::string name;
  {
    const std::lock_guard lock(mutex_);
    name = fmt::format("{}{}/{}.json", kFolder, key, ++asked_[key]);
  }
  std::optional<llm::ChatReply> known = recorded(name, request);
  if (!known && replayed_) return environment_error(fmt::format("the recording in {} has no answer to this question ({})", replayed_->place, name));
  llm::ChatReply reply;
  if (known) {
    reply = std::move(*known);
  } else {
    KA_TRY(check_limits());
    KA_ASSIGN(llm::Chat* const chat, chat_for(request.model));
    if (log_ != nullptr) log_->write({LogLevel::debug, "synth", "asked", fmt::format("{}: {}", key, request.model), {{"model", request.model}}});
    KA_ASSIGN(reply, chat->ask(request, cancel));
    if (log_ != nullptr) {  // a server knows the key that it was sent, and may say it
      for (llm::Answer& answer : reply.answers) answer.text = log_->redact(answer.text);
      log_->write({LogLevel::debug, "synth", "answered", fmt::format("{}: {} tokens, {:.1f} s", key, tokens_of(reply.usage), reply.seconds), {{"tokens", tokens_of(reply.usage)}, {"dollars", reply.usage.dollars}, {"seconds", reply.seconds}, {"retries", static_cast<std::int64_t>(reply.retries)}}});
    }
  }
  if (!known || replayed_) {
    KA_TRY(keep_seed());
    KA_TRY(own_.write(name, to_pretty_json_text({{"schema", 1}, {"asked", json_of(request)}, {"asked_sha256", digest_of(request)}, {"reply", json_of(reply)}})));
  }
  count(reply.usage);
  return reply;
}

std::optional<llm::ChatReply> Conversations::recorded(const std::string& name, const llm::ChatRequest& request) const {
  const Result<std::string> text = (replayed_ ? *replayed_ : own_).read(name);
  if (!text) return std::nullopt;
  const Result<Json> json = parse_json(*text, name);
  if (!json || !json->is_object() || !json->contains("reply")) return std::nullopt;
  const auto digest = json->find("asked_sha256");
  const bool same = digest != json->end() && *digest == digest_of(request);
  if (!same && !replayed_) return std::nullopt;  // the run goes on otherwise than it did: the old answer is to another question
  if (!same && log_ != nullptr) log_->warning("synth", "another_question", name + " was the answer to another question");
  return reply_of((*json)["reply"]);
}

Result<llm::Chat*> Conversations::chat_for(const std::string& model) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<llm::Chat>& chat = chats_[model];
  if (!chat) {
    KA_ASSIGN(chat, open_(model));
  }
  return chat.get();
}

Status Conversations::check_limits() {
  const std::lock_guard lock(mutex_);
  if (limits_.tokens && static_cast<std::uint64_t>(tokens_of(spent_.usage)) >= *limits_.tokens) spent_.limit = fmt::format("the limit of {} tokens (--max-tokens-total)", *limits_.tokens);
  if (limits_.dollars && spent_.usage.dollars >= *limits_.dollars) spent_.limit = fmt::format("the limit of {:g} dollars (--max-dollars)", *limits_.dollars);
  if (!spent_.limit.empty()) return unsupported(spent_.limit + " was reached");
  return ok();
}

void Conversations::count(const llm::Usage& usage) {
  const std::lock_guard lock(mutex_);
  spent_.usage.input_tokens += usage.input_tokens;
  spent_.usage.cached_tokens += usage.cached_tokens;
  spent_.usage.output_tokens += usage.output_tokens;
  spent_.usage.reasoning_tokens += usage.reasoning_tokens;
  spent_.usage.dollars += usage.dollars;
  ++spent_.questions;
}

Result<std::string> Conversations::seed() {
  const std::lock_guard lock(mutex_);
  if (!seed_.empty()) return seed_;
  const Result<std::string> known = (replayed_ ? *replayed_ : own_).read(kSeedFile);
  seed_ = known ? *known : new_nonce();
  return seed_;
}

Status Conversations::keep_seed() {
  const std::lock_guard lock(mutex_);
  if (seed_.empty() || seed_is_kept_) return ok();
  KA_TRY(own_.write(kSeedFile, seed_));
  seed_is_kept_ = true;
  return ok();
}

Status Conversations::note(const std::string& key, const std::string& name, const std::string& text) { return own_.write(fmt::format("{}{}/{}", kFolder, key, name), text); }

std::optional<std::string> Conversations::noted(const std::string& key, const std::string& name) const {
  if (!replayed_) return std::nullopt;
  const Result<std::string> text = replayed_->read(fmt::format("{}{}/{}", kFolder, key, name));
  return text ? std::optional(*text) : std::nullopt;
}

Spent Conversations::spent() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}

}  // namespace ka::pipeline

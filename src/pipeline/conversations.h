// Everything that language models are asked in a run, and what they answered. Each answer is an artefact of the run, so that a run that goes on asks no
// question twice and a replay asks none at all; tokens and dollars are counted against the limits of the whole run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/event_log.h"
#include "model/run_directory.h"
#include "synth/llm/chat.h"

namespace ka::pipeline {

struct ModelLimits {
  std::optional<std::uint64_t> tokens;
  std::optional<double> dollars;
};

// What was asked and what it cost.
struct Spent {
  int questions = 0;
  llm::Usage usage;
  std::string limit;  // "the limit of 2000 tokens (--max-tokens-total)"; empty while none has stopped anything
};

// Where answers are kept: the artefacts of a run, or a folder.
struct Artifacts {
  std::string place;  // for people
  std::function<Result<std::string>(const std::string& name)> read;
  std::function<Status(const std::string& name, const std::string& text)> write;
};
Artifacts artifacts_of(model::RunDirectory& directory);
Artifacts artifacts_in(const std::string& folder);

// Opens the conversation with a model of this name.
using OpenChat = std::function<Result<std::unique_ptr<llm::Chat>>(const std::string& model)>;

class Conversations {
 public:
  // `replayed`: where the answers of an earlier run are; then `open` is never called. `log` may be null. `before`: of the same run, and counts against its limits.
  Conversations(Artifacts own, OpenChat open, ModelLimits limits, std::optional<Artifacts> replayed, EventLog* log, Spent before = {});

  // The next question of a conversation. `key` names it, as a path: "whole/worker_1". At a limit: `unsupported`, with that limit as the sentence.
  // Secrets that the log knows do not come back.
  Result<llm::ChatReply> ask(const std::string& key, const llm::ChatRequest& request, const os::CancelToken& cancel);

  // New in every run and the same in its replay: what marks in prompts are made of. It is kept with the first answer.
  Result<std::string> seed();
  bool is_replay() const { return replayed_.has_value(); }

  // What happened to a conversation, for its replay: {"worker": 2}.
  Status note(const std::string& key, const std::string& name, const std::string& text);
  std::optional<std::string> noted(const std::string& key, const std::string& name) const;

  Spent spent() const;

 private:
  std::optional<llm::ChatReply> recorded(const std::string& name, const llm::ChatRequest& request) const;
  Result<llm::Chat*> chat_for(const std::string& model);
  Status check_limits();
  Status keep_seed();
  void count(const llm::Usage& usage);

  Artifacts own_;
  OpenChat open_;
  ModelLimits limits_;
  std::optional<Artifacts> replayed_;
  EventLog* log_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, int> asked_;  // by key
  std::map<std::string, std::unique_ptr<llm::Chat>> chats_;  // by model
  Spent spent_;
  std::string seed_;
  bool seed_is_kept_ = false;
};

}  // namespace ka::pipeline

// The language models of a command, from its settings.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/settings.h"
#include "model/sentence_record.h"
#include "pipeline/ask_route.h"

namespace ka::app {

// Whatever is asked in a run, within the limits of the settings. `replay`: whose answers are given again. The log learns the secrets of the settings.
std::unique_ptr<pipeline::Conversations> open_conversations(const Settings& settings, std::optional<pipeline::Artifacts> replay, pipeline::Artifacts own, EventLog& log, pipeline::Spent before = {});
// What a model was asked about the sentence of a run; nothing where it was not.
pipeline::Spent spent_on(const std::optional<model::SentenceRecord>& sentence);
// "3 questions to language models, 5120 tokens, 0.04 dollars"
std::string bill(const pipeline::Spent& spent);
Json bill_json(const pipeline::Spent& spent);
// How much it is asked to think.
std::string effort_of(const Settings& settings, std::string_view setting = "high_reasoning");

struct ModelChoice {
  std::string model;                          // that writes kernels; empty: none takes part
  std::optional<pipeline::Artifacts> replay;  // whose answers are given again
  bool codegen = true;                        // the built-in generator writes kernels too
};

// Which model takes part, as far as it can be asked at all: one that cannot (no key, say) is told in the log and left out, unless nobody else may write kernels.
// `setting`: "model" or "dispatch_model", which is "model" where it is not set.
Result<ModelChoice> choose_model(const Settings& settings, std::string_view setting, EventLog& log);

// The question about the route; none where no model is named for it, or it cannot be asked.
Result<std::optional<pipeline::RouteQuestion>> route_question(const Settings& settings, EventLog& log);

// Conversations, prompts and limits. Null where no model takes part.
class Models {
 public:
  static Result<std::unique_ptr<Models>> open(const Settings& settings, ModelChoice choice, pipeline::Artifacts own, EventLog& log, pipeline::Spent before = {});
  const pipeline::ModelSide* side() const { return &side_; }
  // The same with another model.
  pipeline::ModelSide side_with(const std::string& model) const;
  const pipeline::Conversations& conversations() const { return *conversations_; }

 private:
  Models(std::unique_ptr<pipeline::Conversations> conversations, pipeline::ModelSide side) : conversations_(std::move(conversations)), side_(std::move(side)) {}
  std::unique_ptr<pipeline::Conversations> conversations_;
  pipeline::ModelSide side_;
};

}  // namespace ka::app

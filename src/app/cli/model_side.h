// The language models of a command, from its settings.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/settings.h"
#include "model/sentence_record.h"
#include "pipeline/ask_route.h"
#include "pipeline/run.h"

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

// The one that does what the built-in generator cannot, where nobody names one: the first for which there is a key; empty: there is none.
std::string default_model(const Settings& settings);

struct ModelChoice {
  std::string model;                          // that writes kernels; empty: none takes part
  std::optional<pipeline::Artifacts> replay;  // whose answers are given again
  bool codegen = true;                        // the built-in generator writes kernels too
  bool only_where_needed = false;             // nobody named it; there is a key for it
};

// Which model takes part, as far as it can be asked at all: one that cannot (no key, say) is told in the log and left out, unless nobody else may write kernels. Where none is named, one
// for which there is a key does what the built-in generator cannot.
// `setting`: "model", or another one, which is "model" where it is not set.
Result<ModelChoice> choose_model(const Settings& settings, std::string_view setting, EventLog& log);

// Conversations, prompts and limits. Null where no model takes part.
class Models {
 public:
  static Result<std::unique_ptr<Models>> open(const Settings& settings, ModelChoice choice, pipeline::Artifacts own, EventLog& log, pipeline::Spent before = {});
  const pipeline::ModelSide* side() const { return &side_; }
  // The same with another model.
  pipeline::ModelSide side_with(const ModelChoice& choice) const;
  const pipeline::Conversations& conversations() const { return *conversations_; }

 private:
  Models(std::unique_ptr<pipeline::Conversations> conversations, pipeline::ModelSide side) : conversations_(std::move(conversations)), side_(std::move(side)) {}
  std::unique_ptr<pipeline::Conversations> conversations_;
  pipeline::ModelSide side_;
};

// The models of a run, by what they are asked for.
struct RunModels {
  std::unique_ptr<Models> all;  // null: none takes part
  std::optional<pipeline::RouteQuestion> route;
  std::optional<pipeline::ModelSide> whole, parts, cutter, composer;

  pipeline::ModelRoles roles() const;
};

// --compose-max-iters: attempts of the composer.
Result<int> compose_rounds(const Arguments& arguments);

// `own` says where conversations are kept, and is called where a model takes part. `compose_rounds`: of the composer. `before`: what the run has spent already.
Result<RunModels> open_models(const Settings& settings, int compose_rounds, const std::function<Result<pipeline::Artifacts>()>& own, EventLog& log, pipeline::Spent before = {});

}  // namespace ka::app

// The language models of a command, from its settings.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/settings.h"
#include "pipeline/ask_route.h"
#include "pipeline/run.h"

namespace ka::app {

// A conversation with a model, as the settings say: whose, and for how long at most. `redactor` may be null.
Result<std::unique_ptr<llm::Chat>> open_model(const Settings& settings, const std::string& model, Redactor* redactor = nullptr);
// How much it is asked to think.
std::string effort_of(const Settings& settings, std::string_view setting = "high_reasoning");

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
  static Result<std::unique_ptr<Models>> open(const Settings& settings, ModelChoice choice, pipeline::Artifacts own, EventLog& log);
  const pipeline::ModelSide* side() const { return &side_; }
  // The same with another model.
  pipeline::ModelSide side_with(const ModelChoice& choice) const;
  const pipeline::Conversations& conversations() const { return *conversations_; }
  // "3 questions to language models, 5120 tokens, 0.04 dollars"
  std::string bill() const;

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

// `own` says where conversations are kept, and is called where a model takes part. `compose_rounds`: of the composer.
Result<RunModels> open_models(const Settings& settings, int compose_rounds, const std::function<Result<pipeline::Artifacts>()>& own, EventLog& log);

}  // namespace ka::app

// The table of language models: data/models.json, which travels inside the program, and a file of the user's own whose rows are added or win.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "synth/llm/chat.h"

namespace ka::llm {

// The value of a variable, from the environment or from a file that stands for it.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
Lookup environment_lookup();

// Names the user's own file of models.
inline constexpr const char* kModelsVariable = "KERNELAGENT_MODELS";

enum class Provider { openai, anthropic, relay };
const char* to_string(Provider provider);

// How a model is told how much to think: not at all, by a word, by a word and thinking of its own choice, by a number of tokens.
enum class EffortForm { none, word, adaptive, budget };

// Dollars per million tokens.
struct Price {
  double input = 0, cached = 0, output = 0;
  bool operator==(const Price&) const = default;
};

struct Model {
  std::string name;
  std::vector<Provider> providers;  // in order: the first that is usable is asked
  std::string wire;                 // of OpenAI's two forms: "responses" or "chat"; empty: what its server has
  std::int64_t context_tokens = 0;  // 0: not known
  std::int64_t output_tokens = 0;   // with those of reasoning
  bool temperature = true;
  EffortForm effort = EffortForm::none;
  std::optional<Price> price;
  std::string base_url;      // a server of its own
  std::string key_variable;  // and the variable that has its key
  bool in_table = true;      // false: only its name is known
};

// The rows of a text like data/models.json; `where` begins the error.
Result<std::vector<Model>> read_models(std::string_view text, const std::string& where);

// Built-in rows and those of the user's file, in this order; a row of the user's replaces the built-in one of the same name.
Result<std::vector<Model>> all_models(const Lookup& lookup);

// A name that has no row goes to the server of OPENAI_BASE_URL where that is set, else to the relay.
Model find_model(const std::vector<Model>& rows, const std::string& name, const Lookup& lookup);

double dollars(const Model& model, const Usage& usage);

}  // namespace ka::llm

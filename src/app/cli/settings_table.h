// Every setting: one row each. Flags of the commands, variables, keys of config files, `doctor` and the checks of values all come from these rows.
// Of several spellings of one setting that are given in the same place, the last one of its row counts.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "app/cli/command.h"

namespace ka::app {

// What a value must be. A level is one of the words that LOG_LEVEL takes; a secret is never shown.
enum class SettingKind { text, whole, number, yes_no, level, secret };

// Which commands have its flags.
enum SettingUse : unsigned { kNoFlag = 0, kKernels = 1, kExtract = 2, kCompose = 4, kAllStages = 7, kStore = 8, kSearch = 16 };

struct Setting {
  std::string_view name;   // also its key in a config file
  std::string_view flags;  // with blanks between them; that of a yes_no says the opposite of the default
  std::string_view value;  // what follows the flag, for the help
  std::string_view variable;
  std::string_view keys;  // of a config file, besides the name and the flags
  SettingKind kind = SettingKind::text;
  std::string_view otherwise;  // the default
  double low = 0, high = 0;    // of whole and number
  unsigned uses = kNoFlag;
  std::string_view help;
};

// The first word of a list with blanks between its words, which then begins after it; empty at the end.
constexpr std::string_view take_word(std::string_view& words) {
  const std::size_t blank = words.find(' ');
  const std::string_view out = words.substr(0, blank);
  words.remove_prefix(blank == std::string_view::npos ? words.size() : blank + 1);
  return out;
}

constexpr std::string_view first_word(std::string_view words) { return take_word(words); }

inline constexpr double kMaxSeconds = 86'400, kMaxCount = 1e15;

inline constexpr auto kSettings = std::to_array<Setting>({
    {"model", "--model --ka-model", "NAME", "OPENAI_MODEL", "openai_model model_name ka_model", SettingKind::text, "", 0, 0, kAllStages | kSearch,
     "the language model that writes and improves kernels (without one the built-in generator works alone)"},
    {"provider", "--provider", "NAME", "", "preferred_provider", SettingKind::text, "", 0, 0, kAllStages | kSearch,
     "who is asked for a model that several offer: openai, anthropic or relay"},
    {"workers", "--workers --ka-workers", "N", "NUM_KERNEL_SEEDS", "num_workers ka_num_workers", SettingKind::whole, "4", 1, 256, kKernels | kExtract,
     "workers of a language model on one kernel at the same time"},
    {"rounds", "--rounds --max-iters --ka-rounds", "N", "MAX_REFINEMENT_ROUNDS", "max_iters max_rounds ka_max_rounds", SettingKind::whole, "10", 1, 1000, kKernels | kExtract,
     "attempts of each worker"},
    {"high_reasoning", "--no-high-reasoning --no-ka-high-reasoning", "", "", "high_reasoning_effort ka_high_reasoning", SettingKind::yes_no, "yes", 0, 0, kKernels | kSearch,
     "ask the model for less effort than high"},
    {"router_model", "--router-model", "NAME", "", "", SettingKind::text, "", 0, 0, kKernels, "the model that is asked about the route (default: the rules decide alone)"},
    {"router_temperature", "--router-temperature --router-temp", "N", "", "router_temp", SettingKind::number, "0.2", 0, 2, kKernels, "how freely that model answers, 0 to 2"},
    {"router_max_tokens", "--router-max-tokens", "N", "", "", SettingKind::whole, "700", 1, 1'000'000, kKernels, "how long its answer may be, without its reasoning"},
    {"router_high_reasoning", "--no-router-high-reasoning", "", "", "", SettingKind::yes_no, "yes", 0, 0, kKernels, "ask that model for less effort than high"},
    {"extract_model", "--extract-model", "NAME", "", "", SettingKind::text, "", 0, 0, kKernels | kExtract, "the model for cutting the program (default: the rules cut alone)"},
    {"dispatch_model", "--dispatch-model --agent-model", "NAME", "", "agent_model", SettingKind::text, "", 0, 0, kKernels,
     "the model for the kernels of parts (default: that of --model)"},
    {"compose_model", "--compose-model", "NAME", "", "", SettingKind::text, "", 0, 0, kKernels | kCompose, "the model for the composition (default: the rules compose alone)"},
    {"llm_timeout_s", "--llm-timeout-s", "SECONDS", "", "", SettingKind::number, "1200", 0.001, kMaxSeconds, kAllStages | kSearch, "limit for one answer of a model"},
    {"run_timeout_s", "--run-timeout-s", "SECONDS", "", "", SettingKind::number, "", 0.001, kMaxSeconds, kAllStages, "--timeout, where that is not given"},
    {"test_timeout_s", "--test-timeout-s", "SECONDS", "", "", SettingKind::number, "", 0.001, kMaxSeconds, kKernels | kCompose, "the same, before --run-timeout-s"},
    {"test_paths", "--test-paths", "FILE", "", "", SettingKind::text, "", 0, 0, kKernels, "a test script that the program must pass as well (docs/judge.md)"},
    {"max_tokens_total", "--max-tokens-total", "N", "", "", SettingKind::whole, "", 1, kMaxCount, kAllStages | kSearch, "stop asking models after this many tokens of the run"},
    {"max_dollars", "--max-dollars", "N", "", "", SettingKind::number, "", 0, kMaxCount, kAllStages | kSearch, "stop asking models after they have cost this much"},
    {"replay", "--replay", "RUN", "", "", SettingKind::text, "", 0, 0, kAllStages | kSearch, "answer from the conversations of an earlier run (its id or folder); no model is asked"},
    {"producers", "--producers", "WHO", "", "", SettingKind::text, "both", 0, 0, kKernels, "who writes kernels where a model is named: both, model or codegen (the built-in generator)"},
    {"prompts", "--prompts", "DIR", "", "templates", SettingKind::text, "", 0, 0, kAllStages | kSearch, "a folder with prompts that take the place of the built-in ones (docs/prompts.md)"},
    {"no_cusolver", "--no-cusolver", "", "", "", SettingKind::yes_no, "no", 0, 0, kKernels, "tell the model to do without cuSOLVER"},
    {"store", "--store", "FILE", "KERNELAGENT_STORE", "", SettingKind::text, ".optimize/winners.sqlite", 0, 0, kKernels | kStore, "where winning kernels of earlier searches are (docs/winners.md)"},
    {"log_level", "--log-level", "LEVEL", "LOG_LEVEL", "", SettingKind::level, "info", 0, 0, kAllStages, "debug, info, warning or error: what is said on the terminal"},
    {"openai_base_url", "", "", "OPENAI_BASE_URL", "", SettingKind::text, "", 0, 0, kNoFlag, "where a server that speaks OpenAI's language is"},
    {"anthropic_base_url", "", "", "ANTHROPIC_BASE_URL", "", SettingKind::text, "", 0, 0, kNoFlag, "where a server that speaks Anthropic's language is"},
    {"llm_relay_url", "", "", "LLM_RELAY_URL", "", SettingKind::text, "http://127.0.0.1:11434", 0, 0, kNoFlag, "where the relay is"},
    {"llm_relay_timeout_s", "", "", "LLM_RELAY_TIMEOUT_S", "", SettingKind::number, "120", 0.001, kMaxSeconds, kNoFlag, "limit for one answer of the relay"},
    {"openai_api_key", "", "", "OPENAI_API_KEY", "", SettingKind::secret, "", 0, 0, kNoFlag, "the key for OpenAI"},
    {"anthropic_api_key", "", "", "ANTHROPIC_API_KEY", "", SettingKind::secret, "", 0, 0, kNoFlag, "the key for Anthropic"},
});

constexpr std::size_t flags_of_settings(unsigned use) {
  std::size_t count = 1;  // --config
  for (const Setting& row : kSettings)
    for (std::string_view rest = row.flags; (row.uses & use) != 0 && !rest.empty(); take_word(rest)) ++count;
  return count;
}

// The command's own flags, then those of the settings that it takes.
template <unsigned use, std::size_t own>
constexpr std::array<Flag, own + flags_of_settings(use)> with_settings(const Flag (&flags)[own]) {
  std::array<Flag, own + flags_of_settings(use)> out{};
  std::size_t at = 0;
  for (const Flag& flag : flags) out[at++] = flag;
  out[at++] = {"--config", "FILE", "a YAML file with settings and flags, one NAME: VALUE per line (docs/settings.md)"};
  for (const Setting& row : kSettings) {
    if ((row.uses & use) == 0) continue;
    for (std::string_view rest = row.flags; !rest.empty(); take_word(rest)) out[at++] = {first_word(rest), row.value, rest == row.flags ? row.help : "the same", true};
  }
  return out;
}

}  // namespace ka::app

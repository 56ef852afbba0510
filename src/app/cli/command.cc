#include "app/cli/command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "app/cli/auto.h"
#include "app/cli/bench.h"
#include "app/cli/doctor.h"
#include "app/cli/eval.h"
#include "app/cli/explain.h"
#include "app/cli/generate.h"
#include "app/cli/models.h"
#include "app/cli/optimize.h"
#include "app/cli/profile.h"
#include "app/cli/report.h"
#include "app/cli/runs.h"
#include "app/cli/settings.h"
#include "app/cli/stages.h"
#include "app/cli/verify.h"
#include "base/redact.h"
#include "base/strings.h"

namespace ka::app {
namespace {

constexpr auto kCommands = std::to_array<Command>({
    {"auto", "from a PyTorch program to a verified Triton program", "--problem P.py | \"SENTENCE\" [--verify]", kAutoFlags, run_auto},
    {"generate", "write Triton kernels for one problem", "--problem P.py | \"SENTENCE\" [--out DIR]", kGenerateFlags, run_generate},
    {"pipeline", "extract, dispatch and compose in one run", "--problem P.py | \"SENTENCE\"", kAutoFlags, run_pipeline},
    {"extract", "cut a program into subgraphs", "--problem P.py [--out DIR]", kExtractFlags, run_extract},
    {"dispatch", "write a kernel for each subgraph", "--subgraphs F.json [--out-dir DIR]", kDispatchFlags, run_dispatch},
    {"compose", "join kernels into one program", "--problem P.py --subgraphs F.json [--verify]", kComposeFlags, run_compose},
    {"optimize", "make a verified kernel faster", "--problem P.py --kernel K.py [--strategy greedy] [--max-minutes N]", kOptimizeFlags, run_optimize},
    {"verify", "decide whether a kernel computes what a program computes", "--problem P.py --kernel K.py", kVerifyFlags,
     run_verify},
    {"bench", "time a kernel against PyTorch", "--problem P.py --kernel K.py [--baseline eager,compile]", kBenchFlags, run_bench},
    {"profile", "say what a kernel is made of and what holds it back", "--problem P.py --kernel K.py [--out DIR] [--json]", kProfileFlags, run_profile},
    {"eval", "generate and verify every problem of a folder", "--suite DIR [--filter TEXT] [--jobs N] [--resume] [--json]", kEvalFlags, run_eval},
    {"explain", "say why a run decided as it did", "RUN [--json]", kExplainFlags, run_explain},
    {"report", "write an HTML page about a run", "RUN [--out FILE]", kReportFlags, run_report},
    {"runs", "list, show and remove runs; winning kernels", "[list|show RUN|rm RUN...|gc|winners] [flags]", kRunsFlags, run_runs},
    {"models", "list language models and whether they can be used", "[--json]", kModelsFlags, run_models},
    {"ui", "serve the web page on loopback", "[--port N]", {}, nullptr},
    {"doctor", "say what this machine has and what it lacks", "[--measure-ceilings] [--json]", kDoctorFlags, run_doctor},
});

constexpr bool names_are_unique() {
  for (std::size_t i = 0; i < kCommands.size(); ++i)
    for (std::size_t j = i + 1; j < kCommands.size(); ++j)
      if (kCommands[i].name == kCommands[j].name) return false;
  return true;
}
static_assert(names_are_unique());

constexpr bool flags_are_unique() {
  for (const Command& command : kCommands)
    for (std::size_t i = 0; i < command.flags.size(); ++i)
      for (std::size_t j = i + 1; j < command.flags.size(); ++j)
        if (command.flags[i].name == command.flags[j].name) return false;
  return true;
}
static_assert(flags_are_unique());

std::string suggestion(std::string_view word, std::span<const std::string_view> among) {
  const std::optional<std::string> near = closest(word, among);
  return near ? fmt::format(" (did you mean \"{}\"?)", *near) : "";
}

std::string commands_that_are_there() {
  std::vector<std::string_view> names;
  for (const Command& row : kCommands) {
    if (row.run != nullptr) names.push_back(row.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

int fail(const Error& error) {
  fmt::print(stderr, "kernelagent: {}\n", error.message);
  return exit_code(error);
}

// An error may quote what a server or a file said, and that may quote a key.
int fail(const Error& error, const Settings& settings) {
  Redactor redactor;
  for (const std::string& secret : settings.secrets()) redactor.add_secret(secret);
  return fail(Error{error.kind, redactor.redact(error.message)});
}

// The settings, and what the config file says about the command's flags.
Result<std::shared_ptr<const Settings>> settle(Arguments& arguments, const Command& command) {
  KA_ASSIGN(Settings settings, Settings::load(arguments));
  // A run that goes on does so as it was begun; the command says so when it finds the flag.
  if (!arguments.has("--resume")) {
    KA_TRY(settings.fill(arguments, command.flags));
    arguments.drop("--config");
  }
  auto kept = std::make_shared<const Settings>(std::move(settings));
  arguments.attach(kept);
  return std::shared_ptr<const Settings>(kept);
}

}  // namespace

Result<Arguments> Arguments::parse(std::span<const std::string> words, std::span<const Flag> flags) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("-") || word == "-") {
      arguments.positional_.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto flag = std::find_if(flags.begin(), flags.end(), [&](const Flag& row) { return row.name == name; });
    if (flag == flags.end()) {
      std::vector<std::string_view> names;
      for (const Flag& row : flags) names.push_back(row.name);
      return invalid_input(fmt::format("unknown flag \"{}\"{}", name, suggestion(name, names)));
    }
    if (arguments.has(name)) return invalid_input(fmt::format("{} is given twice", name));
    if (flag->setting) arguments.setting_flags_.insert(name);
    if (flag->value.empty()) {
      if (equals != std::string::npos) return invalid_input(fmt::format("{} takes no value", name));
      arguments.values_[name] = "";
    } else if (equals != std::string::npos) {
      arguments.values_[name] = word.substr(equals + 1);
    } else if (i + 1 < words.size() && !words[i + 1].starts_with("--")) {
      arguments.values_[name] = words[++i];
    } else {
      return invalid_input(fmt::format("{} needs a value: {} {}", name, name, flag->value));
    }
  }
  return arguments;
}

void Arguments::drop(std::string_view flag) {
  if (const auto found = values_.find(flag); found != values_.end()) values_.erase(found);
}

const Settings& Arguments::settings() const {
  static const Settings defaults;
  return settings_ ? *settings_ : defaults;
}

bool Arguments::has(std::string_view flag) const { return values_.find(flag) != values_.end(); }

std::string Arguments::text(std::string_view flag, std::string otherwise) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? otherwise : found->second;
}

Result<std::string> Arguments::required(std::string_view flag) const {
  const auto found = values_.find(flag);
  if (found == values_.end() || found->second.empty()) return invalid_input(fmt::format("{} is missing", flag));
  return found->second;
}

std::vector<std::string> Arguments::words(std::span<const std::string_view> without, std::initializer_list<std::string_view> nor) const {
  std::vector<std::string> out;
  for (const auto& [flag, value] : values_) {
    if (std::find(without.begin(), without.end(), flag) != without.end() || std::find(nor.begin(), nor.end(), flag) != nor.end()) continue;
    out.push_back(value.empty() ? flag : fmt::format("{}={}", flag, value));
  }
  out.insert(out.end(), positional_.begin(), positional_.end());
  return out;
}

void Arguments::take(const Arguments& others, std::span<const std::string_view> flags) {
  for (const std::string_view flag : flags) {
    if (const auto found = others.values_.find(flag); found != others.values_.end()) values_[found->first] = found->second;
    if (others.has_setting(flag)) setting_flags_.emplace(flag);
  }
}

Result<double> Arguments::number(std::string_view flag, double otherwise) const {
  const auto found = values_.find(flag);
  if (found == values_.end()) return otherwise;
  const std::string& word = found->second;
  double value = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size() || !std::isfinite(value) || value < 0)
    return invalid_input(fmt::format("{}: \"{}\" is not a number of at least 0", flag, word));
  return value;
}

Result<std::uint64_t> Arguments::whole_number(std::string_view flag, std::uint64_t otherwise) const {
  const auto found = values_.find(flag);
  if (found == values_.end()) return otherwise;
  const std::string& word = found->second;
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size())
    return invalid_input(fmt::format("{}: \"{}\" is not a whole number of at least 0", flag, word));
  return value;
}

Result<std::string> Arguments::choice(std::string_view flag, std::string otherwise,
                                      std::span<const std::string_view> accepted) const {
  const std::string word = text(flag, std::move(otherwise));
  if (std::find(accepted.begin(), accepted.end(), word) != accepted.end()) return word;
  return invalid_input(fmt::format("{}: unknown value \"{}\"{}; accepted: {}", flag, word, suggestion(word, accepted),
                                   fmt::join(accepted, ", ")));
}

std::span<const Command> all_commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto row = std::find_if(kCommands.begin(), kCommands.end(), [&](const Command& c) { return c.name == name; });
  return row == kCommands.end() ? nullptr : &*row;
}

std::string help_text() {
  std::string out =
      "kernelagent: turns PyTorch programs into verified Triton kernels\n\nusage: kernelagent COMMAND [flags]\n\n";
  for (const Command& command : kCommands)
    out += fmt::format("  {:<10} {}{}\n", command.name, command.summary, command.run ? "" : " (not there yet)");
  return out + "\n`kernelagent COMMAND --help` lists a command's flags. `kernelagent --version` prints the version.\n"
               "Exit codes: 0 done, 1 not achieved, 2 bad usage or input, 3 something is missing on this machine, "
               "130 interrupted.\n";
}

std::string help_text(const Command& command) {
  std::string out = fmt::format("kernelagent {}: {}\n\nusage: kernelagent {} {}\n", command.name, command.summary,
                                command.name, command.usage);
  if (command.run == nullptr) out += "\nThis command is not there yet.\n";
  if (!command.flags.empty()) out += "\n";
  for (const Flag& flag : command.flags)
    out += fmt::format("  {:<28} {}\n", fmt::format("{} {}", flag.name, flag.value), flag.help);
  return out;
}

int run_program(std::span<const std::string> words) {
  if (words.empty()) {
    fmt::print(stderr, "{}", help_text());
    return 2;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    fmt::print("{}", help_text());
    return 0;
  }
  if (words[0] == "--version") {
    fmt::print("kernelagent {}\n", KA_VERSION);
    return 0;
  }
  const Command* command = find_command(words[0]);
  if (command == nullptr) {
    std::vector<std::string_view> names;
    for (const Command& row : kCommands) names.push_back(row.name);
    names.insert(names.end(), {"--help", "--version"});
    return fail(invalid_input(fmt::format("unknown command \"{}\"{}; kernelagent --help lists all", words[0],
                                          suggestion(words[0], names))));
  }
  const std::span<const std::string> rest = words.subspan(1);
  if (std::any_of(rest.begin(), rest.end(), [](const std::string& word) { return word == "--help" || word == "-h"; })) {
    fmt::print("{}", help_text(*command));
    return 0;
  }
  if (command->run == nullptr)
    return fail(unsupported(fmt::format("{}: this command is not there yet; today there are {}", command->name, commands_that_are_there())));
  Result<Arguments> arguments = Arguments::parse(rest, command->flags);
  if (!arguments) return fail(arguments.error().with(std::string(command->name)));
  const Result<std::shared_ptr<const Settings>> settings = settle(*arguments, *command);
  if (!settings) return fail(settings.error().with(std::string(command->name)));
  os::CancelSource source;
  if (Status watched = os::watch_signals(source); !watched) return fail(watched.error());
  AppContext context{source.token()};
  Result<int> code = command->run(*arguments, context);
  if (!code) return fail(code.error().with(std::string(command->name)), **settings);
  return *code;
}

}  // namespace ka::app

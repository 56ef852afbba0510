#include "app/cli/settings.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "app/cli/config_keys.h"
#include "base/check.h"
#include "base/strings.h"
#include "os/environment.h"

namespace ka::app {
namespace {

constexpr std::array<std::string_view, 5> kSecretEnds = {"_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSPHRASE"};
// What example files have in the place of a key.
constexpr std::array<std::string_view, 5> kPlaceholders = {"your-api-key-here", "your-key", "sk-...", "sk-ant-...", "..."};
constexpr std::array<std::string_view, 5> kYes = {"true", "yes", "on", "1", "y"}, kNo = {"false", "no", "off", "0", "n"};

// Two spellings of one flag: what is given as one is not filled in as the other.
struct SameFlags {
  std::string_view one, other;
};
constexpr auto kSameFlags = std::to_array<SameFlags>({{"--platform", "--target-platform"}, {"--dispatch-jobs", "--jobs"}, {"--compose-max-iters", "--max-iters"}});
// Another spelling of a log level.
struct LevelWord {
  std::string_view word, level;
};
constexpr auto kLevelWords = std::to_array<LevelWord>({{"trace", "debug"}, {"notset", "debug"}, {"critical", "error"}, {"fatal", "error"}});

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// A value in a message: one line, and not too long.
std::string shown(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return elide_middle(std::move(text), 80);
}

std::optional<bool> yes_or_no(const std::string& text) {
  const std::string word = lower(text);
  if (std::find(kYes.begin(), kYes.end(), word) != kYes.end()) return true;
  if (std::find(kNo.begin(), kNo.end(), word) != kNo.end()) return false;
  return std::nullopt;
}

Error neither_yes_nor_no(const std::string& where, const std::string& text) {
  return invalid_input(fmt::format("{}: \"{}\" is neither yes nor no (true and false are the same)", where, shown(text)));
}

std::string range(const Setting& row) {
  return row.high >= kMaxCount ? fmt::format("of at least {:g}", row.low) : fmt::format("from {:g} to {:g}", row.low, row.high);
}

Result<std::string> checked_number(const Setting& row, const std::string& text, const std::string& where) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = row.kind == SettingKind::whole;
  const bool good = code == std::errc() && end == text.data() + text.size() && std::isfinite(value) && value >= row.low && value <= row.high;
  if (good && (!whole || std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))) return text;
  return invalid_input(fmt::format("{}: \"{}\" is not a {}number {}", where, shown(text), whole ? "whole " : "", range(row)));
}

// The value in the form that values() promises.
Result<std::string> checked(const Setting& row, const std::string& text, const std::string& where) {
  switch (row.kind) {
    case SettingKind::whole:
    case SettingKind::number: return checked_number(row, text, where);
    case SettingKind::yes_no: {
      const std::optional<bool> yes = yes_or_no(text);
      if (!yes) return neither_yes_nor_no(where, text);
      return std::string(*yes ? "yes" : "no");
    }
    case SettingKind::level: {
      std::string word = lower(text);
      for (const LevelWord& row_of_word : kLevelWords) word = word == row_of_word.word ? std::string(row_of_word.level) : word;
      const std::optional<LogLevel> level = parse_log_level(word);
      if (!level) return invalid_input(fmt::format("{}: \"{}\" is no level; accepted: debug, info, warning, error", where, shown(text)));
      return std::string(to_string(*level));
    }
    case SettingKind::text:
    case SettingKind::secret: break;
  }
  return text;
}

std::string key_of_flag(std::string_view flag) {
  std::string out(flag.substr(std::min<std::size_t>(2, flag.size())));
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::string flag_of_key(std::string_view key) {
  std::string out = fmt::format("--{}", key);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

// All keys of a setting; of several in one file the last one of this list counts.
std::vector<std::string> keys_of(const Setting& row) {
  std::vector<std::string> out = {std::string(row.name)};
  for (std::string_view rest = row.keys; !rest.empty();) out.emplace_back(take_word(rest));
  if (row.kind == SettingKind::yes_no) return out;  // its flag says the opposite
  for (std::string_view rest = row.flags; !rest.empty();) {
    if (std::string key = key_of_flag(take_word(rest)); std::find(out.begin(), out.end(), key) == out.end()) out.push_back(std::move(key));
  }
  return out;
}

const Setting* setting_of_key(std::string_view key) {
  for (const Setting& row : kSettings) {
    const std::vector<std::string> keys = keys_of(row);
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return &row;
  }
  return nullptr;
}

std::vector<std::string> keys_of_commands() {
  std::vector<std::string> out;
  for (const Setting& row : kSettings) out.emplace_back(row.name);
  for (const ConfigKey& row : kConfigKeys) out.emplace_back(row.key);
  for (const Command& command : all_commands()) {
    for (const Flag& flag : command.flags) {
      out.push_back(key_of_flag(flag.name));
      if (flag.name.starts_with("--no-")) out.push_back(key_of_flag(flag.name).substr(3));
    }
  }
  std::erase(out, "config");
  return out;
}

const Flag* find_flag(std::span<const Flag> flags, std::string_view name) {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const Flag& flag) { return flag.name == name; });
  return found == flags.end() ? nullptr : &*found;
}

// A switch is given, or its opposite, or the flag under its other name.
bool is_given(const Arguments& arguments, const std::string& flag) {
  const std::string opposite = flag.starts_with("--no-") ? "--" + flag.substr(5) : "--no-" + flag.substr(2);
  if (arguments.has(flag) || arguments.has(opposite)) return true;
  return std::any_of(kSameFlags.begin(), kSameFlags.end(), [&](const SameFlags& row) {
    return (flag == row.one && arguments.has(row.other)) || (flag == row.other && arguments.has(row.one));
  });
}

}  // namespace

bool is_secret_name(std::string_view name) {
  return std::any_of(kSecretEnds.begin(), kSecretEnds.end(), [&](std::string_view end) { return name.ends_with(end); });
}

SettingSources system_sources() {
  const auto names = [] {
    std::vector<std::string> out;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) out.push_back(std::string(*entry).substr(0, std::string_view(*entry).find('=')));
    return out;
  };
  return {os::get_env, names, ".env"};
}

Settings::Settings() {
  for (const Setting& row : kSettings) values_.push_back({&row, row.kind == SettingKind::secret ? "not set" : std::string(row.otherwise), Origin::otherwise, "default"});
}

Result<Settings> Settings::load(const Arguments& arguments, const SettingSources& sources) {
  Settings out;
  out.sources_ = sources;
  KA_ASSIGN(out.env_file_, read_env_file(sources.env_file));
  KA_TRY(out.read_config_of(arguments));
  for (const Setting& row : kSettings) KA_TRY(out.resolve(row, arguments));
  out.collect_secrets();
  return out;
}

Status Settings::read_config_of(const Arguments& arguments) {
  if (!arguments.has("--config")) return ok();
  KA_ASSIGN(config_path_, arguments.required("--config"));
  Result<std::vector<ConfigEntry>> entries = read_config(config_path_);
  if (!entries) return entries.error().with("--config");
  config_ = std::move(*entries);
  const std::vector<std::string> known = keys_of_commands();
  for (const ConfigEntry& entry : config_) {
    const Setting* row = setting_of_key(entry.key);
    if (row != nullptr && row->kind == SettingKind::secret)
      return invalid_input(fmt::format("{}: line {}: a key does not belong into a config file; put {} into the environment or .env", config_path_, entry.line, row->variable));
    if (row != nullptr || std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    if (entry.key == "test_code" && entry.null) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    const std::optional<std::string> near = closest(entry.key, names);
    return invalid_input(fmt::format("{}: line {}: no command knows \"{}\"{}", config_path_, entry.line, entry.key, near ? fmt::format(" (did you mean \"{}\"?)", *near) : ""));
  }
  return ok();
}

Status Settings::resolve(const Setting& row, const Arguments& arguments) {
  SettingValue& out = values_[static_cast<std::size_t>(&row - kSettings.data())];
  const auto take = [&](Origin origin, const std::string& text, const std::string& where) -> Status {
    KA_ASSIGN(const std::string value, checked(row, text, where));
    out = {&row, row.kind == SettingKind::secret ? "set" : value, origin, where};
    return ok();
  };
  std::string flag;
  for (std::string_view rest = row.flags; !rest.empty(); take_word(rest)) {
    if (arguments.has_setting(first_word(rest))) flag = first_word(rest);
  }
  if (!flag.empty()) {
    if (row.kind == SettingKind::yes_no) return take(Origin::flag, row.otherwise == "yes" ? "no" : "yes", flag);
    KA_ASSIGN(const std::string text, arguments.required(flag));
    return take(Origin::flag, text, flag);
  }
  const std::string variable(row.variable);
  if (const std::optional<std::string> found = variable.empty() ? std::nullopt : lookup(variable)) {
    if (!sources_.environment(variable).value_or("").empty()) return take(Origin::environment, *found, variable + " in the environment");
    return take(Origin::env_file, *found, fmt::format("{} in {}, line {}", variable, sources_.env_file, env_file_.find(variable)->second.line));
  }
  const std::vector<std::string> keys = keys_of(row);
  std::size_t best = 0;
  for (const ConfigEntry& entry : config_) {
    const auto at = std::find(keys.begin(), keys.end(), entry.key);
    if (entry.null || at == keys.end() || (out.origin == Origin::config && static_cast<std::size_t>(at - keys.begin()) < best)) continue;
    best = static_cast<std::size_t>(at - keys.begin());
    KA_TRY(take(Origin::config, entry.value, fmt::format("{} in {}, line {}", entry.key, config_path_, entry.line)));
  }
  return ok();
}

void Settings::collect_secrets() {
  std::vector<std::string> names = sources_.names ? sources_.names() : std::vector<std::string>();
  for (const auto& [name, entry] : env_file_) names.push_back(name);
  for (const std::string& name : names) {
    if (!is_secret_name(name)) continue;
    if (const std::optional<std::string> value = sources_.environment(name)) secrets_.push_back(*value);
    if (const auto entry = env_file_.find(name); entry != env_file_.end()) secrets_.push_back(entry->second.value);
  }
}

const SettingValue& Settings::value(std::string_view name) const {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const SettingValue& value) { return value.row->name == name; });
  KA_CHECK(found != values_.end());
  return *found;
}

std::optional<double> Settings::number(std::string_view name) const {
  const std::string& word = value(name).text;
  double out = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), out);
  return word.empty() || code != std::errc() ? std::nullopt : std::optional(out);
}

LogLevel Settings::log_level() const { return parse_log_level(text("log_level")).value_or(LogLevel::info); }

std::optional<std::string> Settings::lookup(const std::string& variable) const {
  std::optional<std::string> found = sources_.environment ? sources_.environment(variable) : std::nullopt;
  if (found.value_or("").empty()) {
    const auto entry = env_file_.find(variable);
    found = entry == env_file_.end() ? std::nullopt : std::optional(entry->second.value);
  }
  if (found.value_or("").empty()) return std::nullopt;
  if (is_secret_name(variable) && std::find(kPlaceholders.begin(), kPlaceholders.end(), *found) != kPlaceholders.end()) return std::nullopt;
  return found;
}

Status Settings::fill(Arguments& arguments, std::span<const Flag> flags) const {
  for (const SettingValue& value : values_) {
    const Flag* flag = find_flag(flags, first_word(value.row->flags));
    if (value.origin != Origin::config || flag == nullptr || !flag->setting) continue;
    if (value.row->kind != SettingKind::yes_no) arguments.set(flag->name, value.text);
    else if (value.text != value.row->otherwise) arguments.set(flag->name, "");
  }
  for (const ConfigEntry& entry : config_) {
    const auto other = std::find_if(kConfigKeys.begin(), kConfigKeys.end(), [&](const ConfigKey& row) { return row.key == entry.key && !row.flag.empty(); });
    const std::string name = other == kConfigKeys.end() ? flag_of_key(entry.key) : std::string(other->flag);
    const Flag* flag = find_flag(flags, name);
    if (entry.null || (setting_of_key(entry.key) != nullptr && (flag == nullptr || flag->setting)) || is_given(arguments, name)) continue;
    const Flag* opposite = find_flag(flags, "--no-" + name.substr(2));
    if (flag != nullptr && !flag->value.empty()) {
      arguments.set(name, entry.value);
      continue;
    }
    if (flag == nullptr && opposite == nullptr) continue;  // of another command
    const std::optional<bool> word = yes_or_no(entry.value);
    if (!word) return neither_yes_nor_no(fmt::format("{}: line {}: {}", config_path_, entry.line, entry.key), entry.value);
    const bool yes = *word != (other != kConfigKeys.end() && other->turned);
    if (yes && flag != nullptr) arguments.set(name, "");
    if (!yes && opposite != nullptr) arguments.set(opposite->name, "");
  }
  return ok();
}

}  // namespace ka::app

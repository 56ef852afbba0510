// What the user has set, wherever it was said: a flag beats the environment, that beats .env in the working folder, that beats the config file, that
// beats the default. Keys are looked up here too; they are never shown, written or handed to a child.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/config_file.h"
#include "app/cli/env_file.h"
#include "app/cli/settings_table.h"
#include "base/event_log.h"

namespace ka::app {

enum class Origin { otherwise, config, env_file, environment, flag };

struct SettingValue {
  const Setting* row = nullptr;
  std::string text;  // of a yes_no: yes or no; of a level: its name in event_log.h
  Origin origin = Origin::otherwise;
  std::string where;  // "default", "--workers", "NUM_KERNEL_SEEDS in the environment", "my.yml, line 2"
};

// Where settings are looked for besides the flags; tests have others.
struct SettingSources {
  std::function<std::optional<std::string>(const std::string&)> environment;
  std::function<std::vector<std::string>()> names;  // of all variables of the environment
  std::string env_file = ".env";
};
SettingSources system_sources();

class Settings {
 public:
  Settings();  // the defaults
  // A value that its row does not accept, a key of the config file that no command knows, and a line of .env that cannot be read are invalid_input:
  // one sentence that says where it stands.
  static Result<Settings> load(const Arguments& arguments, const SettingSources& sources = system_sources());

  // By the name of the row; that there is such a row is the caller's promise.
  const SettingValue& value(std::string_view name) const;
  std::string text(std::string_view name) const { return value(name).text; }
  bool is(std::string_view name) const { return value(name).text == "yes"; }
  // Nothing where neither the user nor the row has one.
  std::optional<double> number(std::string_view name) const;
  LogLevel log_level() const;
  // In the order of the table. The text of a secret is "set" or "not set".
  std::span<const SettingValue> values() const { return values_; }

  // A variable, from the environment or else from .env. An empty one is none; a key that is only a placeholder ("your-api-key-here") neither.
  std::optional<std::string> lookup(const std::string& variable) const;
  // The values of all variables whose names end like those of keys, for a Redactor.
  const std::vector<std::string>& secrets() const { return secrets_; }

  // All that the config file says, in its order.
  std::span<const ConfigEntry> config() const { return config_; }
  // What the config file says about flags of this command that were not given.
  Status fill(Arguments& arguments, std::span<const Flag> flags) const;

 private:
  Status read_config_of(const Arguments& arguments);
  Status resolve(const Setting& row, const Arguments& arguments);
  void collect_secrets();
  SettingSources sources_;
  EnvFile env_file_;
  std::string config_path_;
  std::vector<ConfigEntry> config_;
  std::vector<SettingValue> values_;
  std::vector<std::string> secrets_;
};

// Does a variable of this name hold a key or a password?
bool is_secret_name(std::string_view name);

}  // namespace ka::app

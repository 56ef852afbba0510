// The sub-commands: one row each. Help, look-up, spelling suggestions and the parsing of flags all come from these rows.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/cancel.h"

namespace ka::app {

class Settings;

struct Flag {
  std::string_view name;   // "--problem"
  std::string_view value;  // what follows, for the help: "FILE"; empty for a switch
  std::string_view help;
  bool setting = false;  // it gives a setting (settings_table.h); a command may have a flag of its own that is spelt like one
};

// What the user wrote after the command's name, checked against its flags.
class Arguments {
 public:
  // Unknown flags (with a suggestion), missing and unexpected values are invalid_input.
  static Result<Arguments> parse(std::span<const std::string> words, std::span<const Flag> flags);

  bool has(std::string_view flag) const;
  // Given, and as a setting.
  bool has_setting(std::string_view flag) const { return setting_flags_.contains(flag); }
  std::string text(std::string_view flag, std::string otherwise = "") const;
  Result<std::string> required(std::string_view flag) const;
  // The flags, but for these, and the plain words again as words.
  std::vector<std::string> words(std::span<const std::string_view> without, std::initializer_list<std::string_view> nor = {}) const;
  // Takes these flags over from others, where they have them.
  void take(const Arguments& others, std::span<const std::string_view> flags);
  Result<double> number(std::string_view flag, double otherwise) const;
  Result<std::uint64_t> whole_number(std::string_view flag, std::uint64_t otherwise) const;
  // One of a few words; the error names them.
  Result<std::string> choice(std::string_view flag, std::string otherwise,
                             std::span<const std::string_view> accepted) const;
  const std::vector<std::string>& positional() const { return positional_; }

  void set(std::string_view flag, std::string value) { values_[std::string(flag)] = std::move(value); }
  void drop(std::string_view flag);
  void drop_positional() { positional_.clear(); }
  // What the user has set, these flags included (settings.h); the defaults where nothing was attached.
  const Settings& settings() const;
  void attach(std::shared_ptr<const Settings> settings) { settings_ = std::move(settings); }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> setting_flags_;
  std::vector<std::string> positional_;
  std::shared_ptr<const Settings> settings_;
};

struct AppContext {
  os::CancelToken cancel;
};

struct Command {
  std::string_view name;
  std::string_view summary;  // one line of the help
  std::string_view usage;    // after the name: "--problem P.py --kernel K.py [flags]"
  std::span<const Flag> flags;
  // The exit code, or an error that decides it. Null: not there yet.
  Result<int> (*run)(const Arguments& arguments, AppContext& context);
};

// In the order of the help text.
std::span<const Command> all_commands();
const Command* find_command(std::string_view name);

// `kernelagent --help`, `kernelagent NAME --help`.
std::string help_text();
std::string help_text(const Command& command);

// The whole program: prints, returns the exit code.
int run_program(std::span<const std::string> words);

}  // namespace ka::app

// What a config file says to optimize beside its flags: which keys mean nothing here, and whether anything is timed at all.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"

namespace ka::app {

// One line for each key that is accepted and does nothing, in the order of the file.
std::vector<std::string> config_notes(const Arguments& arguments);

// --platform noop, or a file that says so for the part that times or the one that searches. A platform that is neither nvidia nor noop is invalid_input.
Result<bool> is_dry_run(const Arguments& arguments);

// A dry run: the kernel is judged and returned.
Result<int> run_dry(const Arguments& arguments, AppContext& context);

}  // namespace ka::app

// What the commands that write kernels are asked for, from their flags.
#pragma once

#include <string>

#include "app/cli/command.h"
#include "base/event_log.h"
#include "pipeline/generate.h"

namespace ka::app {

struct Request {
  verify::ProblemSource problem;
  verify::JudgeOptions options;
  pipeline::GenerateChoices choices;
  std::string command;  // the command line, as far as it says what is asked for
};

Result<Request> request_of(const Arguments& arguments, const std::string& command);
// Without a problem.
Result<Request> options_of(const Arguments& arguments);
// --dispatch-jobs or --jobs; 0 for auto.
Result<std::size_t> jobs_of(const Arguments& arguments);
// Progress on stderr where somebody looks, or with --verbose.
void watch(const Arguments& arguments, EventLog& log);
// The sentence, and exit code 1: not the user's mistake, and not done.
int not_achieved(const char* command, const Error& error);

}  // namespace ka::app

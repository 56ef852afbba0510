// Problems in plain words on the command line: telling them from files, their programs, and what is shown and kept of both.
#pragma once

#include "app/cli/command.h"
#include "app/cli/request.h"
#include "app/cli/run_output.h"
#include "base/json.h"

namespace ka::app {

// Of generate, auto and pipeline: a plain word that names a file becomes --problem, a sentence stays the only plain word. More than one problem and an empty text are
// invalid_input.
Status settle_problem(Arguments& arguments);

// Nothing to do where the request is about a file. Else the sentence becomes the problem, which lies in the run directory: by rule, or by the model of the settings where
// the rules do not understand it. `go_on`: a run that is there and was given the same sentence has the program already, and nobody is asked again.
Status understand_sentence(Request& request, const Arguments& arguments, RunOutput& output, bool go_on, const os::CancelToken& cancel);

// Shows the program (not with --json) and writes it, with these further artefacts, before anything is done with it. Nothing to do where the request is about a file.
Status show_and_keep_program(const Request& request, const Arguments& arguments, RunOutput& output, const std::map<std::string, std::string>& further = {});
// The fields sentence, understood and problem_code of what --json prints.
void add_program(const Request& request, Json& json);

}  // namespace ka::app

// What an earlier run of auto or pipeline was asked for, from its folder: to go on with it, or to do it again.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"
#include "model/run_directory.h"

namespace ka::app {

// Below the run directory.
inline constexpr const char* kRequestFile = "request.json";
inline constexpr const char* kProblemFile = "problem.py";

struct EarlierRun {
  std::string folder;
  std::vector<std::string> words;
  std::string problem_text;
};

// `run`: its id or folder. `flag` begins the error.
Result<EarlierRun> earlier_run(const std::string& run, const std::string& flag = "--resume");

// Its words, with what the new command may say anew, and what else it says (`also`).
Result<Arguments> asked_again(const EarlierRun& run, const Arguments& given, std::initializer_list<std::string_view> also);

// Where the problem's file is not what it was then, the words name the copy in the run's folder.
void use_its_problem(EarlierRun& run);

// Steps that are finished are not done again, so --out must not name a run of something else.
Status check_same_job(const model::RunDirectory& directory, const Arguments& arguments, const std::string& problem_text);

}  // namespace ka::app

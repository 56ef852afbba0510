// What an earlier run of auto or pipeline was asked for, from its folder: to go on with it, or to do it again.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command.h"
#include "model/run_directory.h"

namespace ka::app {

// Below the run directory.
inline constexpr const char* kRequestFile = "request.json";
inline constexpr const char* kProblemFile = "problem.py";

// Of one command and not of its job: what is printed, and how far it goes. Whoever goes on says it anew.
inline constexpr auto kOfOneCommand = std::to_array<std::string_view>({"--json", "--explain", "--verbose", "--log-level", "--max-minutes", "--max-attempts", "--max-tokens-total", "--max-dollars"});

// The folder of a run that `flag` names by its id or folder.
Result<std::string> run_folder(const std::string& run, const std::string& flag);

struct EarlierRun {
  std::string folder;
  std::vector<std::string> words;
  std::string problem_text;
};

// `run`: its id or folder. `flag` begins the error.
Result<EarlierRun> earlier_run(const std::string& run, const std::string& flag = "--resume");

// Its words, with what the new command may say anew: kOfOneCommand, --dispatch-jobs, and these.
Result<Arguments> asked_again(const EarlierRun& run, const Arguments& given, std::span<const std::string_view> also);

// Where the problem's file is not what it was then, the words name the copy in the run's folder.
void use_its_problem(EarlierRun& run);

// Steps that are finished are not done again, so --out must not name a run of something else.
Status check_same_job(const model::RunDirectory& directory, const Arguments& arguments, const std::string& problem_text);

}  // namespace ka::app

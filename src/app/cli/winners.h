// The store of winners and the commands: who may take a kernel out of it, and how a search puts one in.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/request.h"
#include "pipeline/winners.h"

namespace ka::app {

inline constexpr const char* kTakenFile = "taken_winner.json";  // of a run that found a winner in the store
inline constexpr const char* kWinnerFile = "winner.json";       // of a search that has put one in

// The title of the GPU of this machine, as the table of GPUs has it where it knows it; empty: there is none.
std::string gpu_here();

// Whose winners a command may take: those of the GPU that it writes for. What the interpreter has timed serves only who asks for --device cpu.
Result<pipeline::WinnerSide> winner_side(const Arguments& arguments, const Request& request, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);

// What a search ended with.
struct SearchEnd {
  const verify::ProblemSource& problem;
  const verify::JudgeOptions& judge;
  std::string kernel, run_id;
  double input_ms = 0, best_ms = 0, floor_ms = 0;
  std::vector<std::string> moves;
  model::Versions versions;
  std::string entry;
};
Result<store::Winner> winner_of(const SearchEnd& end, const pipeline::Means& means);
// Puts it in. What became of it, as a sentence; nothing that goes wrong here is the search's fault.
std::string remember_winner(const store::Winner& winner, const std::string& store);

// kernelagent runs winners.
Result<int> run_winners(const Arguments& arguments, const std::string& root);

}  // namespace ka::app

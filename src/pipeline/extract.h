// From a program to the parts that it is made of: subgraphs.json, and the program written anew in terms of these parts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/program.h"
#include "model/subgraph.h"
#include "pipeline/dispatch.h"
#include "pipeline/generate.h"

namespace ka::pipeline {

// Below the run directory.
inline constexpr const char* kProgramFile = "orchestrator/program.json";
inline constexpr const char* kSubgraphsFile = "subgraphs.json";

// How the program is made of its parts, beside the calls that the parts know.
struct Frame {
  std::vector<std::string> inputs;                             // of kernel_function, in order
  std::vector<std::pair<std::string, std::string>> weights;    // name in state_dict, keyword; those that a part takes
  std::string returns;                                         // as Python, over values
};
Frame frame_of(const graph::Exported& exported, const std::vector<model::Subgraph>& subgraphs);

struct Extracted {
  std::vector<model::Subgraph> subgraphs;  // unique ones, in the order of their first calls
  Frame frame;
  std::string code;      // the refactored program: one module per subgraph
  std::string no_check;  // why it was not held against the original; empty when it computes the same
};

// Executes the refactored program beside the original and goes no further where they differ.
struct OpenProgram;
Result<Extracted> extract(const verify::ProblemSource& problem, OpenProgram& program, std::uint64_t seed, const os::CancelToken& cancel);

// A program that was planned as a whole, and the process that has it.
struct OpenProgram {
  ProgramSide side;
  Generated whole;
  std::vector<ir::Part> parts;  // where it would be cut
};
Result<OpenProgram> plan_program(const verify::ProblemSource& problem, const DispatchOptions& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel, EventLog* log);

// The stage by itself: files by their names below the run directory.
struct ExtractFiles {
  std::map<std::string, std::string> files;  // route.json, graph.txt, orchestrator/code.py.tgz, orchestrator/program.json, subgraphs.json
  Extracted extracted;
};
Result<ExtractFiles> extract_files(const verify::ProblemSource& problem, const DispatchOptions& options, OpenProgram& program, const os::CancelToken& cancel, EventLog* log);

std::string frame_text(const Frame& frame);
Result<Frame> read_frame(std::string_view text, const std::string& path);

}  // namespace ka::pipeline

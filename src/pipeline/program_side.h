// The process that has a program, and what it has said about it. PyTorch's export takes longer than everything else that is done for a small
// program, and says the same about the same text every time: what was said is kept in a folder, and the process is started when something new is asked.
//
// docs/pipeline.md says what an entry depends on. One that is damaged counts for nothing; a kernel that was written from a wrong one is refused by the judge.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "bridge/warm_interpreter.h"
#include "os/cancel.h"
#include "verify/judge.h"
#include "verify/reference_side.h"

namespace ka::pipeline {

inline constexpr const char* kExportCache = ".fuse/exports";
inline constexpr std::size_t kMostExports = 64;  // files in the folder; the oldest ones go

// Whether all that a text imports comes with PyTorch or with Python: another package may say something else tomorrow.
bool imports_only_known(std::string_view text);

class ProgramSide {
 public:
  // `cache`: a folder, or empty: nothing is kept. Starts the process unless an earlier one has answered already.
  static Result<ProgramSide> open(const verify::ProblemSource& problem, const verify::JudgeOptions& options, const std::string& cache, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);

  // As of verify::ReferenceSide.
  Result<std::string> source_facts(const os::CancelToken& cancel);
  Result<std::string> export_graphs(std::span<const std::string> operators, const os::CancelToken& cancel);
  Result<std::string> syntax_error(const std::string& text, const os::CancelToken& cancel);
  Result<std::string> compare_refactored(const std::string& text, std::uint64_t seed, std::chrono::milliseconds limit, const os::CancelToken& cancel);

  bool has_process() const { return process_.has_value(); }

 private:
  // What was said; empty texts: nothing yet.
  struct Said {
    std::string facts, graphs;
    std::set<std::string> python, same;  // hashes of texts that are Python, and of texts that compute what the program computes
  };

  ProgramSide(verify::ProblemSource problem, verify::ReferenceOptions options, bridge::WarmInterpreter& interpreter) : problem_(std::move(problem)), options_(std::move(options)), interpreter_(&interpreter) {}
  Result<verify::ReferenceSide*> process(const os::CancelToken& cancel);
  void read();
  void keep() const;

  verify::ProblemSource problem_;
  verify::ReferenceOptions options_;
  bridge::WarmInterpreter* interpreter_;
  std::optional<verify::ReferenceSide> process_;
  std::string path_;  // of the entry; empty: nothing is kept
  Said said_;
};

}  // namespace ka::pipeline

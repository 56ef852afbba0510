// The success rule where a test script exists: it must exit with 0 and print PASS or the sentinel, in addition to the
// judge's own verdict (docs/judge.md). The script runs in a sandboxed process of its own.
#pragma once

#include <optional>

#include "base/result.h"
#include "bridge/warm_interpreter.h"
#include "verify/candidate_side.h"
#include "verify/reference_side.h"

namespace ka::verify {

struct TestScript {
  std::string path;
  std::string text;
};

// Nothing when the script passes. `seed` seeds the script's random numbers; the sentinel is drawn afresh.
Result<std::optional<Refusal>> run_test_script(const TestScript& script, const KernelSource& kernel,
                                               const ProblemSource& problem, std::uint64_t seed,
                                               const CandidateOptions& options, bridge::WarmInterpreter& interpreter,
                                               const os::CancelToken& cancel);

}  // namespace ka::verify

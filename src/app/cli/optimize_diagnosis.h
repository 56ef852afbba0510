// What holds the programs of a search back, by what their compiled code says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bridge/warm_interpreter.h"
#include "ir/gpu.h"
#include "model/diagnosis.h"
#include "optimise/search.h"
#include "verify/judge.h"

namespace ka::app {

// Looks at each program once. Nothing is said about one that cannot be compiled.
class Diagnoses {
 public:
  // Keeps references. `override`: the category that is taken for the only one; empty: none is.
  Diagnoses(const verify::ProblemSource& problem, const verify::JudgeOptions& judge, std::string override, ir::Gpu gpu, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel)
      : problem_(problem), judge_(judge), override_(std::move(override)), gpu_(std::move(gpu)), interpreter_(interpreter), cancel_(cancel) {}
  // The worst first.
  const std::vector<model::Bottleneck>& of(const optimise::Program& program);
  // Their categories, each once.
  std::vector<std::string> categories(const optimise::Program& program);

 private:
  std::vector<model::Bottleneck> look(const std::string& text) const;
  const verify::ProblemSource& problem_;
  const verify::JudgeOptions& judge_;
  std::string override_;
  ir::Gpu gpu_;
  bridge::WarmInterpreter& interpreter_;
  const os::CancelToken& cancel_;
  std::map<std::string, std::vector<model::Bottleneck>> known_;  // by text
};

}  // namespace ka::app

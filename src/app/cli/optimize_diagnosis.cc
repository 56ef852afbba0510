#include "app/cli/optimize_diagnosis.h"

#include <algorithm>

#include "optimise/diagnose.h"
#include "profile/static_facts.h"

namespace ka::app {

std::vector<model::Bottleneck> Diagnoses::look(const std::string& text) const {
  if (!override_.empty()) {
    model::Bottleneck given;
    given.category = override_;
    return {given};
  }
  profile::StaticOptions options;
  options.gpu = gpu_;
  options.limit = judge_.limit;
  options.limits = judge_.limits;
  const Result<model::Profile> profile = profile::static_profile({problem_.path, problem_.object, problem_.text, problem_.mode, "kernel.py", text, judge_.entry}, options, interpreter_, cancel_);
  return profile ? optimise::diagnose(*profile).bottlenecks : std::vector<model::Bottleneck>();
}

const std::vector<model::Bottleneck>& Diagnoses::of(const optimise::Program& program) {
  const auto found = known_.find(program.text);
  return found != known_.end() ? found->second : known_.emplace(program.text, look(program.text)).first->second;
}

std::vector<std::string> Diagnoses::categories(const optimise::Program& program) {
  std::vector<std::string> out;
  for (const model::Bottleneck& one : of(program)) {
    if (std::find(out.begin(), out.end(), one.category) == out.end()) out.push_back(one.category);
  }
  return out;
}

}  // namespace ka::app

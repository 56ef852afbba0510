// The judge and the clock of this machine, for the search (optimise/search.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/timing.h"
#include "optimise/search.h"
#include "pipeline/judging.h"

namespace ka::pipeline {

class MachineDevice : public optimise::Device {
 public:
  // `jobs`: kernels that are judged at a time. A judge that uses the GPU takes a place on it, a timing takes all of it. Candidates are judged at sizes at which that is cheap:
  // whoever uses the winner has it judged at the given ones.
  MachineDevice(verify::ProblemSource problem, verify::JudgeOptions judge, std::size_t jobs, const Means& means)
      : problem_(std::move(problem)), judge_(std::move(judge)), jobs_(jobs), means_(means) { judge_.sample_given = false; }

  Result<std::vector<optimise::Judged>> judge(const std::vector<std::string>& texts) override;
  Result<optimise::Samples> time(const std::vector<std::string>& texts, optimise::Effort effort) override;

  // Every sample that was taken so far, in order.
  const std::vector<model::Timing>& timings() const { return timings_; }

 private:
  struct Known {
    std::string entry, tier;
  };
  verify::ProblemSource problem_;
  verify::JudgeOptions judge_;
  std::size_t jobs_;
  const Means& means_;
  std::map<std::string, Known> known_;  // by text: what the judge found
  std::vector<model::Timing> timings_;
};

}  // namespace ka::pipeline

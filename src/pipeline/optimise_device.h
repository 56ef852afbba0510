// The judge and the clock of this machine, for the search (optimise/search.h).
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "model/timing.h"
#include "optimise/search.h"
#include "pipeline/judging.h"

namespace ka::pipeline {

class MachineDevice : public optimise::Device {
 public:
  // `jobs`: kernels that are judged at a time. A judge that uses the GPU takes a place on it, a timing takes all of it. `arch`: the compute capability by whose code kernels are
  // told apart. Candidates are judged at sizes at which that is cheap: whoever uses the winner has it judged at the given ones.
  MachineDevice(verify::ProblemSource problem, verify::JudgeOptions judge, std::size_t jobs, const Means& means, int arch = 90)
      : problem_(std::move(problem)), judge_(std::move(judge)), jobs_(jobs), means_(means), arch_(arch) {
    judge_.sample_given = false;
  }

  // At the limit what is being judged is broken off.
  Result<std::vector<optimise::Judged>> judge(const std::vector<std::string>& texts, const optimise::Limit& limit) override;
  Result<optimise::Samples> time(const std::vector<std::string>& texts, optimise::Effort effort) override;

  // Every sample that was taken so far, in order.
  const std::vector<model::Timing>& timings() const { return timings_; }

 private:
  struct Known {
    std::string entry, tier;
  };
  Result<optimise::Judged> judge_one(const std::string& text, std::size_t number, const Means& means);
  Result<std::string> code_of(const std::string& text, const os::CancelToken& cancel) const;
  verify::ProblemSource problem_;
  verify::JudgeOptions judge_;
  std::size_t jobs_;
  const Means& means_;
  int arch_;
  std::mutex mutex_;  // guards the next two while kernels are judged
  std::map<std::string, Known> known_;  // by text: what the judge found
  std::map<std::string, std::pair<optimise::Judged, Known>> codes_;  // by code: the same; it is not asked again about what compiles to the same
  std::vector<model::Timing> timings_;
};

}  // namespace ka::pipeline

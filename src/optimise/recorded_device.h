// A device, and a proposer, that answer from a recording: no GPU, no Python, the same answers every time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "optimise/recording.h"

namespace ka::optimise {

// Keeps a reference to the recording.
class RecordedDevice : public Device {
 public:
  explicit RecordedDevice(const Recording& recording);
  // A text that the recording does not have is refused.
  Result<std::vector<Judged>> judge(const std::vector<std::string>& texts, const Limit&) override;
  // A set that was timed together gets exactly its samples. One that was not is put together from the sets in which each of it was: a sample keeps its ratio to what it was
  // paired with. Who has no samples crashed, or took all down where that was seen.
  Result<Samples> time(const std::vector<std::string>& texts, Effort effort) override;

 private:
  // A text's samples over those of the first text of the recording, and in which lengths of timing they were seen.
  struct Ratios {
    std::vector<double> brief, full;
  };
  const std::vector<double>& ratios_of(std::size_t text, Effort effort) const;
  void learn(const Recording::Timing& timing);

  const Recording& recording_;
  std::map<std::string, std::size_t> numbers_;
  std::map<std::size_t, Ratios> ratios_;
  std::vector<double> brief_, full_;          // of the first text
  std::map<std::size_t, std::string> killers_;  // texts that were timed only in sets that went down
};

// What was proposed for a program in the same round; else all that was ever proposed for it and has not been tried. `models`: also by language models.
class RecordedProposer : public Proposer {
 public:
  explicit RecordedProposer(const Recording& recording, bool models = true) : recording_(recording), models_(models) {}
  Result<std::vector<Move>> propose(const Program& program, const State& state, int bottlenecks) override;
  std::string silent() const override { return models_ ? silent_ : ""; }

 private:
  const Recording& recording_;
  bool models_;
  std::string silent_;
};

}  // namespace ka::optimise

#include "optimise/recorded_device.h"

#include <algorithm>

#include "base/statistics.h"

namespace ka::optimise {
namespace {

std::vector<double> over(const std::vector<double>& samples, const std::vector<double>& paired, double times) {
  std::vector<double> out;
  for (std::size_t i = 0; i < std::min(samples.size(), paired.size()); ++i) out.push_back(samples[i] / paired[i] * times);
  return out;
}

}  // namespace

RecordedDevice::RecordedDevice(const Recording& recording) : recording_(recording) {
  for (std::size_t i = 0; i < recording.texts.size(); ++i) numbers_.emplace(recording.texts[i], i);
  for (const Recording::Timing& timing : recording.timings) learn(timing);
  for (const Recording::Timing& timing : recording.timings) {
    if (!timing.error || timing.texts.size() > 2) continue;  // of two, the first is known to be good
    for (const std::size_t text : timing.texts) {
      if (!ratios_.contains(text)) killers_.emplace(text, *timing.error);
    }
  }
}

// The first text of a set has been timed beside the first of all, or is it: sets are about the input and the best.
void RecordedDevice::learn(const Recording::Timing& timing) {
  if (timing.samples.empty() || timing.samples[0].empty()) return;
  const std::vector<double>& paired = timing.samples[0];
  if (ratios_.empty()) ratios_[timing.texts[0]].full = std::vector<double>(paired.size(), 1);
  const auto reference = ratios_.find(timing.texts[0]);
  if (reference == ratios_.end()) return;
  const std::vector<double>& known = reference->second.full.empty() ? reference->second.brief : reference->second.full;
  const double times = median(known);
  const bool brief = timing.effort == Effort::brief;
  if (std::vector<double>& base = brief ? brief_ : full_; base.empty()) base = over(paired, std::vector<double>(paired.size(), times), 1);
  for (std::size_t i = 0; i < timing.texts.size(); ++i) {
    if (timing.samples[i].empty()) continue;
    std::vector<double>& out = brief ? ratios_[timing.texts[i]].brief : ratios_[timing.texts[i]].full;
    if (out.empty()) out = over(timing.samples[i], paired, times);
  }
}

const std::vector<double>& RecordedDevice::ratios_of(std::size_t text, Effort effort) const {
  static const std::vector<double> none;
  const auto found = ratios_.find(text);
  if (found == ratios_.end()) return none;
  const std::vector<double>&first = effort == Effort::brief ? found->second.brief : found->second.full, &other = effort == Effort::brief ? found->second.full : found->second.brief;
  return first.empty() ? other : first;
}

Result<std::vector<Judged>> RecordedDevice::judge(const std::vector<std::string>& texts, const Limit&) {
  std::vector<Judged> out;
  for (const std::string& text : texts) {
    const auto number = numbers_.find(text);
    const auto found = number == numbers_.end() ? recording_.judged.end() : recording_.judged.find(number->second);
    out.push_back(found == recording_.judged.end() ? Judged{false, "the recording does not have it", ""} : found->second);
  }
  return out;
}

Result<Samples> RecordedDevice::time(const std::vector<std::string>& texts, Effort effort) {
  std::vector<std::size_t> numbers;
  for (const std::string& text : texts) {
    const auto number = numbers_.find(text);
    if (number == numbers_.end()) return invalid_input("the recording has no times of a kernel that is to be timed");
    numbers.push_back(number->second);
  }
  for (const Recording::Timing& timing : recording_.timings) {
    if (timing.effort != effort || timing.texts != numbers) continue;
    if (timing.error) return environment_error(*timing.error);
    return timing.samples;
  }
  const std::vector<double>& base = (effort != Effort::brief && !full_.empty()) || brief_.empty() ? full_ : brief_;
  Samples out(texts.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (const auto killer = killers_.find(numbers[i]); killer != killers_.end()) return environment_error(killer->second);
    const std::vector<double>& ratios = ratios_of(numbers[i], effort);
    for (std::size_t round = 0; round < base.size() && !ratios.empty(); ++round) out[i].push_back(base[round] * ratios[round % ratios.size()]);
  }
  return out;
}

Result<std::vector<Move>> RecordedProposer::propose(const Program& program, const State& state, int) {
  std::optional<std::vector<Move>> same;
  std::vector<Move> untried;
  for (const Recording::Proposal& proposal : recording_.proposals) {
    if (recording_.texts[proposal.program] != program.text) continue;
    std::vector<Move> moves;
    for (const Recording::RecordedMove& move : proposal.moves) {
      if (!move.by.empty() && !models_) continue;
      moves.push_back({move.text ? recording_.texts[*move.text] : "", move.what, move.bottleneck, move.by, move.expected, move.refused, move.anew});
      if (move.text && !state.texts.contains(text_identity(moves.back().text))) untried.push_back(moves.back());
    }
    if (proposal.round != state.round || same) continue;
    same = std::move(moves);
    silent_ = proposal.silent;
  }
  return same ? *same : untried;
}

}  // namespace ka::optimise

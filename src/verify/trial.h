// One trial of one kernel: what it knows, and the steps that judge.cc puts in order. Internal to the judge.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "verify/candidate_side.h"
#include "verify/judge.h"
#include "verify/reference_side.h"

namespace ka::verify {

using MaybeRefusal = std::optional<Refusal>;

inline constexpr std::uint64_t kSeedMask = (std::uint64_t{1} << 62) - 1;

inline bool runs_in_interpreter(const JudgeOptions& options) { return options.device == "cpu"; }

class Trial {
 public:
  // `given_sizes`: one draw at the sizes that were given, for a kernel that has passed a whole trial at smaller ones.
  Trial(const ProblemSource& problem, const KernelSource& kernel, const JudgeOptions& options, JudgeContext& context,
        bool given_sizes = false)
      : problem_(problem), kernel_(kernel), options_(options), context_(context), given_sizes_(given_sizes),
        begin_(std::chrono::steady_clock::now()) {}

  Result<model::Verdict> run();

 private:
  Status prepare();
  Result<MaybeRefusal> read_sources();
  Result<std::variant<KernelFacts, Refusal>> read_kernel();
  CandidateOptions candidate_options() const;
  int kernels_in_text() const;
  Result<MaybeRefusal> run_candidate(CandidateSide& candidate);
  Result<MaybeRefusal> first_draw(CandidateSide& candidate);
  Result<MaybeRefusal> other_configs(CandidateSide& candidate);
  Result<MaybeRefusal> other_draws(CandidateSide& candidate);
  Result<MaybeRefusal> first_call_again(CandidateSide& candidate);
  Status variants(CandidateSide& candidate);
  Result<MaybeRefusal> compile_given(const std::string& launches);
  void start_given();
  Result<MaybeRefusal> given_sizes(CandidateSide& candidate);
  Result<MaybeRefusal> given_programs(CandidateSide& candidate, const GivenDraw& drawn);
  MaybeRefusal failed_there(Refusal refusal);
  Result<MaybeRefusal> check_sampled(const SampledPrograms& seen, const GivenDraw& drawn);
  Result<MaybeRefusal> hidden_configs(CandidateSide& candidate, const std::vector<std::string>& hidden);
  Result<MaybeRefusal> run_once(CandidateSide& candidate, const RunRequest& request, RunOutcome& outcome);
  Result<MaybeRefusal> numbers(const RunOutcome& outcome, const Draw& draw);
  Result<bool> within(const char* tier, const RunOutcome& outcome, const Draw& draw);
  Result<bool> is_chance(const MaybeRefusal& refusal, const RunOutcome& outcome, const Draw& draw);
  Result<std::string> explaining_tier(const RunOutcome& outcome, const Draw& draw);
  struct OtherDraws {
    std::vector<Draw> draws, variants;
    std::string distributions;  // ", normal, wide"
  };
  Status take_first_draw();
  Result<OtherDraws> take_other_draws() const;
  Status join_other_draws();
  Result<Draw> draw(const std::string& distribution, const std::string& variant, std::uint64_t number) const;
  void note(std::string name, std::int64_t count, std::string text);
  void start_compile();
  Result<MaybeRefusal> finish_compile();
  Result<MaybeRefusal> run_test();
  void note_replays();
  void record_launches(const std::string& launches);
  os::SandboxRequest sandbox() const;
  void refuse(const Refusal& refusal);
  void report() const;
  std::string reproduce() const;
  void time(const char* name, std::chrono::steady_clock::time_point since);

  const ProblemSource& problem_;
  const KernelSource& kernel_;
  const JudgeOptions& options_;
  JudgeContext& context_;
  const bool given_sizes_;
  std::chrono::steady_clock::time_point begin_;
  model::Verdict verdict_;
  KernelFacts facts_;
  std::unique_ptr<ReferenceSide> reference_;
  std::unique_ptr<CandidateSide> candidate_;
  std::future<Result<bridge::Child>> compiler_;  // a process for the compiler, not yet asked anything
  std::string tier_;
  bool noise_noted_ = false;
  std::vector<Draw> draws_, variant_draws_;
  std::vector<std::string> launches_;  // distinct ones, as JSON
  RunOutcome first_;
  std::string state_;  // the first sign that something kept between calls has changed
  double kernel_seconds_ = 0;
  std::int64_t replays_ = 0;
  int configs_ = 1;
  std::future<Result<CompileReport>> compile_;
  std::future<Result<GivenDraw>> given_;
  std::future<Result<OtherDraws>> drawing_;  // the last members: joined before the others are destroyed
};

}  // namespace ka::verify

// The calls that a trial makes of the candidate, and what must hold after each.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/strings.h"
#include "verify/checks.h"
#include "verify/rules.h"
#include "verify/trial.h"

namespace ka::verify {
namespace {

constexpr const char* kOtherRounding =
    "\nthis call was computed with the roundings and orders that a GPU may choose: fused multiply-add, approximate division and "
    "functions, sums in another order (docs/interpreter.md)";

}  // namespace

void Trial::record_launches(const std::string& launches) {
  for (const Json& launch : Json::parse(launches, nullptr, false)) {
    std::string text = launch.dump();
    if (std::find(launches_.begin(), launches_.end(), text) == launches_.end()) launches_.push_back(std::move(text));
  }
}

Result<MaybeRefusal> Trial::run_once(CandidateSide& candidate, const RunRequest& request, RunOutcome& outcome) {
  const auto since = std::chrono::steady_clock::now();
  KA_ASSIGN(auto answer, candidate.run(request, context_.cancel));
  if (Refusal* refused = std::get_if<Refusal>(&answer); refused && refused->rule == kOrderImpossible) {
    RunRequest forward = request;
    forward.order = "forward";
    KA_ASSIGN(answer, candidate.run(forward, context_.cancel));
  }
  time("candidate", since);
  if (Refusal* refusal = std::get_if<Refusal>(&answer)) return MaybeRefusal(std::move(*refusal));
  outcome = std::get<RunOutcome>(std::move(answer));
  kernel_seconds_ += outcome.seconds;
  replays_ = std::max(replays_, outcome.replays);
  if (state_.empty() && !outcome.state.empty()) state_ = outcome.state.front();
  // The driver starts threads with the first launches, so on a GPU only a repeated call can show the kernel's own.
  const bool own_threads = runs_in_interpreter(options_) ? outcome.threads > 1 || candidate.extra_tasks() > 0
                                                 : outcome.threads > 1 && request.reuse;
  if (own_threads) return MaybeRefusal(Refusal{"guard.process", ""});
  if (MaybeRefusal refusal = check_contract(outcome, *request.draw, reference_->facts())) return refusal;
  return check_guard(outcome);
}

// Whether the answer would be good enough in another tier. Asked only about a kernel that is refused otherwise.
Result<bool> Trial::within(const char* tier, const RunOutcome& outcome, const Draw& draw) {
  if (drawing_.valid()) drawing_.wait();  // the reference answers one question at a time
  if (given_.valid()) given_.wait();
  DrawRequest request = draw.request;
  request.tier = tier;
  KA_ASSIGN(Draw emulated, reference_->draw(request, context_.cancel));
  model::Verdict aside;
  return emulated.applicable && !check_numbers(outcome, emulated, aside);
}

// The first coarser tier whose operands explain the error, or nothing.
Result<std::string> Trial::explaining_tier(const RunOutcome& outcome, const Draw& draw) {
  for (const char* tier : {"tf32", "half"}) {
    if (tier_ == tier) continue;
    KA_ASSIGN(const bool fits, within(tier, outcome, draw));
    if (fits) return std::string(tier);
  }
  return std::string();
}

// So many tolerances may an element be off where the noise of the program is that large. A step that a rounding decides about is larger.
constexpr double kNoisyTolerance = 8;

// Whether PyTorch was lucky rather than the kernel wrong: the error is no larger than the noise of the program itself (docs/precision.md).
Result<bool> Trial::is_chance(const MaybeRefusal& refusal, const RunOutcome& outcome, const Draw& draw) {
  if (!refusal || tier_ != "fp32") return false;
  if (refusal->rule == "result.precision") return within("last_bits", outcome, draw);
  if (refusal->rule != "result.mismatch") return false;
  model::Verdict aside;
  const MaybeRefusal far = check_numbers(outcome, draw, aside, kNoisyTolerance);
  if (far && far->rule != "result.precision") return false;
  return within("last_bits", outcome, draw);
}

Result<MaybeRefusal> Trial::numbers(const RunOutcome& outcome, const Draw& draw) {
  MaybeRefusal refusal = check_numbers(outcome, draw, verdict_);
  const bool off = refusal && (refusal->rule == "result.mismatch" || refusal->rule == "result.precision");
  KA_ASSIGN(const bool lucky, is_chance(refusal, outcome, draw));
  if (lucky) {
    if (!std::exchange(noise_noted_, true))
      note("last bits", 1, fmt::format("inputs \"{}\": PyTorch's own error happens to be small; the kernel's is what a change of the last bit of inputs and weights does", draw.request.distribution));
    return MaybeRefusal();
  }
  if (off && reference_->facts().draws_random)
    refusal->detail += "\nforward draws random numbers: the kernel must draw the same ones, on the host, by the same calls of torch (torch.rand_like ...)";
  if (!off || !reference_->facts().has_contraction || tier_ == "half") return refusal;
  KA_ASSIGN(const std::string tier, explaining_tier(outcome, draw));
  if (tier.empty()) return refusal;
  return MaybeRefusal(Refusal{"result.precision", fmt::format("the error is no larger than that of {} operands, which --precision {} allows; this program is "
                                                              "judged as {}\n{}", tier == "half" ? "bfloat16" : "TF32", tier, tier_, refusal->detail)});
}

Result<MaybeRefusal> Trial::first_draw(CandidateSide& candidate) {
  RunOutcome& first = first_;
  KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[0], "nan", 0, false, "forward"}, first));
  if (refusal) return refusal;
  configs_ = first.configs;
  record_launches(first.launches);
  // Atomics may change the last bits with the order of programs, but not the answer: one more order, for them.
  const int repeats = options_.repeats + (facts_.uses_atomics && runs_in_interpreter(options_) ? 1 : 0);
  for (int k = 1; k < repeats; ++k) {
    RunOutcome again;
    const char* order = k >= options_.repeats ? "nested" : k % 2 ? "reverse" : "shuffled";
    KA_ASSIGN(refusal, run_once(candidate, {&draws_[0], "pattern", 0, false, order}, again));
    if (!refusal) refusal = check_repetition(first, again, !facts_.uses_atomics);
    if (!refusal && facts_.uses_atomics) {
      KA_ASSIGN(refusal, numbers(again, draws_[0]));
    }
    if (refusal) return refusal;
  }
  note("repeats", repeats, facts_.uses_atomics ? "within tolerance (the kernel uses atomics)" : "bit for bit");
  verdict_.buffers.reproduced = buffers_agree(first, draws_[0]);
  return numbers(first, draws_[0]);
}

Result<MaybeRefusal> Trial::other_configs(CandidateSide& candidate) {
  for (int k = 1; k < configs_; ++k) {
    RunOutcome outcome;
    KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[0], "nan", k, false, "forward"}, outcome));
    if (!refusal) {
      record_launches(outcome.launches);
      KA_ASSIGN(refusal, numbers(outcome, draws_[0]));
    }
    if (refusal) {
      refusal->detail = fmt::format("autotune configuration {}: {}", k, refusal->detail);
      return refusal;
    }
  }
  if (configs_ > 1) note("configs", configs_, "autotune configurations");
  return MaybeRefusal();
}

Result<MaybeRefusal> Trial::other_draws(CandidateSide& candidate) {
  const RunOutcome* before = &first_;
  RunOutcome previous;
  for (std::size_t i = 1; i < draws_.size(); ++i) {
    RunOutcome outcome;
    const bool other_rounding = i % 2 == 1;  // the second draw of the program's own values among them
    const RunRequest request{&draws_[i], i % 2 == 0 ? "nan" : "pattern", 0, true, "shuffled", false, other_rounding};
    KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, request, outcome));
    if (refusal) return refusal;
    record_launches(outcome.launches);
    KA_ASSIGN(refusal, numbers(outcome, draws_[i]));
    if (refusal) {
      const bool by_size = refusal->rule == "result.mismatch" || refusal->rule == "result.precision";
      if (by_size && other_rounding && runs_in_interpreter(options_)) refusal->detail += kOtherRounding;
      const MaybeRefusal cached = check_fresh(outcome, draws_[i], *before, draws_[i - 1]);
      return cached ? cached : refusal;
    }
    previous = std::move(outcome);
    before = &previous;
  }
  return MaybeRefusal();
}

// The first call again, the same in everything: by now a counter has moved on. What was seen of that in earlier calls is
// reported only here, since a wrong or stale answer says more.
Result<MaybeRefusal> Trial::first_call_again(CandidateSide& candidate) {
  RunOutcome again;
  KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[0], "nan", 0, false, "forward"}, again));
  if (!refusal) refusal = check_repetition(first_, again, !facts_.uses_atomics);
  if (!refusal) {
    KA_ASSIGN(refusal, numbers(again, draws_[0]));
  }
  if (!refusal && !state_.empty()) refusal = Refusal{"result.state", state_};
  return refusal;
}

void Trial::start_compile() {
  if (!options_.check_compile || !runs_in_interpreter(options_)) return;
  compile_ = std::async(std::launch::async, [this, launches = fmt::format("[{}]", join(launches_, ","))]() -> Result<CompileReport> {
    KA_ASSIGN(bridge::Child compiler, compiler_.get());
    return check_compiles(compiler, kernel_, launches, options_.target_arch, candidate_options(), context_.cancel);
  });
}

Result<MaybeRefusal> Trial::finish_compile() {
  if (!compile_.valid()) return MaybeRefusal();
  const auto since = std::chrono::steady_clock::now();
  KA_ASSIGN(CompileReport report, compile_.get());
  time("compile", since);
  note("compile", report.kernels, fmt::format("launches compiled for sm_{}", options_.target_arch));
  return report.refusal;
}

// What does not hold here does not refuse the kernel: it makes it specialised.
Status Trial::variants(CandidateSide& candidate) {
  for (const Draw& other : variant_draws_) {
    RunOutcome outcome;
    model::Verdict aside;
    KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&other, "nan", 0, false, "forward"}, outcome));
    if (!refusal) refusal = check_numbers(outcome, other, aside);
    KA_ASSIGN(const bool lucky, is_chance(refusal, outcome, other));
    if (!refusal || lucky) continue;
    verdict_.specialised = true;
    verdict_.specialised_reason = fmt::format("with {}: {} ({})", other.request.variant, refusal->rule, refusal->detail);
    break;
  }
  note("variants", static_cast<std::int64_t>(variant_draws_.size()), "other sizes");
  return ok();
}

}  // namespace ka::verify

// A trial, in the order in which it happens:
//   read     the kernel's source is checked against the policy while the reference loads the problem
//   draw     the reference answers for several seeds, value distributions and sizes; meanwhile
//   import   the candidate is imported; only then is it shown any input
//   repeat   the first draw twice, on differently poisoned memory
//   configs  the first draw once per autotune configuration
//   draws    all other draws, on the same tensor objects with new contents
//   again    the first call once more: nothing that is kept between calls may have changed
//   compile  every launch seen so far, by the real compiler, beside the draws
//   variants other sizes, where the program allows them
//   hidden   autotune configurations that only the given sizes would be tried with, where these were scaled down
// The first rule that does not hold ends the trial.
#include "verify/judge.h"

#include <algorithm>
#include <array>
#include <future>
#include <iterator>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/strings.h"
#include "verify/checks.h"
#include "verify/rules.h"

namespace ka::verify {
namespace {

// Value distributions tried after the program's own, in this order; docs/judge.md says what each is for.
constexpr std::array kDistributions = {"normal", "wide", "small", "negative", "large", "tiny", "halves"};
constexpr int kGivenDraws = 2;
constexpr std::uint64_t kSeedMask = (std::uint64_t{1} << 62) - 1;

using MaybeRefusal = std::optional<Refusal>;

class Trial {
 public:
  Trial(const ProblemSource& problem, const KernelSource& kernel, const JudgeOptions& options, JudgeContext& context)
      : problem_(problem), kernel_(kernel), options_(options), context_(context), begin_(std::chrono::steady_clock::now()) {}

  Result<model::Verdict> run();

 private:
  Status prepare();
  Result<MaybeRefusal> read_sources();
  Result<CandidateSide::Loaded> load_candidate();
  Result<MaybeRefusal> run_candidate(CandidateSide& candidate);
  Result<MaybeRefusal> first_draw(CandidateSide& candidate);
  Result<MaybeRefusal> other_configs(CandidateSide& candidate);
  Result<MaybeRefusal> other_draws(CandidateSide& candidate);
  Result<MaybeRefusal> first_call_again(CandidateSide& candidate);
  Status variants(CandidateSide& candidate);
  Result<MaybeRefusal> hidden_configs(CandidateSide& candidate);
  CandidateOptions compile_options() const;
  Result<MaybeRefusal> run_once(CandidateSide& candidate, const RunRequest& request, RunOutcome& outcome);
  Result<MaybeRefusal> numbers(const RunOutcome& outcome, const Draw& draw);
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
  void record_launches(const std::string& launches);
  os::SandboxRequest sandbox() const;
  void refuse(const Refusal& refusal);
  std::string reproduce() const;
  void time(const char* name, std::chrono::steady_clock::time_point since);

  const ProblemSource& problem_;
  const KernelSource& kernel_;
  const JudgeOptions& options_;
  JudgeContext& context_;
  std::chrono::steady_clock::time_point begin_;
  model::Verdict verdict_;
  KernelFacts facts_;
  std::unique_ptr<ReferenceSide> reference_;
  std::string tier_;
  std::vector<Draw> draws_, variant_draws_;
  Json launches_ = Json::array();
  RunOutcome first_;
  std::string state_;  // the first sign that something kept between calls has changed
  double kernel_seconds_ = 0;
  int configs_ = 1;
  std::future<Result<CompileReport>> compile_;
  std::future<Result<OtherDraws>> drawing_;  // the last member: joined before the others are destroyed
};

bool interpreted(const JudgeOptions& options) { return options.device == "cpu"; }

os::SandboxRequest Trial::sandbox() const {
  os::SandboxRequest request;
  request.limits = options_.limits;
  request.gpu = options_.device == "cuda";
  return request;
}

void Trial::time(const char* name, std::chrono::steady_clock::time_point since) {
  verdict_.times[name] += std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

void Trial::note(std::string name, std::int64_t count, std::string text) {
  verdict_.checks.push_back({std::move(name), count, std::move(text), {}});
}

std::string Trial::reproduce() const {
  std::string line = fmt::format("kernelagent verify --problem {} --kernel {} --seed {}",
                                 quote_shell(problem_.path + (problem_.object.empty() ? "" : ":" + problem_.object)),
                                 quote_shell(kernel_.path), options_.seed);
  if (!options_.entry.empty()) line += " --entry " + quote_shell(options_.entry);
  if (options_.precision != "default") line += " --precision " + options_.precision;
  if (problem_.mode == "eval") line += " --mode eval";
  if (options_.require_general) line += " --require-general";
  if (options_.require_buffers) line += " --require-buffers";
  if (options_.target_arch != 90) line += fmt::format(" --target-arch {}", options_.target_arch);
  if (!options_.check_compile) line += " --no-compile";
  if (options_.limit != JudgeOptions{}.limit) line += fmt::format(" --timeout {:g}", static_cast<double>(options_.limit.count()) / 1e3);
  return line + " --device " + options_.device;
}

Status Trial::prepare() {
  const os::SandboxSupport& support = os::probe_sandbox();
  verdict_.sandbox.level = os::to_string(support.level);
  for (const auto& missing : support.missing) verdict_.sandbox.missing.push_back({missing.part, missing.reason, {}});
  if (support.level == os::SandboxLevel::none)
    return environment_error("no sandbox can be had on this machine, and foreign code is not run without one (see kernelagent doctor)");
  if (support.level < options_.require_sandbox)
    return environment_error(fmt::format("sandbox level {} is required, this machine reaches {} (see kernelagent doctor)",
                                         os::to_string(options_.require_sandbox), os::to_string(support.level)));
  const auto since = std::chrono::steady_clock::now();
  KA_ASSIGN(bridge::InterpreterFacts interpreter, context_.interpreter.start(context_.cancel));
  time("interpreter start", since);
  verdict_.versions = {KA_VERSION, interpreter.python, interpreter.torch, interpreter.triton, {}};
  verdict_.problem.path = problem_.path + (problem_.object.empty() ? "" : ":" + problem_.object);
  verdict_.problem.mode = problem_.mode;
  verdict_.kernel = {kernel_.path, options_.entry, sha256_hex(kernel_.text), {}};
  verdict_.device = options_.device;
  verdict_.seed = options_.seed;
  verdict_.reproduce = reproduce();
  return ok();
}

Result<MaybeRefusal> Trial::read_sources() {
  const auto since = std::chrono::steady_clock::now();
  auto policy = std::async(std::launch::async, [&] {
    return check_policy(kernel_, options_.entry, false, sandbox(), context_.interpreter, context_.cancel);
  });
  ReferenceOptions options;
  options.device = options_.device;
  options.scale = interpreted(options_);
  options.seed = derive_seed(problem_.text, options_.seed) & kSeedMask;
  options.sandbox = sandbox();
  options.limit = options_.limit;
  Result<ReferenceSide> reference = ReferenceSide::load(problem_, options, context_.interpreter, context_.cancel);
  Result<std::variant<KernelFacts, Refusal>> checked = policy.get();
  if (!reference) return reference.error();
  reference_ = std::make_unique<ReferenceSide>(std::move(*reference));
  const ReferenceFacts& facts = reference_->facts();
  if (facts.draws_random)
    checked = check_policy(kernel_, options_.entry, true, sandbox(), context_.interpreter, context_.cancel);
  if (!checked) return checked.error();
  time("reading", since);
  verdict_.problem.kind = facts.kind;
  verdict_.problem.given_sizes = facts.given_sizes;
  verdict_.problem.verified_sizes = facts.verified_sizes;
  verdict_.problem.scaled = facts.scaled;
  verdict_.buffers.updated = facts.updated_buffers;
  tier_ = options_.precision == "default" ? facts.default_tier : options_.precision;
  verdict_.precision.tier = tier_;
  if (Refusal* refusal = std::get_if<Refusal>(&*checked)) return MaybeRefusal(std::move(*refusal));
  facts_ = std::get<KernelFacts>(std::move(*checked));
  verdict_.kernel.entry = facts_.entry;
  return MaybeRefusal();
}

Result<Draw> Trial::draw(const std::string& distribution, const std::string& variant, std::uint64_t number) const {
  // The kernel's own text goes into the seed: whoever writes a kernel cannot know the numbers it will be given.
  const std::string text = problem_.text + kernel_.text + distribution + variant;
  DrawRequest request;
  request.seed = derive_seed(text, options_.seed + 2 * number) & kSeedMask;
  request.call_seed = derive_seed(text, options_.seed + 2 * number + 1) & kSeedMask;
  request.distribution = distribution;
  request.variant = variant;
  request.tier = tier_;
  return reference_->draw(request, context_.cancel);
}

Status Trial::take_first_draw() {
  const auto since = std::chrono::steady_clock::now();
  KA_ASSIGN(Draw given, draw("given", "", 0));
  if (!given.applicable) return invalid_input(problem_.path + ": " + given.why_not);
  draws_.push_back(std::move(given));
  time("reference", since);
  return ok();
}

// Runs beside the candidate's first calls: touches nothing of the trial but the reference.
Result<Trial::OtherDraws> Trial::take_other_draws() const {
  OtherDraws others;
  std::uint64_t number = 1;
  for (; number < kGivenDraws; ++number) {
    KA_ASSIGN(Draw given, draw("given", "", number));
    if (!given.applicable) return invalid_input(problem_.path + ": " + given.why_not);
    others.draws.push_back(std::move(given));
  }
  std::vector<std::string> distributions(kDistributions.begin(), kDistributions.end());
  std::ranges::copy(reference_->facts().more_distributions, std::back_inserter(distributions));
  for (const std::string& distribution : distributions) {
    KA_ASSIGN(Draw other, draw(distribution, "", number++));
    if (!other.applicable) continue;
    others.distributions += fmt::format(", {}", distribution);
    others.draws.push_back(std::move(other));
  }
  KA_ASSIGN(Draw special, draw("special", "", number++));
  if (special.applicable) {
    others.distributions += ", special";
    others.draws.push_back(std::move(special));
  }
  while (others.draws.size() < 3) {  // too few distributions suit the program: more of its own
    KA_ASSIGN(Draw given, draw("given", "", number++));
    others.draws.push_back(std::move(given));
  }
  for (const std::string& variant : reference_->facts().variants) {
    KA_ASSIGN(Draw other, draw("given", variant, 0));
    if (other.applicable) others.variants.push_back(std::move(other));
  }
  return others;
}

Status Trial::join_other_draws() {
  const auto since = std::chrono::steady_clock::now();
  KA_ASSIGN(OtherDraws others, drawing_.get());
  std::move(others.draws.begin(), others.draws.end(), std::back_inserter(draws_));
  variant_draws_ = std::move(others.variants);
  note("draws", static_cast<std::int64_t>(draws_.size()), "given" + others.distributions);
  time("reference", since);
  return ok();
}

void Trial::record_launches(const std::string& launches) {
  Json list = Json::parse(launches, nullptr, false);
  for (Json& launch : list)
    if (std::find(launches_.begin(), launches_.end(), launch) == launches_.end()) launches_.push_back(std::move(launch));
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
  if (state_.empty() && !outcome.state.empty()) state_ = outcome.state.front();
  // The driver starts threads with the first launches, so on a GPU only a repeated call can show the kernel's own.
  const bool own_threads = interpreted(options_) ? outcome.threads > 1 || candidate.extra_tasks() > 0
                                                 : outcome.threads > 1 && request.reuse;
  if (own_threads) return MaybeRefusal(Refusal{"guard.process", ""});
  if (MaybeRefusal refusal = check_contract(outcome, *request.draw, reference_->facts())) return refusal;
  return check_guard(outcome);
}

// The first coarser tier whose operands explain the error, or nothing. Asked only about a kernel that is refused anyway.
Result<std::string> Trial::explaining_tier(const RunOutcome& outcome, const Draw& draw) {
  if (drawing_.valid()) drawing_.wait();  // the reference answers one question at a time
  for (const char* tier : {"tf32", "half"}) {
    if (tier_ == tier) continue;
    DrawRequest request = draw.request;
    request.tier = tier;
    KA_ASSIGN(Draw emulated, reference_->draw(request, context_.cancel));
    model::Verdict aside;
    if (emulated.applicable && !check_numbers(outcome, emulated, aside)) return std::string(tier);
  }
  return std::string();
}

Result<MaybeRefusal> Trial::numbers(const RunOutcome& outcome, const Draw& draw) {
  MaybeRefusal refusal = check_numbers(outcome, draw, verdict_);
  const bool off = refusal && (refusal->rule == "result.mismatch" || refusal->rule == "result.precision");
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
  const int repeats = options_.repeats + (facts_.uses_atomics && interpreted(options_) ? 1 : 0);
  for (int k = 1; k < repeats; ++k) {
    RunOutcome again;
    const char* order = k >= options_.repeats ? "nested" : k % 2 ? "reverse" : "shuffled";
    KA_ASSIGN(refusal, run_once(candidate, {&draws_[0], "pattern", 0, false, order}, again));
    if (!refusal) refusal = check_repetition(first, again, !facts_.uses_atomics);
    if (!refusal && facts_.uses_atomics) refusal = check_numbers(again, draws_[0], verdict_);
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
  RunOutcome before;
  for (std::size_t i = 1; i < draws_.size(); ++i) {
    RunOutcome outcome;
    KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[i], i % 2 == 0 ? "nan" : "pattern", 0, true, "shuffled"}, outcome));
    if (refusal) return refusal;
    record_launches(outcome.launches);
    KA_ASSIGN(refusal, numbers(outcome, draws_[i]));
    if (refusal && i > 1) {
      if (MaybeRefusal cached = check_fresh(outcome, draws_[i], before, draws_[i - 1])) return cached;
    }
    if (refusal) return refusal;
    before = std::move(outcome);
  }
  return MaybeRefusal();
}

// The first call again, the same in everything: by now a counter has moved on. What was seen of that in earlier calls is
// reported only here, since a wrong or stale answer says more.
Result<MaybeRefusal> Trial::first_call_again(CandidateSide& candidate) {
  RunOutcome again;
  KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[0], "nan", 0, false, "forward"}, again));
  if (!refusal) refusal = check_repetition(first_, again, !facts_.uses_atomics);
  if (!refusal) refusal = check_numbers(again, draws_[0], verdict_);
  if (!refusal && !state_.empty()) refusal = Refusal{"result.state", state_};
  return refusal;
}

CandidateOptions Trial::compile_options() const {
  CandidateOptions options;
  options.sandbox = sandbox();
  options.limit = options_.limit;
  return options;
}

void Trial::start_compile() {
  if (!options_.check_compile || !interpreted(options_)) return;
  compile_ = std::async(std::launch::async, [this, options = compile_options(), launches = launches_.dump()] {
    return check_compiles(kernel_, launches, options_.target_arch, options, context_.interpreter, context_.cancel);
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
    if (!refusal) continue;
    verdict_.specialised = true;
    verdict_.specialised_reason = fmt::format("with {}: {} ({})", other.request.variant, refusal->rule, refusal->detail);
    break;
  }
  note("variants", static_cast<std::int64_t>(variant_draws_.size()), "other sizes");
  return ok();
}

// A configuration that pruning hides from the verified sizes, but not from the given ones, is tried all the same. A wrong
// answer refuses it. One that cannot work at a small size (it raises, or leaves its buffers) is no fault: it is named. So is
// one that does not compile, since Triton leaves that out.
Result<MaybeRefusal> Trial::hidden_configs(CandidateSide& candidate) {
  if (!reference_->facts().scaled || !candidate.prunes()) return MaybeRefusal();
  KA_ASSIGN(const auto hidden, candidate.hidden_configs(reference_->given_arguments(context_.cancel), context_.cancel));
  if (!hidden) {
    note("unjudged", 0, "how pruning chooses for the given sizes could not be found out: other configurations may be tried there");
    return MaybeRefusal();
  }
  std::vector<std::string> unjudged;
  for (std::size_t k = 0; k < hidden->size(); ++k) {
    RunOutcome outcome;
    KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[0], "nan", static_cast<int>(k), false, "forward", true}, outcome));
    if (!refusal) refusal = check_numbers(outcome, draws_[0], verdict_);
    const bool wrong = refusal && refusal->rule.starts_with("result.") && refusal->rule != "result.bounds";
    if (wrong) {
      refusal->detail = fmt::format("autotune configuration {} (pruned for the verified sizes, kept for the given ones): {}",
                                    (*hidden)[k], refusal->detail);
      return refusal;
    }
    if (!refusal && options_.check_compile) {
      KA_ASSIGN(CompileReport report, check_compiles(kernel_, outcome.launches, options_.target_arch, compile_options(),
                                                     context_.interpreter, context_.cancel));
      refusal = report.refusal;
    }
    if (refusal) unjudged.push_back(fmt::format("{}: {} ({})", (*hidden)[k], refusal->rule, elide_middle(refusal->detail, 120)));
  }
  if (!hidden->empty())
    note("hidden", static_cast<std::int64_t>(hidden->size()), "autotune configurations that pruning keeps for the given sizes alone");
  if (!unjudged.empty())
    note("unjudged", static_cast<std::int64_t>(unjudged.size()), "configurations that cannot be judged at the verified sizes: " + join(unjudged, "; "));
  return MaybeRefusal();
}

Result<CandidateSide::Loaded> Trial::load_candidate() {
  CandidateOptions options;
  options.device = options_.device;
  options.interpret = interpreted(options_);
  options.mode = problem_.mode;
  options.sandbox = sandbox();
  options.limit = options_.limit;
  return CandidateSide::load(kernel_, facts_, reference_->facts(), options, context_.interpreter, context_.cancel);
}

Result<MaybeRefusal> Trial::run_candidate(CandidateSide& candidate) {
  KA_ASSIGN(MaybeRefusal refusal, first_draw(candidate));
  if (refusal) return refusal;
  KA_ASSIGN(refusal, other_configs(candidate));
  if (refusal) return refusal;
  start_compile();
  KA_TRY(join_other_draws());
  KA_ASSIGN(refusal, other_draws(candidate));
  if (!refusal) {
    KA_ASSIGN(refusal, first_call_again(candidate));
  }
  if (!refusal) {
    KA_TRY(variants(candidate));
    KA_ASSIGN(refusal, hidden_configs(candidate));
  }
  KA_ASSIGN(MaybeRefusal uncompilable, finish_compile());
  if (refusal) return refusal;
  if (uncompilable) return uncompilable;
  if (options_.require_general && verdict_.specialised)
    return MaybeRefusal(Refusal{"general.specialised", verdict_.specialised_reason});
  if (options_.require_buffers && !verdict_.buffers.updated.empty() && !verdict_.buffers.reproduced)
    return MaybeRefusal(Refusal{"general.buffers", join(verdict_.buffers.updated, ", ")});
  return MaybeRefusal();
}

void Trial::refuse(const Refusal& refusal) {
  const Rule* rule = find_rule(refusal.rule);
  KA_CHECK(rule != nullptr);
  verdict_.accepted = false;
  verdict_.rule = rule->name;
  verdict_.reason = fmt::format("{}; accepted would be: {}", rule->reason, rule->remedy);
  verdict_.detail = refusal.detail;
}

Result<model::Verdict> Trial::run() {
  KA_TRY(prepare());
  KA_ASSIGN(MaybeRefusal refusal, read_sources());
  if (!refusal) {
    // The candidate is imported, and called with the first draw, while the reference goes on drawing.
    auto loading = std::async(std::launch::async, [&] { return load_candidate(); });
    const Status drawn = take_first_draw();
    if (drawn) drawing_ = std::async(std::launch::async, [this] { return take_other_draws(); });
    KA_ASSIGN(CandidateSide::Loaded candidate, loading.get());
    KA_TRY(drawn);
    if (Refusal* refused = std::get_if<Refusal>(&candidate)) {
      refusal = std::move(*refused);
    } else {
      KA_ASSIGN(refusal, run_candidate(std::get<CandidateSide>(candidate)));
    }
  }
  if (refusal) {
    refuse(*refusal);
  } else {
    verdict_.accepted = true;
    verdict_.reason = verdict_.specialised ? "the kernel computes what the program computes, for the given sizes"
                                           : "the kernel computes what the program computes";
  }
  time("total", begin_);
  verdict_.times["kernel"] = kernel_seconds_;
  verdict_.times["overhead"] = std::max(0.0, verdict_.times["total"] - verdict_.times["interpreter start"] -
                                                 verdict_.times["kernel"] - verdict_.times["compile"]);
  return verdict_;
}

}  // namespace

Result<model::Verdict> judge(const ProblemSource& problem, const KernelSource& kernel, const JudgeOptions& options,
                             JudgeContext& context) {
  return Trial(problem, kernel, options, context).run();
}

}  // namespace ka::verify

// A trial, in the order in which it happens:
//   read     the kernel's source is checked against the policy while the reference loads the problem
//   draw     the reference answers for several seeds, value distributions and sizes; meanwhile
//   import   the candidate is imported; only then is it shown any input
//   repeat   the first draw twice, on differently poisoned memory
//   configs  the first draw once per autotune configuration
//   draws    all other draws, on the same tensor objects with new contents
//   compile  every launch seen so far, by the real compiler, beside the draws
//   variants other sizes, where the program allows them
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
  Result<std::variant<KernelFacts, Refusal>> read_kernel();
  CandidateOptions candidate_options() const;
  Result<MaybeRefusal> run_candidate(CandidateSide& candidate);
  Result<MaybeRefusal> first_draw(CandidateSide& candidate);
  Result<MaybeRefusal> other_configs(CandidateSide& candidate);
  Result<MaybeRefusal> other_draws(CandidateSide& candidate);
  Status variants(CandidateSide& candidate);
  Result<MaybeRefusal> run_once(CandidateSide& candidate, const RunRequest& request, RunOutcome& outcome);
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
  std::chrono::steady_clock::time_point begin_;
  model::Verdict verdict_;
  KernelFacts facts_;
  std::unique_ptr<ReferenceSide> reference_;
  std::unique_ptr<CandidateSide> candidate_;
  std::future<Result<bridge::Child>> compiler_;  // a process for the compiler, not yet asked anything
  std::string tier_;
  std::vector<Draw> draws_, variant_draws_;
  Json launches_ = Json::array();
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
  if (context_.log != nullptr)
    context_.log->write({LogLevel::info, "verify", name, name + ": " + text, {{"count", count}}});
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
  if (options_.test) line += " --test " + quote_shell(options_.test->path);
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

CandidateOptions Trial::candidate_options() const {
  CandidateOptions options;
  options.device = options_.device;
  options.interpret = interpreted(options_);
  options.mode = problem_.mode;
  options.sandbox = sandbox();
  options.limit = options_.limit;
  return options;
}

// Runs beside the loading of the reference: by the time the program is known, the suspect has been read and its process is
// ready to import it.
Result<std::variant<KernelFacts, Refusal>> Trial::read_kernel() {
  KA_ASSIGN(CandidateSide side, CandidateSide::start(kernel_, candidate_options(), context_.interpreter, context_.cancel));
  candidate_ = std::make_unique<CandidateSide>(std::move(side));
  KA_ASSIGN(auto checked, candidate_->check(options_.entry, false, context_.cancel));
  if (std::holds_alternative<Refusal>(checked)) return checked;
  KA_TRY(candidate_->prepare(context_.cancel));
  return checked;
}

Result<MaybeRefusal> Trial::read_sources() {
  const auto since = std::chrono::steady_clock::now();
  auto reading = std::async(std::launch::async, [this] { return read_kernel(); });
  ReferenceOptions options;
  options.device = options_.device;
  options.scale = interpreted(options_);
  options.seed = derive_seed(problem_.text, options_.seed) & kSeedMask;
  options.sandbox = sandbox();
  options.limit = options_.limit;
  Result<ReferenceSide> reference = ReferenceSide::load(problem_, options, context_.interpreter, context_.cancel);
  Result<std::variant<KernelFacts, Refusal>> checked = reading.get();
  if (!reference) return reference.error();
  reference_ = std::make_unique<ReferenceSide>(std::move(*reference));
  const ReferenceFacts& facts = reference_->facts();
  if (facts.draws_random && candidate_) checked = candidate_->check(options_.entry, true, context_.cancel);
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
  for (const char* distribution : kDistributions) {
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
  // The driver starts threads with the first launches, so on a GPU only a repeated call can show the kernel's own.
  const bool own_threads = interpreted(options_) ? outcome.threads > 1 || candidate.extra_tasks() > 0
                                                 : outcome.threads > 1 && request.reuse;
  if (own_threads) return MaybeRefusal(Refusal{"guard.process", ""});
  if (MaybeRefusal refusal = check_contract(outcome, *request.draw, reference_->facts())) return refusal;
  return check_guard(outcome);
}

Result<MaybeRefusal> Trial::first_draw(CandidateSide& candidate) {
  RunOutcome first;
  KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[0], "nan", 0, false, "forward"}, first));
  if (refusal) return refusal;
  configs_ = first.configs;
  record_launches(first.launches);
  for (int k = 1; k < options_.repeats; ++k) {
    RunOutcome again;
    KA_ASSIGN(refusal, run_once(candidate, {&draws_[0], "pattern", 0, false, k % 2 ? "reverse" : "shuffled"}, again));
    if (!refusal) refusal = check_repetition(first, again, !facts_.uses_atomics);
    if (refusal) return refusal;
  }
  note("repeats", options_.repeats, facts_.uses_atomics ? "within tolerance (the kernel uses atomics)" : "bit for bit");
  verdict_.buffers.reproduced = buffers_agree(first, draws_[0]);
  return check_numbers(first, draws_[0], verdict_);
}

Result<MaybeRefusal> Trial::other_configs(CandidateSide& candidate) {
  for (int k = 1; k < configs_; ++k) {
    RunOutcome outcome;
    KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[0], "nan", k, false, "forward"}, outcome));
    if (!refusal) {
      record_launches(outcome.launches);
      refusal = check_numbers(outcome, draws_[0], verdict_);
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
    refusal = check_numbers(outcome, draws_[i], verdict_);
    if (refusal && i > 1) {
      if (MaybeRefusal cached = check_fresh(outcome, draws_[i], before, draws_[i - 1])) return cached;
    }
    if (refusal) return refusal;
    before = std::move(outcome);
  }
  return MaybeRefusal();
}

void Trial::start_compile() {
  if (!options_.check_compile || !interpreted(options_)) return;
  compile_ = std::async(std::launch::async, [this, launches = launches_.dump()]() -> Result<CompileReport> {
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
    if (!refusal) continue;
    verdict_.specialised = true;
    verdict_.specialised_reason = fmt::format("with {}: {} ({})", other.request.variant, refusal->rule, refusal->detail);
    break;
  }
  note("variants", static_cast<std::int64_t>(variant_draws_.size()), "other sizes");
  return ok();
}

Result<MaybeRefusal> Trial::run_candidate(CandidateSide& candidate) {
  KA_ASSIGN(MaybeRefusal refusal, first_draw(candidate));
  if (refusal) return refusal;
  KA_ASSIGN(refusal, other_configs(candidate));
  if (refusal) return refusal;
  start_compile();
  KA_TRY(join_other_draws());
  KA_ASSIGN(refusal, other_draws(candidate));
  if (!refusal) KA_TRY(variants(candidate));
  KA_ASSIGN(MaybeRefusal uncompilable, finish_compile());
  if (refusal) return refusal;
  if (uncompilable) return uncompilable;
  if (options_.require_general && verdict_.specialised)
    return MaybeRefusal(Refusal{"general.specialised", verdict_.specialised_reason});
  if (options_.require_buffers && !verdict_.buffers.updated.empty() && !verdict_.buffers.reproduced)
    return MaybeRefusal(Refusal{"general.buffers", join(verdict_.buffers.updated, ", ")});
  return MaybeRefusal();
}

Result<MaybeRefusal> Trial::run_test() {
  const auto since = std::chrono::steady_clock::now();
  const std::uint64_t seed = derive_seed(options_.test->text, options_.seed) & kSeedMask;
  KA_ASSIGN(MaybeRefusal refusal, run_test_script(*options_.test, kernel_, problem_, seed, candidate_options(),
                                                  context_.interpreter, context_.cancel));
  time("test", since);
  if (!refusal) note("test", 1, options_.test->path + " passed");
  return refusal;
}

// The outcome as an event: the same sentence that people read first.
void Trial::report() const {
  if (context_.log == nullptr) return;
  Event event{LogLevel::info, "verify", verdict_.accepted ? "accepted" : "refused", verdict_.reason, {}};
  event.fields = {{"problem", verdict_.problem.path}, {"kernel", verdict_.kernel.path}, {"seconds", verdict_.times.at("total")}};
  if (!verdict_.accepted) event.fields.insert(event.fields.begin(), {{"rule", verdict_.rule}, {"detail", verdict_.detail}});
  context_.log->write(event);
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
    auto importing = std::async(std::launch::async, [this] { return candidate_->import(facts_, reference_->facts(), context_.cancel); });
    const Status drawn = take_first_draw();
    if (drawn) drawing_ = std::async(std::launch::async, [this] { return take_other_draws(); });
    if (options_.check_compile && interpreted(options_))
      compiler_ = std::async(std::launch::async, [this] { return context_.interpreter.spawn("compile_check", sandbox(), context_.cancel); });
    KA_ASSIGN(refusal, importing.get());
    KA_TRY(drawn);
    if (!refusal) {
      KA_ASSIGN(refusal, run_candidate(*candidate_));
    }
    if (!refusal && options_.test) {
      KA_ASSIGN(refusal, run_test());
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
                                                 verdict_.times["kernel"] - verdict_.times["compile"] -
                                                 verdict_.times["test"]);
  report();
  return verdict_;
}

}  // namespace

Result<model::Verdict> judge(const ProblemSource& problem, const KernelSource& kernel, const JudgeOptions& options,
                             JudgeContext& context) {
  return Trial(problem, kernel, options, context).run();
}

}  // namespace ka::verify

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
//   given    where sizes were scaled down: the host code at the given ones, some programs of what it launches, autotune
//            configurations that only these would be tried with
// On a GPU all of this happens at sizes for which a draw is cheap; where the given ones are larger, a second trial follows with
// new processes and one draw at the given sizes.
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
#include "os/machine.h"
#include "verify/checks.h"
#include "verify/rules.h"
#include "verify/trial.h"

namespace ka::verify {
namespace {

// Value distributions tried after the program's own, in this order; docs/judge.md says what each is for.
constexpr std::array kDistributions = {"normal", "wide", "small", "negative", "large", "tiny", "halves"};
constexpr int kGivenDraws = 2;
constexpr int kGivenSizesPatience = 5;
constexpr int kKernelsInTime = 16;  // that a call is thought to compile or to interpret within the time limit; larger files have as many of it as they need
constexpr const char* kAccepted = "the kernel computes what the program computes";

}  // namespace

os::SandboxRequest Trial::sandbox() const {
  os::SandboxRequest request;
  request.limits = options_.limits;
  request.gpu = options_.device == "cuda";
  request.only_gpu = options_.only_gpu;
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
  return line + " --device " + (options_.also_interpreted ? "auto" : options_.device);
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
  verdict_.problem.text_sha256 = sha256_hex(problem_.text);
  verdict_.kernel = {kernel_.path, options_.entry, sha256_hex(kernel_.text), {}};
  verdict_.device = options_.device;
  verdict_.seed = options_.seed;
  verdict_.reproduce = reproduce();
  return ok();
}

CandidateOptions Trial::candidate_options() const {
  CandidateOptions options;
  options.device = options_.device;
  options.interpret = runs_in_interpreter(options_);
  options.mode = problem_.mode;
  options.sandbox = sandbox();
  options.limit = options_.limit * std::max(1, kernels_in_text() / kKernelsInTime);
  return options;
}

int Trial::kernels_in_text() const {
  constexpr std::string_view mark = "@triton.jit";
  int count = 0;
  for (std::size_t at = kernel_.text.find(mark); at != std::string::npos; at = kernel_.text.find(mark, at + mark.size())) ++count;
  return count;
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
  options.scale = given_sizes_ ? Scale::none : runs_in_interpreter(options_) ? Scale::interpreter : Scale::gpu;
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

Result<MaybeRefusal> Trial::run_candidate(CandidateSide& candidate) {
  KA_ASSIGN(MaybeRefusal refusal, first_draw(candidate));
  if (refusal) return refusal;
  KA_ASSIGN(refusal, other_configs(candidate));
  if (refusal) return refusal;
  start_compile();
  KA_TRY(join_other_draws());
  start_given();
  KA_ASSIGN(refusal, other_draws(candidate));
  if (!refusal) {
    KA_ASSIGN(refusal, first_call_again(candidate));
  }
  if (!refusal) {
    KA_TRY(variants(candidate));
    KA_ASSIGN(refusal, given_sizes(candidate));
  }
  KA_ASSIGN(MaybeRefusal uncompilable, finish_compile());
  if (refusal) return refusal;
  if (uncompilable) return uncompilable;
  note_replays();
  if (options_.require_general && verdict_.specialised)
    return MaybeRefusal(Refusal{"general.specialised", verdict_.specialised_reason});
  if (options_.require_buffers && !verdict_.buffers.updated.empty() && !verdict_.buffers.reproduced)
    return MaybeRefusal(Refusal{"general.buffers", join(verdict_.buffers.updated, ", ")});
  return MaybeRefusal();
}

// Of a file that captures its launches: what of that was judged.
void Trial::note_replays() {
  if (!facts_.captures_launches) return;
  if (runs_in_interpreter(options_)) note("graphs", 0, "not judged here: without a GPU nothing is captured, and launches were made one by one");
  else note("graphs", replays_, replays_ == 0 ? "nothing was captured: launches were made one by one" : "replays of captured launches gave what launches one by one give");
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
    if (drawn && !given_sizes_) drawing_ = std::async(std::launch::async, [this] { return take_other_draws(); });
    if (options_.check_compile && runs_in_interpreter(options_))
      compiler_ = std::async(std::launch::async, [this] { return context_.interpreter.spawn("compile_check", sandbox(), context_.cancel); });
    KA_ASSIGN(refusal, importing.get());
    KA_TRY(drawn);
    if (!refusal) {
      KA_ASSIGN(refusal, given_sizes_ ? first_draw(*candidate_) : run_candidate(*candidate_));
    }
    if (!refusal && options_.test) {
      KA_ASSIGN(refusal, run_test());
    }
  }
  if (refusal) {
    refuse(*refusal);
  } else {
    verdict_.accepted = true;
    verdict_.reason = verdict_.problem.scaled ? "the kernel computes what the program computes, at smaller sizes than the given ones"
                      : verdict_.specialised  ? "the kernel computes what the program computes, for the given sizes"
                                              : kAccepted;
  }
  time("total", begin_);
  verdict_.times["kernel"] = kernel_seconds_;
  verdict_.times["overhead"] = std::max(0.0, verdict_.times["total"] - verdict_.times["interpreter start"] -
                                                 verdict_.times["kernel"] - verdict_.times["compile"] -
                                                 verdict_.times["test"]);
  report();
  return verdict_;
}

namespace {

// Gigabytes travel between processes: more time, more memory, larger files than a trial may take otherwise.
JudgeOptions roomy(const JudgeOptions& options) {
  JudgeOptions roomy = options;
  roomy.repeats = 2;
  roomy.test.reset();
  roomy.limit = kGivenSizesPatience * options.limit;
  if (Result<os::Machine> machine = os::query_machine("/"))
    roomy.limits.memory_bytes = std::max(options.limits.memory_bytes, machine->memory_available / 2);
  roomy.limits.file_bytes = std::max(options.limits.file_bytes, roomy.limits.memory_bytes);
  return roomy;
}

// A later trial's refusal takes the place of an earlier one's acceptance.
model::Verdict overruled(model::Verdict verdict, const model::Verdict& later, const std::string& where) {
  verdict.accepted = false;
  verdict.rule = later.rule;
  verdict.reason = later.reason;
  verdict.detail = where + ": " + later.detail;
  return verdict;
}

// Whether an error of a later trial ends everything; any other leaves the earlier verdict as it is.
bool is_final(const Error& error) { return error.kind == ErrorKind::internal || error.kind == ErrorKind::cancelled; }

// The verdict of the smaller sizes, completed by a draw at the given ones.
Result<model::Verdict> judge_given_sizes(model::Verdict verdict, const ProblemSource& problem, const KernelSource& kernel,
                                         const JudgeOptions& options, JudgeContext& context) {
  const JudgeOptions more = roomy(options);
  Result<model::Verdict> given = Trial(problem, kernel, more, context, true).run();
  if (!given) {
    if (is_final(given.error())) return given.error();
    verdict.checks.push_back({"given sizes", 0, "not run: " + given.error().message, {}});
    return verdict;
  }
  for (const auto& [name, seconds] : given->times) verdict.times[name] += seconds;
  if (!given->accepted) return overruled(std::move(verdict), *given, "at the given sizes, which are larger than those of the other draws");
  verdict.checks.push_back({"given sizes", 1, "one draw at the given sizes, all others at smaller ones", {}});
  verdict.problem.scaled = false;
  verdict.problem.verified_sizes = verdict.problem.given_sizes;
  verdict.reason = kAccepted;
  return verdict;
}

// Whether the interpreter's word counts for a kernel that a GPU has accepted: its watch over accesses, orders and answers does;
// what it cannot run, or not in time, says nothing.
bool counts_in_interpreter(const std::string& rule) { return !rule.starts_with("run.") && !rule.starts_with("compile."); }

// The verdict of the GPU, completed by a trial in the interpreter.
Result<model::Verdict> judge_interpreted(model::Verdict verdict, const ProblemSource& problem, const KernelSource& kernel,
                                         const JudgeOptions& options, JudgeContext& context) {
  JudgeOptions again = options;
  again.device = "cpu";
  again.repeats = JudgeOptions{}.repeats;
  again.test.reset();
  again.check_compile = false;  // the GPU has run it
  again.sample_given = false;   // and at these sizes
  Result<model::Verdict> watched = Trial(problem, kernel, again, context).run();
  if (!watched && is_final(watched.error())) return watched.error();
  if (watched) verdict.times["interpreted"] = watched->times["total"];
  if (!watched || (!watched->accepted && !counts_in_interpreter(watched->rule))) {
    verdict.checks.push_back({"interpreted", 0, "not run: " + (watched ? watched->detail : watched.error().message), {}});
    return verdict;
  }
  if (!watched->accepted) return overruled(std::move(verdict), *watched, "in the interpreter, which watches every access");
  verdict.checks.push_back({"interpreted", 1, "every access and the order of programs watched in the interpreter", {}});
  return verdict;
}

}  // namespace

Result<model::Verdict> judge(const ProblemSource& problem, const KernelSource& kernel, const JudgeOptions& options,
                             JudgeContext& context) {
  KA_ASSIGN(model::Verdict verdict, Trial(problem, kernel, options, context).run());
  if (runs_in_interpreter(options) || !verdict.accepted) return verdict;
  if (verdict.problem.scaled && options.sample_given) {
    KA_ASSIGN(verdict, judge_given_sizes(std::move(verdict), problem, kernel, options, context));
  }
  if (!verdict.accepted || !options.also_interpreted) return verdict;
  return judge_interpreted(std::move(verdict), problem, kernel, options, context);
}

}  // namespace ka::verify

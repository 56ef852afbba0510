// The sizes that were given, where smaller ones were verified: what can be said about them without running the kernel as a whole.
// Only what holds for certain refuses a kernel; what could not be found out is noted.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/strings.h"
#include "verify/checks.h"
#include "verify/rules.h"
#include "verify/trial.h"

namespace ka::verify {
namespace {

constexpr const char* kAtGiven = "at the given sizes: ";
// Errors grow with the sizes: what was judged by the strict measure at the verified sizes must only not be wrong here.
constexpr double kToleranceFactor = 10;
constexpr double kBudgetFactor = 1024;

std::string shown(const Json& spec) {
  return fmt::format("{} {}", spec.value("dtype", ""), spec.value("shape", Json::array()).dump());
}

// The outputs that the host code returns there must look like the program's.
MaybeRefusal check_shapes(const Json& got, const Json& want) {
  if (got.size() != want.size()) return Refusal{"contract.structure", fmt::format("{} outputs, forward returns {}", got.size(), want.size())};
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (got[i].value("shape", Json()) != want[i].value("shape", Json()))
      return Refusal{"contract.shape", fmt::format("output {} is {}, forward returns {}", i, shown(got[i]), shown(want[i]))};
    if (got[i].value("dtype", "") != want[i].value("dtype", ""))
      return Refusal{"contract.dtype", fmt::format("output {} is {}, forward returns {}", i, shown(got[i]), shown(want[i]))};
  }
  return std::nullopt;
}

// An output that host code makes as zeros must get its other elements from a kernel.
MaybeRefusal check_zeros(const std::vector<SampledPrograms::Zeros>& zeros, const Json& want) {
  for (const SampledPrograms::Zeros& one : zeros) {
    const std::int64_t nonzero = one.output < want.size() ? want[one.output].value("nonzero", std::int64_t{0}) : 0;
    if (one.written < nonzero)
      return Refusal{"result.unwritten", fmt::format("output {}: {}, and {} of them are not zero", one.output, one.text, nonzero)};
  }
  return std::nullopt;
}

// Single elements of one output against the program's.
MaybeRefusal check_elements(const SampledValues& seen, std::size_t number, const Draw& answers, const std::vector<std::int64_t>& shape) {
  const TensorView got{seen.dtype, {seen.count}, seen.values};
  Tolerance tolerance = default_tolerance(got.dtype);
  tolerance.rtol *= kToleranceFactor;
  tolerance.atol *= kToleranceFactor;
  ErrorBudget budget = default_budget(got.dtype);
  budget.rms_multiple *= kBudgetFactor;
  budget.max_multiple *= kBudgetFactor;
  const ReferenceViews want = answers.views(number);
  if (want.native.dtype != got.dtype || element_count(want.native) != seen.count) return std::nullopt;
  const Comparison found = compare(got, want, tolerance, budget);
  if (found.mismatch == Mismatch::none) return std::nullopt;
  std::int64_t position = 0;
  const auto worst = static_cast<std::size_t>(std::max<std::int64_t>(found.worst_element, 0));
  std::memcpy(&position, seen.positions.data() + worst * sizeof position, sizeof position);
  const std::string where = fmt::format("output {} at [{}]: got {:.9g}, want {:.9g}", seen.output,
                                        fmt::join(unflatten(position, shape), ", "), found.got, found.want);
  if (found.mismatch == Mismatch::precision) return Refusal{"result.mismatch", found.note + "; worst: " + where};
  return Refusal{"result.mismatch", fmt::format("{} of the {} elements that were computed are wrong; worst: {}", found.wrong_elements,
                                                seen.count, where)};
}

}  // namespace

// Launches with other constants or types than those of the verified sizes.
Result<MaybeRefusal> Trial::compile_given(const std::string& launches) {
  if (!options_.check_compile) return MaybeRefusal();
  const auto kind_of = [](Json launch) {
    for (const char* detail : {"grid", "launched", "config", "aligned"}) launch.erase(detail);
    return launch.dump();
  };
  std::vector<std::string> seen, fresh;
  for (const std::string& text : launches_) seen.push_back(kind_of(Json::parse(text)));
  for (const Json& launch : Json::parse(launches, nullptr, false))
    if (launch.value("config", Json()).is_null() &&  // an autotuner leaves out what does not compile
        std::ranges::find(seen, kind_of(launch)) == seen.end()) fresh.push_back(launch.dump());
  if (fresh.empty()) return MaybeRefusal();
  const auto since = std::chrono::steady_clock::now();
  KA_ASSIGN(bridge::Child compiler, context_.interpreter.spawn("compile_check", sandbox(), context_.cancel));
  KA_ASSIGN(CompileReport report, check_compiles(compiler, kernel_, fmt::format("[{}]", join(fresh, ",")), options_.target_arch,
                                                 candidate_options(), context_.cancel));
  time("compile", since);
  note("given sizes", report.kernels, "launches of the given sizes compiled");
  if (report.refusal) report.refusal->detail = "at the given sizes: " + report.refusal->detail;
  return report.refusal;
}

// Beside the calls at the verified sizes: the reference has nothing else to do.
void Trial::start_given() {
  if (!runs_in_interpreter(options_) || !options_.sample_given || !reference_->facts().scaled) return;
  given_ = std::async(std::launch::async, [this] {
    const std::string text = problem_.text + kernel_.text + "given sizes";
    DrawRequest request;
    request.seed = derive_seed(text, options_.seed) & kSeedMask;
    request.call_seed = derive_seed(text, options_.seed + 1) & kSeedMask;
    request.tier = tier_;
    return reference_->draw_given(request, context_.cancel);
  });
}

// What the programs that ran there tell: accesses outside of buffers, elements that nobody writes, wrong values.
Result<MaybeRefusal> Trial::check_sampled(const SampledPrograms& seen, const GivenDraw& drawn) {
  if (!seen.why_not.empty()) {
    note("given programs", 0, "no programs were run at the given sizes: " + seen.why_not);
    return MaybeRefusal();
  }
  if (!seen.out_of_bounds.empty()) return MaybeRefusal(Refusal{"result.bounds", seen.out_of_bounds.front()});
  const Json shapes = Json::parse(drawn.outputs, nullptr, false);
  if (drawn.why.empty())
    if (MaybeRefusal refusal = check_shapes(Json::parse(seen.shapes, nullptr, false), shapes)) return refusal;
  if (!seen.untouched.empty()) return MaybeRefusal(Refusal{"guard.provenance", seen.untouched.front()});
  if (!seen.unwritten.empty()) return MaybeRefusal(Refusal{"result.unwritten", seen.unwritten.front()});
  if (drawn.why.empty())
    if (MaybeRefusal refusal = check_zeros(seen.zeros, shapes)) return refusal;
  std::int64_t compared = 0;
  if (drawn.why.empty() && !seen.values.empty()) {
    Result<Draw> answers = reference_->given_answers(seen.values, context_.cancel);
    for (std::size_t i = 0; answers && i < seen.values.size(); ++i) {
      const SampledValues& values = seen.values[i];
      if (values.output >= shapes.size()) continue;
      compared += values.count;
      const auto shape = shapes[values.output].value("shape", std::vector<std::int64_t>{});
      if (MaybeRefusal refusal = check_elements(values, i, *answers, shape)) return refusal;
    }
  }
  if (!seen.state.empty()) return MaybeRefusal(Refusal{"result.state", seen.state.front()});
  note("given programs", seen.programs,
       fmt::format("of {} programs were run at the given sizes, {}", seen.of,
                   compared > 0        ? fmt::format("{} elements compared", compared)
                   : drawn.why.empty() ? "no element is final by these alone"
                                       : "values not compared: " + drawn.why));
  return MaybeRefusal();
}

// Of a step at the given sizes that ended the kernel: what is certain refuses it, the rest is noted.
MaybeRefusal Trial::failed_there(Refusal refusal) {
  refusal.detail = kAtGiven + refusal.detail;
  if (refusal.rule == "run.raised" || refusal.rule == "guard.compute") return refusal;
  note("unjudged", 0, "what the host code does for the given sizes could not be found out: " + refusal.detail);
  return std::nullopt;
}

Result<MaybeRefusal> Trial::given_programs(CandidateSide& candidate, const GivenDraw& drawn) {
  const auto since = std::chrono::steady_clock::now();
  std::variant<SampledPrograms, Refusal> answer;
  if (drawn.unfit.empty()) {
    KA_ASSIGN(answer, candidate.sample_given_sizes(context_.cancel));
  } else {
    std::get<SampledPrograms>(answer).why_not = drawn.unfit;
  }
  time("given sizes", since);
  if (Refusal* refusal = std::get_if<Refusal>(&answer)) return failed_there(std::move(*refusal));
  KA_ASSIGN(MaybeRefusal refusal, check_sampled(std::get<SampledPrograms>(answer), drawn));
  if (refusal) refusal->detail = kAtGiven + refusal->detail;
  return refusal;
}

// Where sizes were scaled down: what the host code does for the given ones. It must not raise, what it launches must compile, and
// the programs that can be run there must not be wrong.
Result<MaybeRefusal> Trial::given_sizes(CandidateSide& candidate) {
  if (!given_.valid()) return MaybeRefusal();
  const auto since = std::chrono::steady_clock::now();
  KA_ASSIGN(GivenDraw drawn, given_.get());
  KA_ASSIGN(auto answer, candidate.at_given_sizes(drawn, context_.cancel));
  time("given sizes", since);
  if (Refusal* refusal = std::get_if<Refusal>(&answer)) return failed_there(std::move(*refusal));
  const GivenSizes& given = std::get<GivenSizes>(answer);
  if (given.count == 0) return MaybeRefusal(Refusal{"guard.launch", "at the given sizes"});
  KA_ASSIGN(MaybeRefusal refusal, compile_given(given.launches));
  if (refusal) return refusal;
  KA_ASSIGN(refusal, hidden_configs(candidate, given.hidden));
  if (refusal) return refusal;
  return given_programs(candidate, drawn);
}

// A configuration that pruning hides from the verified sizes, but not from the given ones, is tried all the same. A wrong
// answer refuses it. One that cannot work at a small size (it raises, or leaves its buffers) is no fault: it is named. So is
// one that does not compile, since Triton leaves that out.
Result<MaybeRefusal> Trial::hidden_configs(CandidateSide& candidate, const std::vector<std::string>& hidden) {
  std::vector<std::string> unjudged;
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    RunOutcome outcome;
    KA_ASSIGN(MaybeRefusal refusal, run_once(candidate, {&draws_[0], "nan", static_cast<int>(k), false, "forward", true}, outcome));
    if (!refusal) {
      KA_ASSIGN(refusal, numbers(outcome, draws_[0]));
    }
    const bool wrong = refusal && refusal->rule.starts_with("result.") && refusal->rule != "result.bounds";
    if (wrong) {
      refusal->detail = fmt::format("autotune configuration {} (pruned for the verified sizes, kept for the given ones): {}",
                                    hidden[k], refusal->detail);
      return refusal;
    }
    if (!refusal && options_.check_compile) {
      KA_ASSIGN(bridge::Child compiler, context_.interpreter.spawn("compile_check", sandbox(), context_.cancel));
      KA_ASSIGN(CompileReport report, check_compiles(compiler, kernel_, outcome.launches, options_.target_arch,
                                                     candidate_options(), context_.cancel));
      refusal = report.refusal;
    }
    if (refusal) unjudged.push_back(fmt::format("{}: {} ({})", hidden[k], refusal->rule, elide_middle(refusal->detail, 120)));
  }
  if (!hidden.empty())
    note("hidden", static_cast<std::int64_t>(hidden.size()), "autotune configurations that pruning keeps for the given sizes alone");
  if (!unjudged.empty())
    note("unjudged", static_cast<std::int64_t>(unjudged.size()), "configurations that cannot be judged at the verified sizes: " + join(unjudged, "; "));
  return MaybeRefusal();
}

}  // namespace ka::verify

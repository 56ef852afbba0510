// The single questions that the judge asks of one call of the kernel. Each returns the rule that does not hold, or
// nothing. They are free functions over values, so each is tested without a process.
#pragma once

#include <optional>
#include <string>

#include "model/verdict.h"
#include "verify/candidate_side.h"
#include "verify/compare.h"
#include "verify/reference_side.h"

namespace ka::verify {

// Is the returned value of the right structure, shape, dtype, layout, in fresh memory, with the inputs as they were?
std::optional<Refusal> check_contract(const RunOutcome& outcome, const Draw& draw, const ReferenceFacts& reference);

// Did the file's own kernels run, touch every output, and stay in their buffers; did nothing else compute?
std::optional<Refusal> check_guard(const RunOutcome& outcome);

// Two calls with the same inputs on differently poisoned memory: was everything written, are the bits the same?
// With `bitwise` false (atomics) only unwritten elements are refused.
std::optional<Refusal> check_repetition(const RunOutcome& first, const RunOutcome& second, bool bitwise);

// Does this answer repeat the answer to other inputs, although the reference's answers differ?
std::optional<Refusal> check_fresh(const RunOutcome& now, const Draw& draw, const RunOutcome& before,
                                   const Draw& draw_before);

// Did the kernel leave the module's buffers as forward leaves them? True when forward updates none.
bool buffers_agree(const RunOutcome& outcome, const Draw& draw);

// Are the numbers right? Fills in the precision figures and the worst element of the verdict.
// `wider`: the tolerance is as many times as large.
std::optional<Refusal> check_numbers(const RunOutcome& outcome, const Draw& draw, model::Verdict& verdict, double wider = 1);

}  // namespace ka::verify

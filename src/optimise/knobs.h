// Knobs: numbers at the launches of a kernel file that may be others without changing what it computes (python/bridge/knobs.py finds them), and moves that turn one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bridge/warm_interpreter.h"
#include "optimise/search.h"
#include "os/cancel.h"

namespace ka::optimise {

struct Knob {
  std::string kernel, name, kind;  // warps, stages, block
  std::int64_t value = 0;
  std::int64_t line = 0;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // bytes of the text, ascending; each holds the value
};

// The text is foreign: what cannot be read has no knobs, and the error is the world's.
Result<std::vector<Knob>> find_knobs(const std::string& text, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel);
// From the child's answer. Places that are none of the text are an error.
Result<std::vector<Knob>> knobs_from_json(const Json& answer, std::string_view text);

// The text with another number in all its places.
std::string turned(const std::string& text, const Knob& knob, std::int64_t value);

// Numbers worth a try, the nearest first.
std::vector<std::int64_t> other_values(const Knob& knob);

// What a program is held back by ("latency", "memory", ...), the worst first; may be empty.
using Diagnose = std::function<std::vector<std::string>(const Program& program)>;
using FindKnobs = std::function<Result<std::vector<Knob>>(const std::string& text)>;

// Turns one knob at a time: for each of the worst bottlenecks the kinds of knobs that may help against it, nearest values first; then the others.
class KnobProposer : public Proposer {
 public:
  KnobProposer(FindKnobs find, Diagnose diagnose) : find_(std::move(find)), diagnose_(std::move(diagnose)) {}
  Result<std::vector<Move>> propose(const Program& program, const State& state, int bottlenecks) override;

 private:
  FindKnobs find_;
  Diagnose diagnose_;
};

}  // namespace ka::optimise

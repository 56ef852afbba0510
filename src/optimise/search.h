// The search for a faster kernel: which programs are changed, which candidates are timed and for how long, who wins, and when it ends.
//
// How a kernel is judged, timed and changed is the business of others (Device, Proposer): the search is the same on a GPU and on a recording of one. The input stays in the
// race until the end, so the result is never slower than it; a candidate wins only where the confidence interval of paired samples says so. Many rounds choose many times, and
// the luckiest of many looks faster than it is: what the search claims in the end is measured by a last race, on samples by which nothing was chosen.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "optimise/reflection.h"

namespace ka::optimise {

struct Program {
  int id = 0, parent = -1, round = 0;  // the input is number 0
  std::string text;
  std::string move, bottleneck;  // what was changed of its parent, and against what
  double ms = 0;                 // by the input's clock: its ratio to the input, where both were timed together, times the input's first time
  std::vector<std::string> path = {};  // all moves from the input to it, its own included
};

// What was tried and did not become a program of the race, or did: for reports, and for whoever proposes the next move.
struct Attempt {
  int round = 0, parent = 0;
  std::string move, bottleneck;
  std::string outcome;         // "refused", "same_code", "crashed", "slower", "not_certain", "impossible", "kept"
  std::string reason;          // a sentence
  std::optional<double> ms;    // where it was timed
  int order = 0;               // among the candidates of its round; neither this nor the text is kept
  std::string text = {};       // only until its round is kept
  std::string by = {};         // the language model that proposed it; empty: a rule did
  std::string expected = {};   // what it said would come of it
};

struct Judged {
  bool accepted = false;
  std::string reason;  // why not
  std::string code;    // identity of what it compiles to; empty: not known
  bool reached = true;  // false: the limit came first, and nothing is known of it
};

// Samples by contender and round of timing; an empty list is a contender that crashed.
using Samples = std::vector<std::vector<double>>;
enum class Effort { brief, full, last };

// Why it must end now ("the limit of 5 minutes"); empty: it need not. May be asked by several threads.
using Limit = std::function<std::string()>;

class Device {
 public:
  virtual ~Device() = default;
  // All of them, side by side; at the limit what is not judged yet is not reached. An error: nothing can be judged any more.
  virtual Result<std::vector<Judged>> judge(const std::vector<std::string>& texts, const Limit& limit) = 0;
  // Interleaved: sample i of all contenders was taken in the same round. An error other than `cancelled`: somebody took the GPU down with them.
  virtual Result<Samples> time(const std::vector<std::string>& texts, Effort effort) = 0;
};

struct Move {
  std::string text, what, bottleneck;
  std::string by = {}, expected = {};  // as in Attempt
  std::string refused = {};            // why there is no text to try: an answer without a kernel
  bool anew = false;                   // a kernel of its own, not a change: it is proposed for the input alone, so the limit of moves never leaves it out
};

struct State;
class Proposer {
 public:
  virtual ~Proposer() = default;
  // Changes of this program, the most promising first, against so many of its bottlenecks. What was tried before is in the state.
  virtual Result<std::vector<Move>> propose(const Program& program, const State& state, int bottlenecks) = 0;
  // Why it proposes less than it did ("the limit of 2000 tokens was reached"); empty: it does not.
  virtual std::string silent() const { return ""; }
};

struct SearchOptions {
  int width = 2;           // programs that are changed in a round: 1 is greedy
  int bottlenecks = 2;     // of each
  int moves = 8;           // of each program in a round; kernels of their own (Move::anew) may be more
  int rounds = 10;
  int patience = 3;        // rounds without a gain
  double floor_ms = 0;     // the least time, by what the GPU is known to reach; 0: not known
  double least_ms = 0;     // that no honest program can beat, by its data sheet too; 0: floor_ms
  double target = 0.95;    // of the floor
  Limit limit = {};        // also inside of a round: then nothing more is judged, and what was accepted by then is timed
  std::uint64_t seed = 1;
};

// What the last race says of a program that is certainly faster than the input: how many times, and between which bounds.
struct Finish {
  int program = 0;  // id
  double gain = 1, low = 1, high = 1;
};

// Where the search stands. With it the search goes on as if nothing had happened.
struct State {
  int round = 0, quiet_rounds = 0;
  double input_ms = 0;                // its first median
  std::vector<Program> programs;      // in the race, the input first
  std::vector<Attempt> attempts;
  std::vector<Reflection> reflections;  // on what language models proposed
  std::set<std::string> texts, codes;  // identities of what was tried
  int best = 0;                        // id
  std::string stop;                    // why it ended; empty: it has not
  bool has_finished = false;           // the last race was run
  std::vector<Finish> finish;          // the best first; empty: nothing was certainly faster than the input

  const Program& best_program() const;
};
Json to_json(const Finish& finish);
Json to_json(const State& state);
Result<State> state_from_json(const Json& json);

// Called after every round, and after the last race.
using Keep = std::function<Status(const State& state)>;

// `state`: empty but for the input's text in programs[0], or one that was kept. Errors are the world's; whatever is wrong with a candidate is its attempt.
Status search(State& state, const SearchOptions& options, Device& device, Proposer& proposer, const Keep& keep);

// By which a text is told from others.
std::string text_identity(const std::string& text);

// The input's share of the least time that is possible; above 1 is a mistake of somebody.
double efficiency(double floor_ms, double ms);

}  // namespace ka::optimise

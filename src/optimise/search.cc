#include "optimise/search.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/statistics.h"
#include "base/strings.h"

namespace ka::optimise {
namespace {

constexpr double kWithin = 1.1;       // of the best, by a brief timing: who is farther behind is not timed again
constexpr double kImpossible = 1.02;  // of the least time; clocks are not better than that
constexpr std::size_t kFewest = 2;    // that are timed fully, where there are so many
constexpr int kLastDraws = 10'000;    // of the last race's intervals, whose ends lie far out

struct Contender {
  Move move;
  int parent = 0;
  std::vector<double> brief;
  int order = 0;
};

class Search {
 public:
  Search(State& state, const SearchOptions& options, Device& device, Proposer& proposer, const Keep& keep)
      : state_(state), options_(options), device_(device), proposer_(proposer), keep_(keep) {}

  Status run() {
    if (state_.programs.size() == 1 && state_.input_ms == 0) KA_TRY(time_input());
    else if (state_.stop.empty()) state_.stop = why_stop();  // it goes on, perhaps from where it had ended
    if (state_.stop.empty()) state_.has_finished = false;
    while (state_.stop.empty()) {
      KA_TRY(one_round());
      state_.stop = why_stop();
      KA_TRY(keep_(state_));
      for (Attempt& one : state_.attempts) one.text.clear();
    }
    if (state_.has_finished || state_.best == 0) return ok();
    KA_TRY(last_race());
    return keep_(state_);
  }

 private:
  bool is_over() const { return options_.limit && !options_.limit().empty(); }

  Program& program(int id) {
    return *std::find_if(state_.programs.begin(), state_.programs.end(), [id](const Program& one) { return one.id == id; });
  }

  Status time_input() {
    Program& input = state_.programs[0];
    KA_ASSIGN(const std::vector<Judged> judged, device_.judge({input.text}, {}));
    if (!judged[0].accepted) return invalid_input(fmt::format("the kernel to begin with is refused: {}", judged[0].reason));
    state_.texts.insert(text_identity(input.text));
    if (!judged[0].code.empty()) state_.codes.insert(judged[0].code);
    KA_ASSIGN(const Samples samples, device_.time({input.text}, Effort::full));
    if (samples.empty() || samples[0].empty()) return environment_error("the kernel to begin with could not be timed");
    state_.input_ms = input.ms = median(samples[0]);
    state_.stop = why_stop();
    return keep_(state_);
  }

  // The floor says when there is nothing left to gain, and when somebody cheats; patience says when nothing comes any more.
  std::string why_stop() const {
    const double reached = efficiency(options_.floor_ms, state_.best_program().ms);
    if (options_.floor_ms > 0 && reached >= options_.target) return fmt::format("{:.1f} % of the least possible time is reached (target {:.1f} %)", 100 * reached, 100 * options_.target);
    if (state_.quiet_rounds >= options_.patience) return fmt::format("no gain beyond noise in {} round{}", state_.quiet_rounds, state_.quiet_rounds == 1 ? "" : "s");
    if (nothing_left_) return fmt::format("no move is left to try{}{}", proposer_.silent().empty() ? "" : ": ", proposer_.silent());
    if (state_.round >= options_.rounds) return fmt::format("the limit of {} round{}", options_.rounds, options_.rounds == 1 ? "" : "s");
    return options_.limit ? options_.limit() : "";
  }

  Status one_round() {
    ++state_.round;
    const std::size_t earlier = state_.attempts.size();
    KA_ASSIGN(std::vector<Contender> contenders, candidates());
    nothing_left_ = contenders.empty() && state_.attempts.size() == earlier;
    std::map<int, double> times;
    for (const Program& one : state_.programs) times[one.id] = one.ms;
    KA_TRY(drop_refused(contenders));
    KA_TRY(drop_slow(contenders));
    const int before = state_.best;
    if (!contenders.empty()) KA_TRY(race(contenders));
    for (std::size_t i = earlier; i < state_.attempts.size(); ++i) {
      if (const Attempt& one = state_.attempts[i]; !one.by.empty()) state_.reflections.push_back(reflect(one, times[one.parent]));
    }
    if (state_.best != before) state_.quiet_rounds = 0;
    else if (!is_cut_) ++state_.quiet_rounds;
    return ok();
  }

  void note(const Contender& one, const char* outcome, const std::string& reason, std::optional<double> ms = {}) {
    state_.attempts.push_back({state_.round, one.parent, one.move.what, one.move.bottleneck, outcome, reason, ms, one.order, one.move.text, one.move.by, one.move.expected});
  }

  // The fastest programs, and what might be done to each that was not done before.
  Result<std::vector<Contender>> candidates() {
    std::vector<const Program*> parents;
    for (const Program& one : state_.programs) parents.push_back(&one);
    std::stable_sort(parents.begin(), parents.end(), [](const Program* a, const Program* b) { return a->ms < b->ms; });
    parents.resize(std::min(parents.size(), static_cast<std::size_t>(options_.width)));
    std::vector<Contender> out;
    int order = 0;
    for (const Program* const parent : parents) {
      if (parent != parents.front() && is_over()) break;
      KA_ASSIGN(const std::vector<Move> moves, proposer_.propose(*parent, state_, options_.bottlenecks));
      int taken = 0;
      for (const Move& move : moves) {
        if (taken >= options_.moves && !move.anew) continue;
        Contender one{move, parent->id, {}, order++};
        if (!move.refused.empty()) {
          note(one, "refused", move.refused);
          continue;
        }
        if (!state_.texts.insert(text_identity(move.text)).second) {
          if (!move.by.empty()) note(one, "same_code", "its text was tried before");
          continue;
        }
        out.push_back(std::move(one));
        ++taken;
      }
    }
    return out;
  }

  Status drop_refused(std::vector<Contender>& contenders) {
    if (contenders.empty()) return ok();
    std::vector<std::string> texts;
    for (const Contender& one : contenders) texts.push_back(one.move.text);
    KA_ASSIGN(const std::vector<Judged> judged, device_.judge(texts, options_.limit));
    std::vector<Contender> out;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      if (!judged[i].reached) {
        state_.texts.erase(text_identity(contenders[i].move.text));  // a run that goes on may try it
        is_cut_ = true;
        continue;
      }
      if (!judged[i].accepted) note(contenders[i], "refused", judged[i].reason);
      else if (!judged[i].code.empty() && !state_.codes.insert(judged[i].code).second) note(contenders[i], "same_code", "it compiles to what was tried before");
      else out.push_back(std::move(contenders[i]));
    }
    contenders = std::move(out);
    return ok();
  }

  // A brief timing beside the best; the better half of those that are not far behind it goes on.
  Status drop_slow(std::vector<Contender>& contenders) {
    if (contenders.empty()) return ok();
    KA_ASSIGN(const Samples samples, timed_beside_best(contenders));
    const double best = median(samples[0]);
    std::vector<Contender> out;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      contenders[i].brief = samples[i + 1];
      const double mine = median(samples[i + 1]);
      if (samples[i + 1].empty()) note(contenders[i], "crashed", "it ended the process that timed it");
      else if (best > 0 && mine > kWithin * best) note(contenders[i], "slower", fmt::format("{:.2f} times the time of the best", mine / best), by_input_clock(mine, best));
      else out.push_back(std::move(contenders[i]));
    }
    std::stable_sort(out.begin(), out.end(), [](const Contender& a, const Contender& b) { return median(a.brief) < median(b.brief); });
    const std::size_t survivors = std::max(std::min(out.size(), kFewest), (out.size() + 1) / 2);
    for (std::size_t i = survivors; i < out.size(); ++i) note(out[i], "slower", "others of its round were faster in a brief timing", by_input_clock(median(out[i].brief), best));
    out.resize(survivors);
    contenders = std::move(out);
    return ok();
  }

  // A best that has become unable to run is no longer the best.
  Result<Samples> timed_beside_best(const std::vector<Contender>& contenders) {
    std::vector<std::string> texts = {state_.best_program().text};
    for (const Contender& one : contenders) texts.push_back(one.move.text);
    Result<Samples> out = timed(texts, Effort::brief);
    const bool cancelled = !out && out.error().kind == ErrorKind::cancelled;
    if (cancelled || state_.best == 0 || (out && !(*out)[0].empty())) return out;
    state_.best = 0;
    texts[0] = state_.best_program().text;
    return timed(texts, Effort::brief);
  }

  double by_input_clock(double ms, double best_now) { return best_now > 0 ? ms / best_now * state_.best_program().ms : ms; }

  // The survivors, the best and the input, all in one set.
  Status race(std::vector<Contender>& contenders) {
    std::vector<std::string> texts = {state_.programs[0].text, state_.best_program().text};
    for (const Contender& one : contenders) texts.push_back(one.move.text);
    KA_ASSIGN(const Samples samples, timed(texts, Effort::full));
    const double input_now = median(samples[0]);
    if (input_now <= 0) return environment_error("the kernel to begin with could not be timed again");
    if (state_.best != 0 && !samples[1].empty()) program(state_.best).ms = state_.input_ms * median(samples[1]) / input_now;
    if (samples[1].empty() || median(samples[1]) > input_now) state_.best = 0;  // it was fast once
    const std::vector<double>* leader = state_.best == 0 ? &samples[0] : &samples[1];
    const double certainty = 1 - 0.05 / static_cast<double>(std::max<std::size_t>(1, contenders.size()));  // 95 % of all of them together
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::vector<double>& mine = samples[i + 2];
      if (mine.empty()) {
        note(contenders[i], "crashed", "it ended the process that timed it");
        continue;
      }
      const double ms = state_.input_ms * median(mine) / input_now;
      if (is_impossible(ms)) {
        note(contenders[i], "impossible", fmt::format("{:.0f} % of the least possible time: a mistake in the floor, or a cheat", 100 * efficiency(least_ms(), ms)), ms);
        continue;
      }
      const Ratio gain = ratio_of_medians(*leader, mine, certainty, 2000, options_.seed);
      const bool wins = gain.low > 1;
      note(contenders[i], wins ? "kept" : gain.high < 1 ? "slower" : "not_certain", fmt::format("{:.3f} times as fast as the best (between {:.3f} and {:.3f})", gain.value, gain.low, gain.high), ms);
      const int id = next_id();
      std::vector<std::string> path = program(contenders[i].parent).path;
      path.push_back(contenders[i].move.what);
      state_.programs.push_back({id, contenders[i].parent, state_.round, contenders[i].move.text, contenders[i].move.what, contenders[i].move.bottleneck, ms, std::move(path)});
      if (!wins) continue;
      state_.best = id;
      leader = &mine;
    }
    return keep_fastest();
  }

  double least_ms() const { return options_.least_ms > 0 ? options_.least_ms : options_.floor_ms; }
  bool is_impossible(double ms) const { return least_ms() > 0 && efficiency(least_ms(), ms) > kImpossible; }

  // The input and all that are still in the race, once more, on samples by which nothing was chosen: the claim of the search is theirs. Where the best is not certainly faster than
  // the input the next that is takes its place; where nobody is, the input does.
  Status last_race() {
    std::vector<std::string> texts;
    for (const Program& one : state_.programs) texts.push_back(one.text);
    KA_ASSIGN(const Samples samples, timed(texts, Effort::last));
    const double input_now = median(samples[0]);
    if (input_now <= 0) return environment_error("the kernel to begin with could not be timed again");
    const double certainty = 1 - 0.05 / static_cast<double>(std::max<std::size_t>(1, texts.size() - 1));  // 95 % of all of them together
    state_.finish.clear();
    for (std::size_t i = 1; i < samples.size(); ++i) {
      Program& one = state_.programs[i];
      if (samples[i].empty()) continue;
      one.ms = state_.input_ms * median(samples[i]) / input_now;
      const Ratio gain = ratio_of_medians(samples[0], samples[i], certainty, kLastDraws, options_.seed);
      if (gain.low > 1 && !is_impossible(one.ms)) state_.finish.push_back({one.id, gain.value, gain.low, gain.high});
    }
    std::stable_sort(state_.finish.begin(), state_.finish.end(), [this](const Finish& a, const Finish& b) { return std::pair(a.program != state_.best, -a.gain) < std::pair(b.program != state_.best, -b.gain); });
    state_.best = state_.finish.empty() ? 0 : state_.finish[0].program;
    state_.has_finished = true;
    return ok();
  }

  int next_id() const {
    int out = 0;
    for (const Program& one : state_.programs) out = std::max(out, one.id);
    return out + 1;
  }

  // The input, the best, and as many others as a round can change.
  Status keep_fastest() {
    std::vector<Program> others;
    std::vector<Program> out = {state_.programs[0]};
    for (std::size_t i = 1; i < state_.programs.size(); ++i) (state_.programs[i].id == state_.best ? out : others).push_back(state_.programs[i]);
    std::stable_sort(others.begin(), others.end(), [](const Program& a, const Program& b) { return a.ms < b.ms; });
    others.resize(std::min(others.size(), static_cast<std::size_t>(options_.width)));
    out.insert(out.end(), others.begin(), others.end());
    state_.programs = std::move(out);
    return ok();
  }

  // Where one of them takes the GPU down, each is timed beside the first alone, and the guilty one has no samples.
  Result<Samples> timed(const std::vector<std::string>& texts, Effort effort) {
    Result<Samples> all = device_.time(texts, effort);
    if (all && all->size() == texts.size()) return even(std::move(*all));
    if (!all && all.error().kind == ErrorKind::cancelled) return all.error();
    Samples out(texts.size());
    for (std::size_t i = 1; i < texts.size(); ++i) {
      Result<Samples> two = device_.time({texts[0], texts[i]}, effort);
      if (!two && two.error().kind == ErrorKind::cancelled) return two.error();
      if (!two || two->size() != 2) continue;
      if (out[0].empty()) out[0] = (*two)[0];
      out[i] = beside((*two)[1], (*two)[0], out[0]);
    }
    if (!out[0].empty()) return even(std::move(out));
    KA_ASSIGN(Samples alone, device_.time({texts[0]}, effort));
    out[0] = alone.empty() ? std::vector<double>() : alone[0];
    return out;
  }

  // Rounds that all of them have: sets that were timed apart may have been cut at different ones. Who has fewer than half of the others' went away in between.
  static Samples even(Samples samples) {
    std::size_t most = 0;
    for (const std::vector<double>& one : samples) most = std::max(most, one.size());
    std::size_t least = most;
    for (std::vector<double>& one : samples) {
      if (one.size() < (most + 1) / 2) one.clear();
      else least = std::min(least, one.size());
    }
    for (std::vector<double>& one : samples) one.resize(std::min(one.size(), least));
    return samples;
  }

  // Samples of another set, as if taken beside `reference`: each keeps its ratio to what it was paired with.
  static std::vector<double> beside(const std::vector<double>& samples, const std::vector<double>& paired, const std::vector<double>& reference) {
    std::vector<double> out;
    for (std::size_t i = 0; i < std::min({samples.size(), paired.size(), reference.size()}); ++i) out.push_back(paired[i] > 0 ? samples[i] / paired[i] * reference[i] : samples[i]);
    return out;
  }

  State& state_;
  const SearchOptions& options_;
  Device& device_;
  Proposer& proposer_;
  const Keep& keep_;
  bool is_cut_ = false;        // the limit came while candidates were judged
  bool nothing_left_ = false;  // what is proposed was tried before, all of it
};

}  // namespace

const Program& State::best_program() const {
  return *std::find_if(programs.begin(), programs.end(), [this](const Program& one) { return one.id == best; });
}

std::string text_identity(const std::string& text) { return sha256_hex(trim(text)); }

double efficiency(double floor_ms, double ms) { return ms > 0 ? floor_ms / ms : 0; }

Status search(State& state, const SearchOptions& options, Device& device, Proposer& proposer, const Keep& keep) { return Search(state, options, device, proposer, keep).run(); }

}  // namespace ka::optimise

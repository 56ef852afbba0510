#include "report/search_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ka::report {
namespace {

constexpr const char* kState = "program_database.json";
constexpr const char* kResult = "optimize.json";
constexpr std::size_t kMaxRounds = 10'000;

struct OutcomeRow {
  const char *outcome, *text;
};
constexpr auto kOutcomes = std::to_array<OutcomeRow>({{"kept", "won"},
                                                      {"not_certain", "no certain gain"},
                                                      {"slower", "slower"},
                                                      {"same_code", "the same code as another"},
                                                      {"refused", "refused"},
                                                      {"crashed", "crashed"},
                                                      {"impossible", "too fast to be true"}});

double number_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) return 0;
  const auto value = found->get<double>();
  return std::isfinite(value) && value > 0 ? value : 0;
}

std::string text_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? one_line(found->get<std::string>()) : "";
}

std::size_t place_of(const SearchTry& one) {
  for (std::size_t i = 0; i < kOutcomes.size(); ++i) {
    if (one.outcome == kOutcomes[i].outcome) return i;
  }
  return kOutcomes.size();
}

void add_try(SearchView& view, const Json& attempt) {
  const double round = number_in(attempt, "round_num");
  if (round < 1 || round > static_cast<double>(kMaxRounds)) return;
  const auto number = static_cast<std::size_t>(round);
  while (view.rounds.size() < number) view.rounds.push_back({view.rounds.size() + 1, 0, {}});
  SearchTry one{number, text_in(attempt, "move"), text_in(attempt, "bottleneck"), text_in(attempt, "outcome"), text_in(attempt, "reason"), {}};
  if (const double ms = number_in(attempt, "time_ms"); ms > 0) one.ms = ms;
  view.rounds[number - 1].tries.push_back(std::move(one));
}

// The last winner of a round is the best after it.
void fill_bests(SearchView& view) {
  double best = view.input_ms;
  for (SearchRound& round : view.rounds) {
    for (const SearchTry& one : round.tries) {
      if (one.outcome == "kept" && one.ms) best = *one.ms;
    }
    round.best_ms = best;
    std::stable_sort(round.tries.begin(), round.tries.end(), [](const SearchTry& a, const SearchTry& b) {
      return std::pair(place_of(a), a.ms.value_or(HUGE_VAL)) < std::pair(place_of(b), b.ms.value_or(HUGE_VAL));
    });
  }
}

void read_best(const Json& state, SearchView& view) {
  const auto programs = state.find("programs"), best = state.find("best");
  if (programs == state.end() || !programs->is_array() || best == state.end()) return;
  for (const Json& program : *programs) {
    if (!program.is_object() || program.value("program_id", Json()) != *best) continue;
    view.best_ms = number_in(program, "time_ms");
    const auto path = program.find("path");
    if (path == program.end() || !path->is_array()) continue;
    for (const Json& move : *path) {
      if (move.is_string()) view.path.push_back(one_line(move.get<std::string>()));
    }
  }
}

// The first that is certainly faster is the best.
void read_last_race(const Json& state, SearchView& view) {
  const auto race = state.find("last_race");
  if (race == state.end() || !race->is_array()) return;
  view.last_race = "nothing was certainly faster than the given kernel, which stays";
  if (race->empty() || !race->front().is_object()) return;
  const Json& first = race->front();
  view.last_race = fmt::format("{:.3f} times as fast as the given kernel (between {:.3f} and {:.3f})", number_in(first, "speedup"), number_in(first, "low"), number_in(first, "high"));
}

void read_result(const Json& result, SearchView& view) {
  view.floor_ms = number_in(result, "floor_ms");
  view.device = text_in(result, "device");
  view.message = text_in(result, "message");
  if (const auto models = result.find("models"); models != result.end() && models->is_object()) view.models = text_in(*models, "told");
  const auto roof = result.find("roofline");
  if (roof == result.end() || !roof->is_object()) return;
  const SearchRoof read{number_in(*roof, "bytes"), number_in(*roof, "flops"), number_in(*roof, "peak_bytes"), number_in(*roof, "peak_flops")};
  if (read.bytes > 0 && read.flops > 0 && read.peak_bytes > 0 && read.peak_flops > 0) view.roof = read;
}

}  // namespace

std::string outcome_text(const std::string& outcome) {
  const auto* const row = std::find_if(kOutcomes.begin(), kOutcomes.end(), [&](const OutcomeRow& one) { return one.outcome == outcome; });
  return row == kOutcomes.end() ? outcome : row->text;
}

std::optional<SearchView> read_search(RunFiles& files) {
  if (!files.has(kState)) return std::nullopt;
  const std::shared_ptr<const Json> state = files.json(kState);
  if (!state) return std::nullopt;
  if (!state->is_object()) {
    files.complain(kState, "expected where the search stands");
    return std::nullopt;
  }
  SearchView view;
  view.input_ms = number_in(*state, "input_ms");
  view.stop = text_in(*state, "stop");
  read_best(*state, view);
  read_last_race(*state, view);
  if (const auto attempts = state->find("attempts"); attempts != state->end() && attempts->is_array()) {
    for (const Json& attempt : *attempts) {
      if (attempt.is_object()) add_try(view, attempt);
    }
  }
  const auto last = static_cast<std::size_t>(std::min(number_in(*state, "round"), static_cast<double>(kMaxRounds)));
  while (view.rounds.size() < last) view.rounds.push_back({view.rounds.size() + 1, 0, {}});  // in which nothing was left to try
  fill_bests(view);
  if (files.has(kResult)) {
    if (const std::shared_ptr<const Json> result = files.json(kResult); result && result->is_object()) read_result(*result, view);
  }
  view.input_path = "input/kernel.py";
  if (files.has(view.input_path)) view.input = files.text(view.input_path).value_or("");
  return view;
}

}  // namespace ka::report

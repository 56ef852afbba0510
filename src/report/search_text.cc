#include "report/search_text.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace ka::report {
namespace {

constexpr std::size_t kShownOfAKind = 3;  // of one round, against one bottleneck

std::string gain_text(const SearchView& search, double ms) {
  if (ms <= 0) return "no time";
  return fmt::format("{:.4f} ms, {:.2f} times as fast as the given kernel", ms, search.input_ms / ms);
}

void tell_tries(const std::vector<const SearchTry*>& tries, const AddLine& add) {
  std::map<std::string, std::size_t> told;
  for (const SearchTry* const one : tries) {
    if (++told[one->outcome] > kShownOfAKind) continue;
    const std::string time = one->ms ? fmt::format(", {:.4f} ms", *one->ms) : "";
    add("        ", fmt::format("{}: {}{}{}", outcome_text(one->outcome), one->move, time, one->reason.empty() ? "" : "; " + one->reason));
  }
  for (const auto& [outcome, count] : told) {
    if (count > kShownOfAKind) add("        ", fmt::format("{}: and {} more (--json has all)", outcome_text(outcome), count - kShownOfAKind));
  }
}

}  // namespace

void tell_search(const SearchView& search, const AddLine& add) {
  add("search    ", fmt::format("{}; it began with {:.4f} ms", gain_text(search, search.best_ms), search.input_ms));
  if (search.device == "cpu") add("          ", "the interpreter's times say nothing about a GPU");
  if (search.floor_ms > 0 && search.best_ms > 0) add("          ", fmt::format("{:.1f} % of the least possible time, {:.4f} ms", 100 * search.floor_ms / search.best_ms, search.floor_ms));
  if (search.floor_ms > search.best_ms && search.best_ms > 0) add("          ", "more than 100 %: the floor or the time is wrong, or the kernel does less than the program");
  double before = search.input_ms;
  for (const SearchRound& round : search.rounds) {
    add("  ", fmt::format("round {}: {}", round.number, round.best_ms < before ? gain_text(search, round.best_ms) : round.tries.empty() ? "nothing was left to try" : "nobody won"));
    before = round.best_ms;
    std::vector<std::string> bottlenecks;
    for (const SearchTry& one : round.tries) {
      if (std::find(bottlenecks.begin(), bottlenecks.end(), one.bottleneck) == bottlenecks.end()) bottlenecks.push_back(one.bottleneck);
    }
    for (const std::string& bottleneck : bottlenecks) {
      std::vector<const SearchTry*> tries;
      for (const SearchTry& one : round.tries) {
        if (one.bottleneck == bottleneck) tries.push_back(&one);
      }
      add("      ", fmt::format("{} ({} tried)", bottleneck.empty() ? "against nothing in particular" : "against " + bottleneck, tries.size()));
      tell_tries(tries, add);
    }
  }
  if (!search.last_race.empty()) add("  last race: ", search.last_race);
  for (const std::string& move : search.path) add("  changed: ", move);
  add("  ended: ", search.stop.empty() ? "not yet" : search.stop);
  if (!search.models.empty()) add("  ", search.models);
  if (!search.message.empty()) add("  ", search.message);
}

Json to_json(const SearchView& search) {
  Json rounds = Json::array();
  for (const SearchRound& round : search.rounds) {
    Json tries = Json::array();
    for (const SearchTry& one : round.tries)
      tries.push_back({{"move", one.move}, {"bottleneck", one.bottleneck}, {"outcome", one.outcome}, {"reason", one.reason}, {"time_ms", one.ms ? Json(*one.ms) : Json()}});
    rounds.push_back({{"round", round.number}, {"best_ms", round.best_ms}, {"tried", tries}});
  }
  return {{"input_ms", search.input_ms}, {"best_ms", search.best_ms}, {"floor_ms", search.floor_ms}, {"device", search.device}, {"changed", search.path},
          {"rounds", rounds}, {"last_race", search.last_race}, {"ended", search.stop}, {"message", search.message}, {"models", search.models}};
}

}  // namespace ka::report

#include "pipeline/winners.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "graph/signature.h"

namespace ka::pipeline {
namespace {

Result<std::vector<store::Winner>> look(const std::string& signature, const WinnerSide& side) {
  KA_ASSIGN(std::optional<store::Winners> store, store::Winners::look(side.path));
  std::vector<store::Winner> out;
  for (const std::string& gpu : side.gpus) {
    if (!store) break;
    KA_ASSIGN(const std::vector<store::Winner> some, store->of(signature, gpu));
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

}  // namespace

Json to_json(const TakenWinner& taken) {
  Json winner = store::to_json(taken.winner);
  winner.erase("kernel");
  return {{"message", taken.message}, {"accepted", taken.accepted()}, {"judged", taken.verdict.has_value()}, {"winner", winner}};
}

std::optional<TakenWinner> find_winner(const graph::Exported& exported, const std::string& mode, const std::string& tier, const WinnerSide& side, EventLog* log) {
  if (side.path.empty() || side.gpus.empty()) return std::nullopt;
  const Result<std::vector<store::Winner>> found = look(graph::signature_of(exported, mode, tier), side);
  if (!found) {
    if (log != nullptr) log->warning("store", "not_read", found.error().message);
    return std::nullopt;
  }
  for (const store::Winner& one : *found) {
    if (!store::fits(one.versions, side.here)) continue;
    Result<std::string> text = store::text_for(one, graph::input_count(exported), graph::weight_keywords(exported));
    if (text) return TakenWinner{one, std::move(*text), {}, store::told(one)};
  }
  return std::nullopt;
}

Result<std::optional<TakenWinner>> try_winner(const verify::ProblemSource& problem, const graph::Exported& exported, const std::string& path, const verify::JudgeOptions& options, bool judge,
                                              const WinnerSide& side, const Means& means) {
  std::optional<TakenWinner> out = find_winner(exported, problem.mode, options.precision, side, means.log);
  if (!out || !judge) return out;
  KA_ASSIGN(out->verdict, ask_judge(problem, {path, out->text}, options, means, means.log));
  if (!out->verdict->accepted) out->message = fmt::format("the store's kernel of {} is refused here ({}: {})", out->winner.run_id, out->verdict->rule, out->verdict->reason);
  if (means.log != nullptr) means.log->info("store", out->accepted() ? "taken" : "refused", out->message);
  return out;
}

}  // namespace ka::pipeline

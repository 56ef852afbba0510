#include "app/cli/optimize_files.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_fields.h"

namespace ka::app {
namespace {

struct Worker {
  const optimise::Program* parent;
  std::string bottleneck;
  std::vector<const optimise::Attempt*> attempts;  // in the order in which they were proposed
};

std::vector<Worker> workers_of(const std::vector<optimise::Program>& parents, const optimise::State& state) {
  std::vector<const optimise::Program*> by_time;
  for (const optimise::Program& one : parents) by_time.push_back(&one);
  std::stable_sort(by_time.begin(), by_time.end(), [](const auto* a, const auto* b) { return a->ms < b->ms; });
  std::vector<Worker> out;
  for (const optimise::Program* const parent : by_time) {
    std::vector<const optimise::Attempt*> mine;
    for (const optimise::Attempt& one : state.attempts) {
      if (one.round == state.round && one.parent == parent->id) mine.push_back(&one);
    }
    std::stable_sort(mine.begin(), mine.end(), [](const auto* a, const auto* b) { return a->order < b->order; });
    const std::size_t first = out.size();
    for (const optimise::Attempt* const one : mine) {
      const auto found = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), [&](const Worker& worker) { return worker.bottleneck == one->bottleneck; });
      if (found != out.end()) found->attempts.push_back(one);
      else out.push_back({parent, one->bottleneck, {one}});
    }
  }
  return out;
}

Json json_of_try(const optimise::Attempt& one, double before_ms) {
  const bool timed = one.ms && *one.ms > 0;
  return {{"recommended_fix", one.move},
          {"by", one.by},
          {"outcome", one.outcome},
          {"passed_verification", one.outcome != "refused"},
          {"error_message", one.outcome == "refused" || one.outcome == "crashed" || one.outcome == "impossible" ? one.reason : ""},
          {"reason", one.reason},
          {"time_before_ms", before_ms},
          {"time_after_ms", timed ? Json(*one.ms) : Json()},
          {"improvement_pct", timed && before_ms > 0 ? Json(100 * (before_ms - *one.ms) / before_ms) : Json()},
          {"is_improvement", one.outcome == "kept"},
          {"kernel_sha256", one.text.empty() ? Json() : Json(sha256_hex(one.text))}};
}

const optimise::Attempt* fastest(const Worker& worker) {
  const optimise::Attempt* out = nullptr;
  for (const optimise::Attempt* const one : worker.attempts) {
    if (!one->ms || one->text.empty() || one->outcome == "impossible") continue;
    if (out == nullptr || *one->ms < *out->ms) out = one;
  }
  return out;
}

// What the model of this worker was asked, and what came of it. `begin`: of the names.
void add_talks(const Worker& worker, const optimise::State& state, const std::vector<pipeline::Talk>& talks, const std::string& begin, std::map<std::string, std::string>& out) {
  const auto is_mine = [&](const auto& one) { return one.round == state.round && one.parent == worker.parent->id && one.bottleneck == worker.bottleneck; };
  for (const pipeline::Talk& talk : talks) {
    if (!is_mine(talk)) continue;
    out[begin + "_opt_prompt.txt"] = talk.prompt;
    out[begin + "_opt_reply.txt"] = talk.reply;
  }
  for (const optimise::Reflection& one : state.reflections) {
    if (is_mine(one)) out[begin + "_reflexion.txt"] = optimise::reflection_text(one);
  }
}

}  // namespace

std::map<std::string, std::string> round_files(const std::vector<optimise::Program>& parents, const optimise::State& state, const std::string& run_id, const std::vector<pipeline::Talk>& talks) {
  std::map<std::string, std::string> out;
  const std::vector<Worker> workers = workers_of(parents, state);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const Worker& worker = workers[i];
    const std::string folder = fmt::format("workers/w{}/{}/artifacts", i, run_id);
    add_talks(worker, state, talks, fmt::format("{}/round{:03}", folder, state.round), out);
    Json moves = Json::array();
    for (const optimise::Attempt* const one : worker.attempts) moves.push_back(json_of_try(*one, worker.parent->ms));
    const optimise::Attempt* const best = fastest(worker);
    if (best != nullptr) out[fmt::format("{}/kernel_round_{}.py", folder, state.round)] = best->text;
    out[fmt::format("{}/round{:03}_strategy.json", folder, state.round)] =
        to_pretty_json_text({{"round_num", state.round}, {"worker_id", fmt::format("w{}", i)}, {"parent_id", worker.parent->id}, {"parent_time_ms", worker.parent->ms}, {"bottleneck_category", worker.bottleneck},
                             {"moves", moves}, {"best_move", best == nullptr ? Json() : Json(best->move)}, {"best_time_ms", best == nullptr ? Json() : Json(*best->ms)}});
  }
  return out;
}

Json roofline_json(const optimise::Work& work, const optimise::Floor& floor) {
  const double flops = work.product_flops + work.half_flops + work.other_flops;
  if (work.bytes <= 0 || floor.memory_seconds <= 0 || floor.compute_seconds < 0) return nullptr;
  // The roof over this program's own mix of products and other operations.
  return {{"bytes", work.bytes}, {"flops", flops}, {"peak_bytes", work.bytes / floor.memory_seconds}, {"peak_flops", floor.compute_seconds > 0 ? flops / floor.compute_seconds : 0}};
}

}  // namespace ka::app

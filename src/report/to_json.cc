// The JSON forms of this folder, together: the JSON library takes seconds to compile in every source that
// builds values.
#include <nlohmann/json.hpp>

#include "report/explain.h"
#include "report/run_list.h"
#include "report/search_text.h"

namespace ka::report {

Json to_json(const RunRow& row) {
  Json out = {{"id", row.id},           {"path", row.path},       {"state", to_string(row.state)},
              {"command", row.command}, {"problem", row.problem}, {"route", row.route},
              {"message", row.message}, {"started", row.started}, {"bytes", row.bytes}};
  out["seconds"] = row.seconds ? Json(*row.seconds) : Json();
  return out;
}

namespace {

Json times_json(const std::vector<TimeShare>& rows) {
  Json out = Json::array();
  for (const TimeShare& row : rows)
    out.push_back({{"name", row.name}, {"seconds", row.seconds}, {"share", row.share}});
  return out;
}

Json rules_json(const std::vector<std::pair<std::string, std::string>>& rows) {
  Json out = Json::array();
  for (const auto& [name, reason] : rows) out.push_back({{"name", name}, {"reason", reason}});
  return out;
}

}  // namespace

Json to_json(const Explanation& why, const RunView& view) {
  Json out = {{"run", to_json(view.row)}, {"complaints", view.complaints}, {"route", nullptr}};
  if (!view.cut_advice.empty()) out["cut_advice"] = view.cut_advice;
  if (view.search) out["search"] = to_json(*view.search);
  if (!view.store.empty()) out["store"] = {{"message", view.store}, {"taken", view.from_store}};
  if (view.sentence) {
    const model::SentenceRecord& said = *view.sentence;
    out["sentence"] = {{"text", said.sentence}, {"understood", said.understood}, {"by", said.by}, {"questions", said.questions}, {"input_tokens", said.input_tokens}, {"output_tokens", said.output_tokens}, {"dollars", said.dollars}};
  }
  for (const ModelAttempt& one : view.attempts)
    out["language_models"].push_back({{"part", one.part}, {"worker", one.worker}, {"round", one.round}, {"accepted", one.accepted}, {"rule", one.rule}, {"reason", one.reason}});
  if (why.route) {
    out["route"] = {{"strategy", why.route->strategy},
                    {"decided_by", why.route->decided_by},
                    {"confidence", why.route->confidence},
                    {"rationale", why.route->rationale},
                    {"decided", why.route->decided},
                    {"also_matched", rules_json(why.route->also)},
                    {"not_matched", rules_json(why.route->not_matched)}};
  }
  Json cuts = Json::array(), refusals = Json::array(), verdicts = Json::array();
  for (const WhyCut& cut : why.cuts)
    cuts.push_back({{"name", cut.name},
                    {"kind", cut.kind},
                    {"ops", cut.ops},
                    {"count", cut.count},
                    {"where", cut.where},
                    {"cost", cut.cost},
                    {"kept", cut.kept},
                    {"results", cut.results},
                    {"reads", cut.reads}});
  for (const WhyNot& row : why.refusals) refusals.push_back({{"reason", row.reason}, {"cases", row.cases}});
  for (const WhyVerdict& row : why.verdicts)
    verdicts.push_back({{"subject", row.subject},
                        {"accepted", row.accepted},
                        {"rule", row.rule},
                        {"reason", row.reason},
                        {"detail", row.detail},
                        {"again", row.again}});
  out["cuts"] = {{"operations", view.graph.operations},
                 {"pieces", cuts},
                 {"gpu", view.graph.gpu},
                 {"total", view.graph.total},
                 {"floor", view.graph.floor},
                 {"decided", view.graph.decisions},
                 {"rewritten", view.graph.rewrites}};
  out["refused"] = {{"not_fused", refusals}, {"not_exported", view.graph.not_exported}};
  out["verdicts"] = verdicts;
  out["parts"] = {{"judged", why.parts_judged}, {"accepted", why.parts_accepted}};
  out["times"] = {{"stages", times_json(why.times)},
                  {"judge", times_json(why.judge_times)},
                  {"parts", times_json(why.part_times)}};
  return out;
}

}  // namespace ka::report

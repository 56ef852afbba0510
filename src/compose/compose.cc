#include "compose/compose.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/strings.h"
#include "compose/check.h"
#include "compose/text.h"

namespace ka::compose {
namespace {

constexpr std::size_t kMaxForeignText = 700;
constexpr std::size_t kMaxTextBytes = std::size_t{12} << 20;  // of all parts; one message holds them

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Result<Json> request_for(const Program& program, const std::vector<Part>& parts) {
  std::set<std::string> used, local(program.inputs.begin(), program.inputs.end());
  local.insert(program.weights.begin(), program.weights.end());
  Json calls = Json::array(), texts = Json::array();
  std::size_t bytes = 0;
  for (const Call& call : program.calls) {
    local.insert(call.outputs.begin(), call.outputs.end());
    std::vector<std::string> keywords;
    for (const auto& [keyword, weight] : call.weights) keywords.push_back(keyword);
    calls.push_back({{"part", call.part}, {"inputs", call.inputs.size()}, {"weights", keywords}});
    const auto part = std::ranges::find(parts, call.part, &Part::id);
    if (!used.insert(call.part).second) continue;
    if (!is_utf8(part->text)) return invalid_input(fmt::format("the text of part \"{}\" is not UTF-8", part->id));
    bytes += part->text.size();
    texts.push_back({{"id", part->id}, {"text", part->text}, {"torch", part->is_torch}});
  }
  if (!is_utf8(program.returns) || !is_utf8(program.problem_text) || !is_utf8(program.problem_name + program.title))
    return invalid_input("the text of the problem is not UTF-8");
  if (bytes > kMaxTextBytes) return invalid_input(fmt::format("the parts have {} bytes together, more than {}", bytes, kMaxTextBytes));
  return Json{{"cmd", "merge"}, {"parts", texts}, {"calls", calls}, {"returns", trim(program.returns)}, {"local", local}};
}

Result<Json> ask(const Json& request, const Options& options, bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) {
  KA_ASSIGN(bridge::Child child, interpreter.spawn("compose", options.sandbox, cancel));
  KA_ASSIGN(bridge::Answer answer, child.ask(request, {}, os::Deadline::in(options.limit), cancel));
  if (answer.end == bridge::ChildEnd::timed_out) return timeout_error("the parts were not read within the time limit");
  if (answer.end != bridge::ChildEnd::alive) return invalid_input("the texts of the parts cannot be read: their reader died of them");
  KA_ASSIGN(Json json, parse_json(answer.text, "compose"));
  if (!json.value("ok", false))
    return internal_error("compose: " + elide_middle(json.value("error", Json::object()).value("message", "no proper answer"), kMaxForeignText));
  if (const std::string refused = json.value("refused", ""); !refused.empty()) return invalid_input(elide_middle(refused, kMaxForeignText));
  return json;
}

Merged merged_from(const Json& json) {
  Merged merged;
  json.at("imports").get_to(merged.imports);
  json.at("definitions").get_to(merged.definitions);
  json.at("functions").get_to(merged.functions);
  json.at("kernels").get_to(merged.kernels);
  json.at("names").get_to(merged.returned);
  json.at("weights").get_to(merged.weights);
  for (const auto& [id, kernels] : json.at("about").items())
    for (const Json& kernel : kernels) merged.launched[id].push_back({kernel.at(0), kernel.at(1)});
  for (const auto& [id, function] : merged.functions) merged.launched[id];
  return merged;
}

}  // namespace

Result<Composed> compose(const Program& program, const std::vector<Part>& parts, const Options& options,
                         bridge::WarmInterpreter& interpreter, const os::CancelToken& cancel) try {
  KA_TRY(check(program, parts));
  KA_ASSIGN(Json request, request_for(program, parts));
  KA_ASSIGN(Json answer, ask(request, options, interpreter, cancel));
  const Merged merged = merged_from(answer);
  KA_TRY(check_returned(program, merged.returned));
  Composed composed;
  composed.text = file_text(program, parts, merged);
  composed.kernels = merged.kernels;
  composed.returned = merged.returned;
  composed.launches = answer.at("launches").get<std::int64_t>();
  composed.uncaptured = elide_middle(answer.at("uncaptured").get<std::string>(), kMaxForeignText);
  for (const Json& part : request["parts"]) {
    const std::string id = part["id"];
    ComposedPart one{id, merged.functions.at(id), {}};
    for (const Kernel& kernel : merged.launched.at(id)) one.kernels.push_back(kernel.name);
    composed.parts.push_back(std::move(one));
    if (part["torch"].get<bool>()) composed.torch_parts.push_back(id);
  }
  return composed;
} catch (const std::exception& error) {  // a child that answers otherwise than compose.py does
  return internal_error(fmt::format("compose: unexpected answer ({})", error.what()));
}

std::string with_self_test(const Program& program, const std::string& text) {
  const std::size_t own = text.find("\nif __name__ ==");  // a script that its author ran with: the file has one of its own
  return trim(own == std::string::npos ? text : text.substr(0, own + 1)) + "\n\n\n" + self_test_text(program);
}

}  // namespace ka::compose

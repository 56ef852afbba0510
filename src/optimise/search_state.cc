#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "optimise/search.h"

namespace ka::optimise {
namespace {

Json json_of(const Program& one) {
  return {{"program_id", one.id}, {"parent_id", one.parent}, {"generation", one.round}, {"kernel_code", one.text}, {"move", one.move}, {"bottleneck", one.bottleneck}, {"time_ms", one.ms}, {"path", one.path}};
}

Result<Program> program_from(const Json& json) {
  FieldReader in(json, "program");
  Program out{in.required<int>("program_id"), in.required<int>("parent_id"), in.required<int>("generation"), in.required<std::string>("kernel_code"), in.required<std::string>("move"),
              in.required<std::string>("bottleneck"), in.required<double>("time_ms"), in.required<std::vector<std::string>>("path")};
  KA_TRY(in.status());
  return out;
}

Json json_of(const Attempt& one) {
  Json out = {{"round_num", one.round}, {"parent_id", one.parent}, {"move", one.move}, {"bottleneck", one.bottleneck}, {"outcome", one.outcome}, {"reason", one.reason}};
  if (one.ms) out["time_ms"] = *one.ms;
  if (!one.by.empty()) out["by"] = one.by;
  if (!one.expected.empty()) out["expected_outcome"] = one.expected;
  return out;
}

Result<Attempt> attempt_from(const Json& json) {
  FieldReader in(json, "attempt");
  Attempt out{in.required<int>("round_num"), in.required<int>("parent_id"), in.required<std::string>("move"), in.required<std::string>("bottleneck"), in.required<std::string>("outcome"),
              in.required<std::string>("reason"), in.optional<double>("time_ms"), 0, {},
              in.optional<std::string>("by").value_or(""), in.optional<std::string>("expected_outcome").value_or("")};
  KA_TRY(in.status());
  return out;
}

Result<Finish> finish_from(const Json& json) {
  FieldReader in(json, "last_race");
  Finish out{in.required<int>("program_id"), in.required<double>("speedup"), in.required<double>("low"), in.required<double>("high")};
  KA_TRY(in.status());
  return out;
}

template <typename T, typename Read>
Status read_list(FieldReader& in, const char* name, std::vector<T>& out, const Read& read) {
  const Json* const list = in.required_array(name);
  if (list == nullptr) return in.status();
  for (const Json& json : *list) {
    KA_ASSIGN(T one, read(json));
    out.push_back(std::move(one));
  }
  return ok();
}

}  // namespace

Json to_json(const Finish& one) { return {{"program_id", one.program}, {"speedup", one.gain}, {"low", one.low}, {"high", one.high}}; }

Json to_json(const State& state) {
  Json out = {{"round", state.round}, {"quiet_rounds", state.quiet_rounds}, {"input_ms", state.input_ms}, {"best", state.best}, {"stop", state.stop}};
  out["texts"] = state.texts;
  out["codes"] = state.codes;
  out["programs"] = Json::array();
  out["attempts"] = Json::array();
  for (const Program& one : state.programs) out["programs"].push_back(json_of(one));
  for (const Attempt& one : state.attempts) out["attempts"].push_back(json_of(one));
  if (!state.reflections.empty()) out["reflections"] = Json::array();
  for (const Reflection& one : state.reflections) out["reflections"].push_back(to_json(one));
  if (!state.has_finished) return out;
  out["last_race"] = Json::array();
  for (const Finish& one : state.finish) out["last_race"].push_back(to_json(one));
  return out;
}

Result<State> state_from_json(const Json& json) {
  FieldReader in(json, "search");
  State out;
  out.round = in.required<int>("round");
  out.quiet_rounds = in.required<int>("quiet_rounds");
  out.input_ms = in.required<double>("input_ms");
  out.best = in.required<int>("best");
  out.stop = in.required<std::string>("stop");
  for (const std::string& one : in.required<std::vector<std::string>>("texts")) out.texts.insert(one);
  for (const std::string& one : in.required<std::vector<std::string>>("codes")) out.codes.insert(one);
  KA_TRY(read_list(in, "programs", out.programs, program_from));
  KA_TRY(read_list(in, "attempts", out.attempts, attempt_from));
  out.has_finished = json.contains("last_race");
  if (out.has_finished) KA_TRY(read_list(in, "last_race", out.finish, finish_from));
  if (json.contains("reflections")) KA_TRY(read_list(in, "reflections", out.reflections, reflection_from_json));
  KA_TRY(in.status());
  bool has_best = false;
  for (std::size_t i = 0; i < out.programs.size(); ++i) has_best = has_best || out.programs[i].id == out.best;
  if (out.programs.empty() || out.programs[0].id != 0 || !has_best) return invalid_input("search: the programs have no input, or the best is none of them");
  return out;
}

}  // namespace ka::optimise

#include "compose/check.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/strings.h"
#include "ir/python_text.h"

namespace ka::compose {
namespace {

constexpr std::size_t kShownBytes = 60;

std::string shown(const std::string& name) {
  std::string text = name;
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return '"' + elide_middle(std::move(text), kShownBytes) + '"';
}

Status check_names(const Program& program, const std::vector<Part>& parts) {
  std::set<std::string> ids, arguments;
  for (const Part& part : parts) {
    if (!is_identifier(part.id)) return invalid_input(fmt::format("the part id {} is no Python identifier", shown(part.id)));
    if (!ids.insert(part.id).second) return invalid_input(fmt::format("two parts have the id {}", shown(part.id)));
  }
  for (const auto* names : {&program.inputs, &program.weights}) {
    const char* what = names == &program.inputs ? "input" : "weight";
    for (const std::string& name : *names) {
      if (!is_identifier(name)) return invalid_input(fmt::format("the {} {} is no Python identifier", what, shown(name)));
      if (!arguments.insert(name).second) return invalid_input(fmt::format("kernel_function has two arguments {}", shown(name)));
    }
  }
  return ok();
}

// The values that are known so far grow call by call: what a call takes must have been made before.
Status check_call(const Call& call, const std::string& where, const std::set<std::string>& weights, std::set<std::string>& known) {
  for (const std::string& name : call.inputs)
    if (!known.contains(name)) return invalid_input(fmt::format("{} takes {}, which nothing has made before", where, shown(name)));
  std::set<std::string> keywords;
  for (const auto& [keyword, weight] : call.weights) {
    if (!is_identifier(keyword)) return invalid_input(fmt::format("{}: the weight {} is no Python identifier", where, shown(keyword)));
    if (!keywords.insert(keyword).second) return invalid_input(fmt::format("{} gives the weight {} twice", where, shown(keyword)));
    if (!weights.contains(weight)) return invalid_input(fmt::format("{} takes the weight {}, which the program does not have", where, shown(weight)));
  }
  if (call.outputs.empty() && call.weights.empty()) return invalid_input(where + " makes no value and has no weight that it could update");
  for (const std::string& name : call.outputs) {
    if (!is_identifier(name)) return invalid_input(fmt::format("{} makes {}, which is no Python identifier", where, shown(name)));
    if (!known.insert(name).second) return invalid_input(fmt::format("{} makes {}, which is there already", where, shown(name)));
  }
  return ok();
}

}  // namespace

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.empty() || digit(name.front()) || name.starts_with("__")) return false;
  if (!std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); })) return false;
  return !std::ranges::any_of(ir::python_keywords(), [&](const char* word) { return name == word; });
}

Status check(const Program& program, const std::vector<Part>& parts) {
  KA_TRY(check_names(program, parts));
  if (program.calls.empty()) return invalid_input("the program calls no part");
  if (program.mode != "train" && program.mode != "eval") return invalid_input(fmt::format("the mode {} is neither train nor eval", shown(program.mode)));
  if (!program.problem_object.empty() && !is_identifier(program.problem_object))
    return invalid_input(fmt::format("the problem's object {} is no Python identifier", shown(program.problem_object)));
  std::map<std::string, const Part*> by_id;
  for (const Part& part : parts) by_id[part.id] = &part;
  const std::set<std::string> weights(program.weights.begin(), program.weights.end());
  std::set<std::string> known(program.inputs.begin(), program.inputs.end());
  known.insert(weights.begin(), weights.end());
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const Call& call = program.calls[i];
    const auto part = by_id.find(call.part);
    if (part == by_id.end()) return invalid_input(fmt::format("call {} is of part {}, which is not there", i + 1, shown(call.part)));
    if (trim(part->second->text).empty())
      return invalid_input(fmt::format("part {} has no kernel, so the program cannot be composed", shown(call.part)));
    KA_TRY(check_call(call, fmt::format("call {}, of part {},", i + 1, shown(call.part)), weights, known));
  }
  return ok();
}

Status check_returned(const Program& program, const std::vector<std::string>& names) {
  std::set<std::string> known(program.inputs.begin(), program.inputs.end());
  known.insert(program.weights.begin(), program.weights.end());
  for (const Call& call : program.calls) known.insert(call.outputs.begin(), call.outputs.end());
  for (const std::string& name : names)
    if (!known.contains(name)) return invalid_input(fmt::format("the program returns {}, which nothing makes", shown(name)));
  return ok();
}

}  // namespace ka::compose

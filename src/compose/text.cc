#include "compose/text.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/strings.h"

extern "C" const char ka_embedded_self_test[], ka_embedded_self_test_end[];

namespace ka::compose {
namespace {

constexpr std::size_t kLineWidth = 120;
constexpr const char* kIndent = "    ";

// One line of prose inside a docstring: nothing in it may end the docstring or be read as an escape.
std::string prose(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; }, ' ');
  std::replace(text.begin(), text.end(), '"', '\'');
  return trim(text);
}

// "name(" + items + "):", broken where a line becomes long.
std::string signature(const std::string& begin, const std::vector<std::string>& items) {
  const std::string line = begin + "(" + join(items, ", ") + "):\n";
  if (line.size() <= kLineWidth) return line;
  std::string text = begin + "(\n";
  std::string row = kIndent;
  for (const std::string& item : items) {
    if (row.size() + item.size() + 2 > kLineWidth) {
      text += row.substr(0, row.size() - 1) + "\n";
      row = kIndent;
    }
    row += item + ", ";
  }
  return text + row.substr(0, row.size() - 1) + "\n):\n";
}

std::string call_text(const Call& call, const Merged& merged) {
  std::vector<std::string> arguments = call.inputs;
  const auto taken = merged.weights.find(call.part);
  for (const auto& [keyword, weight] : call.weights) {
    if (taken == merged.weights.end() || std::ranges::find(taken->second, keyword) != taken->second.end()) arguments.push_back(keyword + "=" + weight);
  }
  const std::string result = call.outputs.empty() ? "" : join(call.outputs, ", ") + " = ";  // none: it updates its weights
  return fmt::format("{}{}({})", result, merged.functions.at(call.part), join(arguments, ", "));
}

// By call: the values that no later call takes and that are not returned.
std::vector<std::vector<std::string>> last_uses(const Program& program, const Merged& merged) {
  std::set<std::string> needed(merged.returned.begin(), merged.returned.end());
  std::set<std::string> made;
  for (const Call& call : program.calls) made.insert(call.outputs.begin(), call.outputs.end());
  std::vector<std::vector<std::string>> ends(program.calls.size());
  for (std::size_t i = program.calls.size(); i-- > 0;)
    for (const auto* names : {&program.calls[i].inputs, &program.calls[i].outputs})
      for (const std::string& name : *names)
        if (made.contains(name) && needed.insert(name).second) ends[i].push_back(name);
  return ends;
}

std::vector<std::string> parts_in_order(const Program& program) {
  std::vector<std::string> ids;
  for (const Call& call : program.calls)
    if (std::ranges::find(ids, call.part) == ids.end()) ids.push_back(call.part);
  return ids;
}

std::string part_line(const std::string& id, const Program& program, const Merged& merged, bool is_torch, const std::string& twin) {
  const auto calls = std::ranges::count_if(program.calls, [&](const Call& call) { return call.part == id; });
  std::string text = id;
  if (merged.functions.at(id) != id && twin.empty()) text += fmt::format(", the function {}", merged.functions.at(id));
  if (calls > 1) text += fmt::format(" ({} calls)", calls);
  if (!twin.empty()) return fmt::format("{}: as {}\n", text, twin);
  if (is_torch) return text + ": in PyTorch, not in Triton\n";
  const std::vector<Kernel>& kernels = merged.launched.at(id);
  const auto named = [](const Kernel& kernel) { return kernel.what.empty() ? kernel.name : fmt::format("{}: {}", kernel.name, prose(kernel.what)); };
  if (kernels.size() == 1) return fmt::format("{}: {}\n", text, named(kernels.front()));
  text += "\n";
  for (const Kernel& kernel : kernels) text += fmt::format("   - {}\n", named(kernel));
  return text;
}

std::string head_text(const Program& program, const std::vector<Part>& parts, const Merged& merged) {
  const std::vector<std::string> ids = parts_in_order(program);
  std::vector<std::string> in_torch;
  std::map<std::string, std::string> first;  // part that has a function, by function
  std::string list;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_torch = std::ranges::any_of(parts, [&](const Part& part) { return part.id == ids[i] && part.is_torch; });
    const auto [twin, is_new] = first.emplace(merged.functions.at(ids[i]), ids[i]);
    if (is_torch) in_torch.push_back(ids[i]);
    list += fmt::format("{}. {}", i + 1, part_line(ids[i], program, merged, is_torch, is_new ? "" : twin->second));
  }
  const std::string title = prose(program.title), problem = prose(program.problem_name);
  std::string text = fmt::format("\"\"\"{}{}, composed of {} part{}.\n\n{}\n", title.empty() || title == problem ? "Triton kernels for " : title + ": Triton kernels for ",
                                 problem, ids.size(), ids.size() == 1 ? "" : "s", list);
  if (!in_torch.empty()) text += fmt::format("Computed by PyTorch, because there is no kernel: {}.\n", join(in_torch, ", "));
  return text + fmt::format("`python composed_kernel.py` compares kernel_function with the original program.\nWritten by kernelagent {}.\n\"\"\"\n", prose(program.version));
}

}  // namespace

std::string python_text(const std::string& text) {
  const bool long_text = text.find('\n') != std::string::npos;
  std::string out = long_text ? "\"\"\"\\\n" : "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::string_view rest = std::string_view(text).substr(i);
    if (c == '\\') out += "\\\\";
    else if (c == '"' && (!long_text || rest.starts_with("\"\"\"") || rest == "\"" || rest == "\"\"")) out += "\\\"";
    else if (c == '\n' && long_text) out += '\n';
    else if (rest.starts_with("\xc2\x85")) out += "\\x85", i += 1;      // these end a line for some readers of text files
    else if (rest.starts_with("\xe2\x80\xa8")) out += "\\u2028", i += 2;
    else if (rest.starts_with("\xe2\x80\xa9")) out += "\\u2029", i += 2;
    else if ((c < 0x20 && c != '\t') || c == 0x7f) out += fmt::format("\\x{:02x}", c);
    else out += text[i];
  }
  return out + (long_text ? "\"\"\"" : "\"");
}

std::string function_text(const Program& program, const Merged& merged) {
  std::vector<std::string> arguments = program.inputs;
  if (!program.weights.empty()) arguments.emplace_back("*");
  arguments.insert(arguments.end(), program.weights.begin(), program.weights.end());
  std::string text = signature("def kernel_function", arguments);
  const auto ends = last_uses(program, merged);
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    text += kIndent + call_text(program.calls[i], merged) + "\n";
    if (!ends[i].empty()) text += fmt::format("{}del {}\n", kIndent, join(ends[i], ", "));
  }
  return text + kIndent + "return " + trim(program.returns) + "\n";
}

std::string self_test_text(const Program& program) {
  const std::string_view script(ka_embedded_self_test, static_cast<std::size_t>(ka_embedded_self_test_end - ka_embedded_self_test));
  std::string text = "if __name__ == \"__main__\":\n\n";
  for (const std::string& line : split(trim(script), '\n')) text += line.empty() ? "\n" : kIndent + line + "\n";
  return text + fmt::format("\n    raise SystemExit(self_test({}, name={}, target=\"{}\", mode=\"{}\"))\n", python_text(program.problem_text),
                            python_text(prose(program.problem_name)), program.problem_object.empty() ? "Model" : program.problem_object, program.mode);
}

std::string file_text(const Program& program, const std::vector<Part>& parts, const Merged& merged) {
  return fmt::format("{}\n{}\n\n{}\n\n{}\n\n{}", head_text(program, parts, merged), merged.imports, merged.definitions,
                     function_text(program, merged), self_test_text(program));
}

}  // namespace ka::compose

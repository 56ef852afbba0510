#include "bridge/captured.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "bridge/embedded.h"

namespace ka::bridge {
namespace {

constexpr std::string_view kClass = "Captured", kEntry = "kernel_function";
constexpr std::size_t kLineWidth = 120;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]), ends = at + word.size() == text.size() || !is_word(text[at + word.size()]);
    if (begins && ends) return true;
  }
  return false;
}

struct Function {
  std::size_t begin = 0, end = 0;  // of its text
  std::string parameters;          // as they are written
  std::vector<std::string> names;  // of all
  std::size_t positional = 0;      // so many of them come before the star
};

// A function at the top of the file whose signature holds names alone; nothing where there is none of that name.
Result<std::optional<Function>> function_of(const std::string& text, std::string_view name) {
  const std::string head = fmt::format("\ndef {}(", name);
  const std::size_t at = text.find(head);
  if (at == std::string::npos) return std::optional<Function>();
  Function out;
  out.begin = at + 1;
  const std::size_t open = at + head.size(), close = text.find("):\n", open);
  if (close == std::string::npos) return unsupported(fmt::format("the signature of {} holds more than names", name));
  out.parameters = text.substr(open, close - open);
  bool star = false;
  for (const std::string& part : split(out.parameters, ',')) {
    const std::string one = trim(part);
    if (one.empty()) continue;
    if (one == "*") {
      star = true;
      continue;
    }
    if (!std::all_of(one.begin(), one.end(), is_word)) return unsupported(fmt::format("the signature of {} holds more than names", name));
    out.names.push_back(one);
    if (!star) ++out.positional;
  }
  out.end = close + 3;
  while (out.end < text.size() && (text[out.end] == '\n' || text[out.end] == ' ')) {
    const std::size_t line = text.find('\n', out.end);
    if (line == std::string::npos) break;
    out.end = line + 1;
  }
  if (out.end < text.size() && text[out.end] == ' ') out.end = text.size();
  return std::optional(out);
}

// "return name(x, weight=weight)", on several lines where one would be long.
std::string call_text(const Function& function) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < function.names.size(); ++i) arguments.push_back(i < function.positional ? function.names[i] : fmt::format("{0}={0}", function.names[i]));
  const std::string line = fmt::format("    return {}({})\n", kCapturedName, fmt::join(arguments, ", "));
  if (line.size() <= kLineWidth) return line;
  std::string text = fmt::format("    return {}(\n", kCapturedName), row = "       ";
  for (const std::string& argument : arguments) {
    if (row.size() + argument.size() + 2 > kLineWidth) {
      text += row + "\n";
      row = "       ";
    }
    row += " " + argument + ",";
  }
  return text + row + "\n    )\n";
}

}  // namespace

std::string_view captured_class() {
  for (const EmbeddedScript& script : embedded_scripts()) {
    if (script.name == "captured") return script.source.substr(script.source.find("class Captured:"));
  }
  return {};
}

Result<std::string> with_captured_launches(const std::string& text) {
  KA_ASSIGN(const std::optional<Function> entry, function_of(text, kEntry));
  KA_ASSIGN(const std::optional<Function> inner, function_of(text, kCapturedFunction));
  if (!entry && !inner) return unsupported(fmt::format("there is no function {} at the top of the file", kEntry));
  for (const std::string_view name : {kClass, kCapturedName}) {
    if (has_word(text, name)) return unsupported(fmt::format("the name {} is taken", name));
  }
  if (entry && has_word(text, kCapturedFunction)) return unsupported(fmt::format("the name {} is taken", kCapturedFunction));
  const Function& function = entry ? *entry : *inner;
  const std::string body = trim(text.substr(function.begin, function.end - function.begin)), head = fmt::format("def {}(", entry ? kEntry : kCapturedFunction);
  std::string out = fmt::format("{}{}\n\n\ndef {}({}\n\n\n{} = {}({})\n", text.substr(0, function.begin), trim(std::string(captured_class())), kCapturedFunction, body.substr(head.size()),
                                kCapturedName, kClass, kCapturedFunction);
  if (entry) out += fmt::format("\n\ndef {}({}):\n{}", kEntry, function.parameters, call_text(function));
  const std::string rest = text.substr(function.end);
  return rest.empty() ? out : out + "\n\n" + rest;
}

}  // namespace ka::bridge

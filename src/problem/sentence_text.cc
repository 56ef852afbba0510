#include "problem/sentence_text.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"

namespace ka::problem {

std::string shape_words(const Sizes& shape) {
  std::vector<std::string> values;
  for (const Size& size : shape) values.push_back(std::to_string(size.value));
  return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

std::string python_names(const Sizes& shape) {
  std::vector<std::string> names;
  for (const Size& size : shape) names.push_back(size.name);
  return join(names, ", ");
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

std::string docstring_words(std::string_view sentence) {
  std::string words = trim(sentence);
  for (char& c : words) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\\') c = ' ';
    if (c == '"') c = '\'';
  }
  return words;
}

std::string with_holes(std::string_view python, std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string out;
  while (!python.empty()) {
    const auto* hole = values.begin();
    while (hole != values.end() && !starts_with(python, hole->first)) ++hole;
    if (hole == values.end()) {
      out += python[0];
      python.remove_prefix(1);
    } else {
      out += hole->second;
      python.remove_prefix(hole->first.size());
    }
  }
  return out;
}

}  // namespace ka::problem

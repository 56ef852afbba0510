#include "synth/codegen/share.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace ka::codegen {
namespace {

constexpr std::int64_t kLargestOffset = 8;  // N0 + 2 is worth writing, N0 + 100 is a number of its own

// Text between whole numbers; `numbers[i]` stands behind `parts[i]`.
struct Skeleton {
  std::vector<std::string> parts;
  std::vector<std::int64_t> numbers;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::optional<std::int64_t> whole_number(std::string_view word) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(out) : std::nullopt;
}

// Words are replaced by `names`; whole numbers are taken out, those inside floats and strings stay. The first line is the
// decorator, and is left alone.
Skeleton skeleton_of(const std::string& text, const std::map<std::string, std::string>& names) {
  Skeleton out;
  std::string part;
  bool quoted = false;
  std::size_t i = std::min(text.find('\n'), text.size());
  part = text.substr(0, i);
  while (i < text.size()) {
    if (text[i] == '"') quoted = !quoted;
    if (!is_word(text[i]) || quoted) {
      part += text[i++];
      continue;
    }
    std::size_t end = i;
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    // a float is one word: 1e-05, 0.5
    while (end < text.size() && (is_word(text[end]) || (digit && text[end] == '.') || (digit && text[end] == '-' && text[end - 1] == 'e'))) ++end;
    const std::string word = text.substr(i, end - i);
    if (const std::optional<std::int64_t> number = digit ? whole_number(word) : std::nullopt) {
      out.parts.push_back(std::move(part));
      out.numbers.push_back(*number);
      part.clear();
    } else {
      const auto found = names.find(word);
      part += found == names.end() ? word : found->second;
    }
    i = end;
  }
  out.parts.push_back(std::move(part));
  return out;
}

// "height_12" is "height", "layer_3_weight_dim0" an "extent": which of the program's sizes it is does not matter inside a kernel.
std::map<std::string, std::string> plain_sizes(const std::vector<std::string>& sizes) {
  std::map<std::string, std::string> out;
  std::set<std::string> taken(sizes.begin(), sizes.end());
  std::map<std::string, std::string> base;
  for (const std::string& size : sizes) {
    const std::size_t cut = size.find_last_of('_'), dim = size.find("_dim");
    const bool counted = cut != std::string::npos && cut > 0 && whole_number(std::string_view(size).substr(cut + 1)).has_value();
    const bool of_weight = dim != std::string::npos && whole_number(std::string_view(size).substr(dim + 4)).has_value();
    base[size] = of_weight ? "extent" : counted ? size.substr(0, cut) : size;
    if (counted || of_weight) taken.erase(size);
  }
  for (const std::string& size : sizes) {
    if (base[size] == size) continue;
    std::string name = base[size];
    for (int k = 1; !taken.insert(name).second; ++k) name = fmt::format("{}_{}", base[size], k);
    out[size] = name;
  }
  return out;
}

using Column = std::vector<std::int64_t>;  // one number of the skeleton, in every member

// The numbers that differ between the members of a group, as expressions over few parameters.
class Parameters {
 public:
  explicit Parameters(const std::vector<Column>& columns) {
    std::vector<Column> varying;
    for (const Column& column : columns) {
      const bool same = std::all_of(column.begin(), column.end(), [&](std::int64_t n) { return n == column[0]; });
      if (!same && std::find(varying.begin(), varying.end(), column) == varying.end()) varying.push_back(column);
    }
    // small numbers first: the others are their products
    std::stable_sort(varying.begin(), varying.end(), [](const Column& a, const Column& b) { return a[0] < b[0]; });
    for (const Column& column : varying) {
      std::string text = near(column);
      if (text.empty()) text = product_of(column, Column(column.size(), 1), "", 0, 3);
      if (text.empty()) {
        text = fmt::format("N{}", basis_.size());
        basis_.push_back(column);
      }
      texts_[column] = text;
    }
  }

  std::string text(const Column& column) const {
    const auto found = texts_.find(column);
    return found == texts_.end() ? fmt::format("{}", column[0]) : found->second;
  }
  const std::vector<Column>& basis() const { return basis_; }

 private:
  // N0 + 2
  std::string near(const Column& column) const {
    for (std::size_t b = 0; b < basis_.size(); ++b) {
      const std::int64_t offset = column[0] - basis_[b][0];
      if (offset == 0 || std::abs(offset) > kLargestOffset || !matches(column, [&](std::size_t i) { return basis_[b][i] + offset; })) continue;
      return fmt::format("(N{} {} {})", b, offset < 0 ? '-' : '+', std::abs(offset));
    }
    return "";
  }

  // 9*N0*N1: a number times at most `depth` more parameters, from number `from` on
  std::string product_of(const Column& column, const Column& so_far, const std::string& text, std::size_t from, int depth) const {
    if (!text.empty() && column[0] % so_far[0] == 0) {
      const std::int64_t factor = column[0] / so_far[0];
      if (factor > 0 && matches(column, [&](std::size_t i) { return so_far[i] * factor; }))
        return factor == 1 ? fmt::format("({})", text) : fmt::format("({}*{})", factor, text);
    }
    for (std::size_t b = from; b < basis_.size() && depth > 0; ++b) {
      Column next = so_far;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] *= basis_[b][i];
      if (std::find(next.begin(), next.end(), 0) != next.end() || next[0] > column[0]) continue;
      const std::string found = product_of(column, next, fmt::format("{}{}N{}", text, text.empty() ? "" : "*", b), b, depth - 1);
      if (!found.empty()) return found;
    }
    return "";
  }

  template <typename Of>
  static bool matches(const Column& column, Of of) {
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (of(i) != column[i]) return false;
    }
    return true;
  }

  std::vector<Column> basis_;
  std::map<Column, std::string> texts_;
};

// The text of a group with its parameters put in, and the values of these at each launch.
void join_group(std::vector<EmittedKernel>& kernels, const std::vector<std::size_t>& group, const std::vector<Skeleton>& skeletons) {
  const Skeleton& first = skeletons[group[0]];
  std::vector<Column> columns(first.numbers.size());
  for (const std::size_t member : group) {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].push_back(skeletons[member].numbers[i]);
  }
  const Parameters parameters(columns);
  std::string text;
  for (std::size_t i = 0; i < first.parts.size(); ++i) {
    text += first.parts[i];
    if (i < columns.size()) text += parameters.text(columns[i]);
  }
  std::string added;
  for (std::size_t b = 0; b < parameters.basis().size(); ++b) {
    added += fmt::format(", N{}: tl.constexpr", b);
    for (std::size_t m = 0; m < group.size(); ++m) kernels[group[m]].constants.emplace_back(fmt::format("N{}", b), fmt::format("{}", parameters.basis()[b][m]));
  }
  text.insert(text.find("):\n"), added);
  for (const std::size_t member : group) kernels[member].text = text;
}

}  // namespace

std::vector<std::size_t> share_kernels(std::vector<EmittedKernel>& kernels, Source& names) {
  std::vector<Skeleton> skeletons;
  std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
  std::vector<std::size_t> out(kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::map<std::string, std::string> words = plain_sizes(kernels[k].sizes);
    words[kernels[k].name] = "@";  // equal texts are equal whatever they are called
    skeletons.push_back(skeleton_of(kernels[k].text, words));
    std::vector<std::size_t>& group = groups[skeletons[k].parts];
    group.push_back(k);
    out[k] = group[0];
  }
  for (const auto& [parts, group] : groups) join_group(kernels, group, skeletons);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (out[k] != k) {
      kernels[k].name = kernels[out[k]].name;
      continue;
    }
    kernels[k].name = names.unique(kernels[k].name);
    const std::string mark = "\ndef @(";
    kernels[k].text.replace(kernels[k].text.find(mark), mark.size(), fmt::format("\ndef {}(", kernels[k].name));
  }
  return out;
}

}  // namespace ka::codegen

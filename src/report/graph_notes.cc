// A value that no kernel keeps is computed again by each of its readers. So what a kernel reads is found by
// walking from its results back through the values, until one is met that another kernel keeps.
#include "report/graph_notes.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/strings.h"

namespace ka::report {
namespace {

constexpr std::size_t kMaxSteps = 2'000'000;  // of all walks together: a file of ours takes some thousands

std::optional<std::string_view> after(std::string_view line, std::string_view begin) {
  if (!line.starts_with(begin)) return std::nullopt;
  return line.substr(begin.size());
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string& piece : split(text, ',')) {
    if (std::string word = trim(piece); !word.empty()) out.push_back(std::move(word));
  }
  return out;
}

// "%3", "%17" in "mul(%3, %17, apart=from products)"
std::vector<std::string> values_in(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end > at + 1) out.emplace_back(text.substr(at, end - at));
  }
  return out;
}

class Reader {
 public:
  void line(std::string_view text) {
    if (text.starts_with('%'))
      value(text);
    else if (auto kernel = after(text, "kernel "))
      this->kernel(*kernel);
    else if (auto kept = after(text, "kept: "))
      this->kept(*kept);
    else if (auto refused = after(text, "not fused: "))
      refusal(*refused);
    else if (auto gpu = after(text, "cost on "))
      notes_.gpu = trim(gpu->ends_with(':') ? gpu->substr(0, gpu->size() - 1) : *gpu);
    else if (auto total = after(text, "total: "))
      notes_.total = *total;
    else if (auto floor = after(text, "floor: "))
      notes_.floor = *floor;
    else if (auto decided = after(text, "decided: "))
      notes_.decisions.emplace_back(*decided);
    else if (auto rewritten = after(text, "rewritten"))
      notes_.rewrites.emplace_back(trim(rewritten->starts_with(": ") ? rewritten->substr(2) : *rewritten));
    else if (auto other = after(text, "not exported: "))
      notes_.not_exported.emplace_back(*other);
  }

  GraphNotes finish() {
    for (std::size_t k = 0; k < notes_.kernels.size(); ++k) {
      for (const std::string& output : notes_.kernels[k].outputs) owner_.emplace(output, k);
    }
    for (std::size_t k = 0; k < notes_.kernels.size() && steps_ < kMaxSteps; ++k) find_reads(k);
    return std::move(notes_);
  }

 private:
  // "%9: float32[4, 8] = mul(%3, %5)  # aten.mul.Tensor, p.py:7"
  void value(std::string_view text) {
    const std::size_t colon = text.find(": "), equals = text.find(" = ");
    if (colon == std::string_view::npos || equals == std::string_view::npos || equals < colon) return;
    const std::string name(text.substr(0, colon));
    const std::string_view call = text.substr(equals + 3, text.find("  # ") - equals - 3);
    notes_.types[name] = trim(text.substr(colon + 2, equals - colon - 2));
    operands_[name] = values_in(call);
    if (call.find('(') != std::string_view::npos) ++notes_.operations;
  }

  // "0: row [reduce, div] -> %23, %34" is the kernel, "0: 131 kB read, ..." what it costs.
  void kernel(std::string_view text) {
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) return;
    const std::string number(text.substr(0, colon));
    const std::string_view rest = text.substr(colon + 2);
    const std::size_t open = rest.find(" ["), close = rest.rfind("] -> ");
    const auto known = by_number_.find(number);
    if (open != std::string_view::npos && close != std::string_view::npos && open < close &&
        known == by_number_.end()) {
      by_number_[number] = notes_.kernels.size();
      notes_.kernels.push_back({number,
                                std::string(rest.substr(0, open)),
                                list_of(rest.substr(open + 2, close - open - 2)),
                                list_of(rest.substr(close + 5)),
                                "",
                                "",
                                {}});
    } else if (known != by_number_.end()) {
      notes_.kernels[known->second].cost = rest;
    }
  }

  // "%23, %29 of kernel 0: 135 us to write it ..."
  void kept(std::string_view text) {
    constexpr std::string_view of = " of kernel ";
    const std::size_t at = text.find(of);
    if (at == std::string_view::npos) return;
    const std::string_view rest = text.substr(at + of.size());
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) return;
    const auto known = by_number_.find(std::string(rest.substr(0, colon)));
    if (known != by_number_.end()) notes_.kernels[known->second].kept = rest.substr(colon + 2);
  }

  // "mul (p.py:35) with kernel 0: another operand is computed from this kernel's results"
  void refusal(std::string_view text) {
    constexpr std::string_view with = " with kernel ";
    const std::size_t at = text.find(with);
    if (at == std::string_view::npos) return;
    const std::string_view rest = text.substr(at + with.size());
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) return;
    notes_.refusals.push_back({std::string(text.substr(0, at)), std::string(rest.substr(0, colon)),
                               std::string(rest.substr(colon + 2))});
  }

  void find_reads(std::size_t k) {
    std::map<std::size_t, std::set<std::string>> found;
    std::set<std::string> seen;
    std::vector<std::string> todo = notes_.kernels[k].outputs;
    while (!todo.empty() && ++steps_ < kMaxSteps) {
      const std::string name = std::move(todo.back());
      todo.pop_back();
      if (!seen.insert(name).second) continue;
      const auto owner = owner_.find(name);
      if (owner != owner_.end() && owner->second != k) {
        found[owner->second].insert(name);
        continue;
      }
      const auto operands = operands_.find(name);
      if (operands != operands_.end())
        todo.insert(todo.end(), operands->second.begin(), operands->second.end());
    }
    for (const auto& [from, values] : found) {
      NotedRead& read = notes_.kernels[k].reads.emplace_back(NotedRead{from, {values.begin(), values.end()}});
      std::sort(read.values.begin(), read.values.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
      });
    }
  }

  GraphNotes notes_;
  std::map<std::string, std::size_t> by_number_, owner_;
  std::map<std::string, std::vector<std::string>> operands_;
  std::size_t steps_ = 0;
};

}  // namespace

GraphNotes read_graph_notes(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace ka::report

#include "report/line_diff.h"

#include <algorithm>
#include <cstdint>

namespace ka::report {
namespace {

constexpr std::size_t kMostCells = std::size_t{16} << 20;

// Lengths of the longest common subsequences of what follows each pair of lines.
std::vector<std::uint32_t> common(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> out((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) out[i * width + j] = a[i] == b[j] ? out[(i + 1) * width + j + 1] + 1 : std::max(out[(i + 1) * width + j], out[i * width + j + 1]);
  }
  return out;
}

}  // namespace

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::vector<DiffLine> line_diff(std::string_view before, std::string_view after) {
  std::vector<std::string_view> a = lines_of_text(before), b = lines_of_text(after);
  std::size_t head = 0, tail = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
  while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const std::vector<std::string_view> left(a.begin() + static_cast<std::ptrdiff_t>(head), a.end() - static_cast<std::ptrdiff_t>(tail));
  const std::vector<std::string_view> right(b.begin() + static_cast<std::ptrdiff_t>(head), b.end() - static_cast<std::ptrdiff_t>(tail));
  std::vector<DiffLine> out;
  for (std::size_t i = 0; i < head; ++i) out.push_back({Change::same, i, i});
  const bool comparable = (left.size() + 1) * (right.size() + 1) <= kMostCells;
  const std::vector<std::uint32_t> lengths = comparable ? common(left, right) : std::vector<std::uint32_t>();
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    const std::size_t width = right.size() + 1;
    if (comparable && i < left.size() && j < right.size() && left[i] == right[j]) {
      out.push_back({Change::same, head + i++, head + j++});
    } else if (i < left.size() && (!comparable || j == right.size() || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      out.push_back({Change::removed, head + i++, 0});
    } else {
      out.push_back({Change::added, 0, head + j++});
    }
  }
  for (std::size_t k = 0; k < tail; ++k) out.push_back({Change::same, a.size() - tail + k, b.size() - tail + k});
  return out;
}

}  // namespace ka::report

// An answer in two pieces. The second one may repeat some of the end of the first, open the fence again, or begin with a remark.
#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "synth/prompt/fences.h"
#include "synth/prompt/reply.h"
#include "synth/prompt/reply_text.h"

namespace ka::prompt {
namespace {

constexpr std::size_t kLongestOverlap = 20'000;
constexpr std::size_t kShortestOverlap = 8;  // fewer letters are chance
constexpr std::size_t kRemarkLines = 3;      // before the fence is opened again

std::size_t overlap(std::string_view first, std::string_view second) {
  const std::string_view tail = first.substr(first.size() - std::min(first.size(), kLongestOverlap));
  const std::string_view head = second.substr(0, kLongestOverlap);
  std::vector<std::size_t> border(head.size() + 1, 0);
  for (std::size_t i = 1, k = 0; i < head.size(); ++i) {
    while (k > 0 && head[i] != head[k]) k = border[k];
    k += head[i] == head[k] ? 1 : 0;
    border[i + 1] = k;
  }
  std::size_t matched = 0;
  for (const char c : tail) {
    while (matched > 0 && (matched == head.size() || c != head[matched])) matched = border[matched];
    if (matched < head.size() && c == head[matched]) ++matched;
  }
  const bool blank = trim(head.substr(0, matched)).size() < kShortestOverlap;
  return blank ? 0 : matched;
}

// Where the code goes on: behind a fence that is opened again among the first lines.
std::string_view without_opening(std::string_view second) {
  std::string_view rest = second;
  for (std::size_t line = 0; line <= kRemarkLines && !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string bare = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (starts_with(bare, "```") || starts_with(bare, "~~~")) {
      const bool has_word = bare.find_first_not_of("`~") != std::string::npos;
      const bool ends_later = rest.find("\n" + bare.substr(0, 3)) != std::string_view::npos;
      return has_word || ends_later ? rest : second;
    }
    if (!bare.empty()) ++line;
  }
  return second;
}

}  // namespace

std::string join_pieces(std::string_view first_piece, std::string_view second_piece) {
  const std::string first = clean(first_piece).text, cleaned = clean(second_piece).text;
  const std::vector<Block> blocks = find_blocks(first);
  const bool inside = !blocks.empty() && !blocks.back().closed;
  std::string_view second = inside ? without_opening(cleaned) : std::string_view(cleaned);
  const std::size_t repeated = overlap(first, second);
  const bool new_line = repeated == 0 && !first.empty() && first.back() != '\n' && (starts_with(second, "  ") || starts_with(second, "\t"));
  std::string joined = first;
  if (new_line) joined += '\n';
  return joined.append(second.substr(repeated));
}

}  // namespace ka::prompt

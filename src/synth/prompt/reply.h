// What a language model answered: a Python file, edits of the previous one, a beginning, or nothing that can be used. Replies are foreign text: nothing in them is
// executed or believed here, and whatever is wrong becomes one sentence that can be shown to the model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ka::prompt {

// What was asked for.
struct Asked {
  std::vector<std::string> entries = {"kernel_function", "ModelNew"};  // the file should define one of them
  std::string previous;  // the file that edits apply to; empty: there is none
  std::string prompt;    // the question, to notice a reply that only repeats it
};

struct WholeFile {
  std::string text;
  std::string note;  // how it was chosen, when that is not obvious: "the second of 3 blocks"
};
struct EditedFile {
  std::string text;
  int edits = 0;
};
// The reply stops in the middle: ask once for the rest, then read_continued.
struct NeedsContinuation {};
struct Refusal {
  std::string sentence;  // what is wrong and what would be accepted, for the model
};

using Reply = std::variant<WholeFile, EditedFile, NeedsContinuation, Refusal>;

inline constexpr std::size_t kMaxReplyBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;  // as the source policy has it

// `truncated`: the provider said that the answer was cut at a limit.
Reply read_reply(const Asked& asked, std::string_view text, bool truncated);

// The first answer and the one to "go on". A second answer that begins anew and is complete stands alone.
Reply read_continued(const Asked& asked, std::string_view first, std::string_view second, bool truncated);

// Both pieces as one text: without what the second repeats of the end of the first, and without the fence that it opens again.
std::string join_pieces(std::string_view first, std::string_view second);

// What is missing, where a model answers a sentence with "UNCLEAR: ..." (prompts/problem_from_sentence.md).
std::optional<std::string> unclear_reason(std::string_view reply);

}  // namespace ka::prompt

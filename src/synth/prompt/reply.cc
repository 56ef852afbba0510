#include "synth/prompt/reply.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "base/python_tokens.h"
#include "base/strings.h"
#include "synth/prompt/fences.h"
#include "synth/prompt/python_shape.h"
#include "synth/prompt/reply_edits.h"
#include "synth/prompt/reply_text.h"

namespace ka::prompt {
namespace {

std::string expected(const Asked& asked) {
  if (asked.entries.empty()) return "answer with one fenced python block that holds the whole file";
  return fmt::format("answer with one fenced python block that holds the whole file and defines {}", fmt::join(asked.entries, " or "));
}

Refusal refuse(const Asked& asked, const std::string& what) { return {what + "; " + expected(asked)}; }

bool defines_entry(const Asked& asked, std::string_view text) {
  const std::vector<std::string_view> names = outer_names(text);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return std::find(asked.entries.begin(), asked.entries.end(), name) != asked.entries.end(); });
}

struct Piece {
  std::string text, file;
  bool closed = true, entry = false;
};

std::vector<Piece> python_pieces(const Asked& asked, const std::vector<Block>& blocks) {
  std::vector<Piece> pieces;
  for (const Block& block : blocks) {
    const bool edits = has_search_blocks(block.text) || has_diff(block.text);
    const bool python = block.language == Language::python || (block.language == Language::unknown && looks_like_python(block.text));
    if (python && !edits && !trim(block.text).empty()) pieces.push_back({block.text, block.file, block.closed, defines_entry(asked, block.text)});
  }
  return pieces;
}

// Kernels in one block and the function that launches them in another belong together, with a block of imports before them.
std::string with_kernels_of_others(const std::vector<Piece>& pieces, std::size_t chosen) {
  constexpr std::string_view kKernel = "@triton.jit";
  const auto has_kernel = [&](const Piece& piece) { return piece.text.find(kKernel) != std::string::npos; };
  if (has_kernel(pieces[chosen])) return pieces[chosen].text;
  if (std::none_of(pieces.begin(), pieces.end(), [&](const Piece& piece) { return has_kernel(piece) && !piece.entry; })) return pieces[chosen].text;
  std::string text;
  for (const Piece& piece : pieces)
    if (!piece.entry && has_only_imports(piece.text)) text += piece.text;
  for (const Piece& piece : pieces)
    if (!piece.entry && has_kernel(piece)) text += piece.text + "\n";
  return text + pieces[chosen].text;
}

// "kernels" of a block called kernels.py that the chosen one imports.
std::optional<std::string> imported_block(const std::vector<Piece>& pieces, std::size_t chosen) {
  for (const Piece& piece : pieces) {
    const std::size_t folder = piece.file.rfind('/') + 1;  // npos + 1 is 0
    if (piece.file.size() < folder + 4 || &piece == &pieces[chosen]) continue;
    const std::string stem = piece.file.substr(folder, piece.file.size() - folder - 3);
    if (imports_module(pieces[chosen].text, stem)) return piece.file;
  }
  return std::nullopt;
}

Reply finished(const Asked& asked, std::string text, std::string note) {
  if (text.size() > kMaxFileBytes) return refuse(asked, fmt::format("the file has {} bytes, at most {} are read", text.size(), kMaxFileBytes));
  if (const std::optional<std::string> gap = left_out_line(text))
    return refuse(asked, fmt::format("a part of the file is left out (\"{}\")", excerpt(*gap)));
  return WholeFile{std::move(text), std::move(note)};
}

Reply choose(const Asked& asked, const std::vector<Piece>& pieces, bool truncated) {
  std::size_t chosen = pieces.size() - 1;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].entry) chosen = i;
  const Piece& piece = pieces[chosen];
  const bool cut_short = !pieces.back().closed && (truncated || !is_finished(pieces.back().text));
  if (cut_short && (chosen + 1 == pieces.size() || !piece.entry)) return NeedsContinuation{};
  if (!piece.entry && !asked.prompt.empty() && collapsed(asked.prompt).find(collapsed(piece.text)) != std::string::npos)
    return refuse(asked, "the code block repeats the question");
  if (const std::optional<std::string> other = imported_block(pieces, chosen))
    return refuse(asked, fmt::format("the code is spread over several files ({} is imported)", excerpt(*other)));
  std::string note = pieces.size() == 1 ? std::string() : fmt::format("block {} of {}", chosen + 1, pieces.size());
  return finished(asked, with_kernels_of_others(pieces, chosen), std::move(note));
}

// Texts in a JSON value, in order. What lies deeper than any answer is not looked for.
void collect_files(const Json& json, std::string_view name, std::vector<Block>& found, int depth = 0) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return;
  if (json.is_string()) {
    Block block;
    block.text = json.get<std::string>();
    if (ends_with(name, ".py")) block.file = name;
    const std::vector<Block> inner = find_blocks(block.text);
    if (inner.empty())
      found.push_back(std::move(block));
    else
      found.insert(found.end(), inner.begin(), inner.end());
  } else if (json.is_object()) {
    std::string file(name);
    for (const char* key : {"path", "file", "filename", "name"})
      if (json.contains(key) && json[key].is_string()) file = json[key].get<std::string>();
    for (const auto& [key, value] : json.items()) collect_files(value, ends_with(key, ".py") ? std::string_view(key) : file, found, depth + 1);
  } else if (json.is_array()) {
    for (const Json& value : json) collect_files(value, name, found, depth + 1);
  }
}

std::vector<Block> blocks_in_json(std::string_view text) {
  std::vector<Block> found;
  const std::string body = trim(text);
  if (body.empty() || (body[0] != '{' && body[0] != '[')) return found;
  if (const Result<Json> json = parse_json(body, "reply")) collect_files(*json, "", found);
  return found;
}

std::optional<Reply> from_json(const Asked& asked, const std::vector<Block>& blocks, std::string_view text, bool truncated) {
  std::vector<Block> files = blocks_in_json(text);
  for (const Block& block : blocks)
    if (files.empty() && (block.language == Language::json || block.language == Language::unknown)) files = blocks_in_json(block.text);
  const std::vector<Piece> pieces = python_pieces(asked, files);
  if (!pieces.empty()) return choose(asked, pieces, truncated);
  return std::nullopt;
}

Reply from_edits(const Asked& asked, const Result<Edited>& edited, bool truncated) {
  if (!edited) return Refusal{edited.error().message};
  if (edited->cut && truncated) return NeedsContinuation{};
  if (edited->cut) return refuse(asked, "the last edit has no end (a line of >>>>>>> REPLACE)");
  if (edited->text.size() > kMaxFileBytes) return finished(asked, edited->text, {});
  return EditedFile{edited->text, edited->edits};
}

// Edits in the reply, in a fence or not; nothing when it has none.
std::optional<Reply> from_edits_in(const Asked& asked, const std::vector<Block>& blocks, const std::string& text, bool truncated) {
  const bool search = has_search_blocks(text);
  std::string diff;
  for (const Block& block : blocks)
    if (!search && block.language != Language::other && block.language != Language::json && has_diff(block.text)) diff += block.text;
  if (!search && blocks.empty() && has_diff(text)) diff = text;
  if (!search && diff.empty()) return std::nullopt;
  const bool cut_short = !blocks.empty() && !blocks.back().closed;
  if (!search && truncated && (cut_short || blocks.empty())) return NeedsContinuation{};
  if (asked.previous.empty()) return refuse(asked, "there is no earlier file that an edit could change");
  const std::string previous = clean(asked.previous).text;
  return from_edits(asked, search ? apply_search_blocks(previous, text) : apply_diff(previous, diff), truncated);
}

// The language of the first block that is in none of ours, or of the whole reply.
std::string foreign_language(const std::vector<Block>& blocks, std::string_view text) {
  for (const Block& block : blocks) {
    const Guess guess = guess_language(block.text);
    if (block.language == Language::other && guess.language != Language::python) return guess.title.empty() ? language_title(block.word) : guess.title;
    if (block.language == Language::unknown && guess.language == Language::other) return guess.title;
  }
  const Guess guess = guess_language(text);
  return blocks.empty() && guess.language == Language::other ? guess.title : std::string();
}

Reply without_python(const Asked& asked, const std::vector<Block>& blocks, const std::string& text, bool truncated) {
  if (const std::string title = foreign_language(blocks, text); !title.empty()) return refuse(asked, fmt::format("the code is {}, not Python with Triton kernels", title));
  if (!blocks.empty() && !blocks.back().closed && truncated) return NeedsContinuation{};
  if (blocks.empty()) {
    const std::string code = python_without_fence(text);
    if (!code.empty() && (defines_entry(asked, code) || asked.entries.empty())) {
      if (truncated) return NeedsContinuation{};
      return finished(asked, code, "no fence");
    }
    const bool begun = !code.empty() || starts_with(trim(text), "{\"");
    if (truncated && begun) return NeedsContinuation{};
    if (truncated) return refuse(asked, "the answer was cut off before any code; think less, and leave out explanations");
    if (!code.empty()) return refuse(asked, "no code block was found, and the Python in the reply does not define the function");
  }
  const bool empty_block = !blocks.empty() && std::all_of(blocks.begin(), blocks.end(), [](const Block& block) { return trim(block.text).empty(); });
  return refuse(asked, empty_block ? "the code block is empty" : "no code block was found");
}

}  // namespace

std::optional<std::string> unclear_reason(std::string_view reply) {
  constexpr std::string_view kMark = "UNCLEAR:";
  const std::string text = clean(reply.substr(0, kMaxReplyBytes)).text;
  const std::size_t at = text.find_first_not_of(" \n\t*`");
  if (at == std::string::npos || !starts_with(std::string_view(text).substr(at), kMark)) return std::nullopt;
  return excerpt(std::string_view(text).substr(at + kMark.size()), 300);
}

Reply read_reply(const Asked& asked, std::string_view reply, bool truncated) {
  if (reply.size() > kMaxReplyBytes) return refuse(asked, fmt::format("the reply has {} bytes, at most {} are read", reply.size(), kMaxReplyBytes));
  const CleanText cleaned = clean(reply);
  const std::string& text = cleaned.text;
  if (trim(text).empty()) return refuse(asked, cleaned.unfinished_thought ? "the reply ends while it is still thinking" : "the reply is empty");
  const std::string words = collapsed(text);
  constexpr std::size_t kShortEcho = 40;
  if (words.size() >= kShortEcho && !asked.prompt.empty() && collapsed(asked.prompt).find(words) != std::string::npos) return refuse(asked, "the reply repeats the question");

  const std::vector<Block> blocks = find_blocks(text);
  const std::vector<Piece> pieces = python_pieces(asked, blocks);
  if (std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.entry && piece.closed; })) return choose(asked, pieces, truncated);
  if (std::optional<Reply> edited = from_edits_in(asked, blocks, text, truncated)) return *std::move(edited);
  if (!pieces.empty()) return choose(asked, pieces, truncated);
  if (std::optional<Reply> found = from_json(asked, blocks, text, truncated)) return *std::move(found);
  return without_python(asked, blocks, text, truncated);
}

Reply read_continued(const Asked& asked, std::string_view first, std::string_view second, bool truncated) {
  const Reply alone = read_reply(asked, second, truncated);
  if (const auto* file = std::get_if<WholeFile>(&alone); file != nullptr && begins_file(file->text)) return alone;
  return read_reply(asked, join_pieces(first, second), truncated);
}

}  // namespace ka::prompt

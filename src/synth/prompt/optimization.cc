#include "synth/prompt/optimization.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/strings.h"
#include "synth/prompt/reply_text.h"
#include "synth/prompt/task_text.h"

namespace ka::prompt {
namespace {

constexpr std::size_t kPastAttempts = 8, kPastLessons = 5, kShownWords = 300, kMostSaid = 120;

template <typename T>
std::vector<T> last_of(const std::vector<T>& list, std::size_t most) {
  return {list.end() - static_cast<std::ptrdiff_t>(std::min(most, list.size())), list.end()};
}

std::string shortened(const std::string& text) { return excerpt(text, kShownWords); }

std::vector<Values> rows_of(const std::vector<OptimizationPrompt::Cause>& causes) {
  std::vector<Values> rows;
  for (const OptimizationPrompt::Cause& one : causes) rows.push_back({{"summary", shortened(one.summary)}, {"evidence", shortened(one.evidence)}, {"fixes", shortened(one.fixes)}});
  return rows;
}

std::vector<Values> rows_of(const std::vector<OptimizationPrompt::Past>& attempts) {
  std::vector<Values> rows;
  for (const OptimizationPrompt::Past& one : last_of(attempts, kPastAttempts))
    rows.push_back({{"past_round", std::to_string(one.round)}, {"past_move", shortened(one.move)}, {"past_outcome", one.outcome},
                    {"past_time", one.seconds > 0 ? time_words(one.seconds) : std::string()}, {"past_reason", shortened(one.reason)}});
  return rows;
}

std::vector<Values> rows_of(const std::vector<OptimizationPrompt::Lesson>& lessons) {
  std::vector<Values> rows;
  for (const OptimizationPrompt::Lesson& one : last_of(lessons, kPastLessons))
    rows.push_back({{"lesson_move", shortened(one.move)}, {"lesson_expected", shortened(one.expected)}, {"lesson_actual", shortened(one.actual)}, {"lesson_avoid", shortened(one.avoid)}, {"lesson_try", shortened(one.next)}});
  return rows;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// Control characters beyond ASCII, and those that turn the direction of what follows.
constexpr bool is_obeyed(std::string_view character) {
  if (character.size() == 2) return character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
  if (character.size() != 3 || character[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(character[2]);
  return (character[1] == '\x80' && last >= 0xAA && last <= 0xAE) || (character[1] == '\x81' && last >= 0xA0 && last <= 0xAF);
}

std::string harmless(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    if (!is_obeyed(text.substr(i, end - i))) out.append(text.substr(i, end - i));
    i = end;
  }
  return excerpt(out, kMostSaid);
}

// "**Change:** larger blocks" is "larger blocks" for "change:".
std::string said_after(std::string_view line, std::string_view name) {
  const auto is_mark = [](char c) { return c == ' ' || c == '\t' || c == '*' || c == '#' || c == '-' || c == '`' || c == '>' || c == '_'; };
  while (!line.empty() && is_mark(line[0])) line.remove_prefix(1);
  if (line.size() < name.size()) return {};
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = line[i] >= 'A' && line[i] <= 'Z' ? static_cast<char>(line[i] - 'A' + 'a') : line[i];
    if (c != name[i]) return {};
  }
  line.remove_prefix(name.size());
  while (!line.empty() && is_mark(line[0])) line.remove_prefix(1);
  while (!line.empty() && is_mark(line.back())) line.remove_suffix(1);
  return harmless(line);
}

bool begins_code(std::string_view line) {
  const std::string text = trim(line);
  return starts_with(text, "```") || starts_with(text, "~~~") || starts_with(text, "<<<<<<<");
}

}  // namespace

Messages optimization_messages(const PromptFiles& files, const OptimizationPrompt& prompt, std::string_view seed) {
  std::vector<std::string_view> texts = texts_of(prompt.task);
  texts.push_back(prompt.kernel);
  const Marks marks(seed, texts);
  KA_ASSIGN(std::string task, task_text(files, prompt.task, marks));
  const bool has_floor = prompt.floor_seconds > 0 && prompt.seconds > 0;
  KA_ASSIGN(std::string question, files.render("kernel_optimization.md",
                                         {{"task", std::move(task)},
                                          {"kernel", marks.around("kernel", prompt.kernel)},
                                          {"time", time_words(prompt.seconds)},
                                          {"best", prompt.best_seconds > 0 && prompt.best_seconds < prompt.seconds ? time_words(prompt.best_seconds) : std::string()},
                                          {"interpreted", prompt.interpreted ? "yes" : ""},
                                          {"floor", has_floor ? time_words(prompt.floor_seconds) : std::string()},
                                          {"basis", prompt.basis},
                                          {"efficiency", has_floor ? percent(prompt.floor_seconds / prompt.seconds) : std::string()},
                                          {"target", percent(prompt.target)},
                                          {"ceilings", prompt.ceilings},
                                          {"bottleneck", shortened(prompt.bottleneck)},
                                          {"causes", rows_of(prompt.causes)},
                                          {"attempts", rows_of(prompt.attempts)},
                                          {"lessons", rows_of(prompt.lessons)},
                                          {"entry", prompt.task.entry}}));
  return ask_with(files, marks, std::move(question));
}

SaidAbout said_about(std::string_view reply) {
  constexpr std::size_t kHead = 20'000;  // of the reply: the lines stand before the code
  SaidAbout out;
  for (const std::string& line : split(clean(reply.substr(0, kHead)).text, '\n')) {
    if (begins_code(line)) break;
    if (out.change.empty()) out.change = said_after(line, "change:");
    if (out.expected.empty()) out.expected = said_after(line, "expected:");
  }
  return out;
}

}  // namespace ka::prompt

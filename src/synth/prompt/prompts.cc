#include "synth/prompt/prompts.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/strings.h"
#include "synth/prompt/normal_form.h"
#include "synth/prompt/reply_text.h"
#include "synth/prompt/task_text.h"

namespace ka::prompt {
namespace {

constexpr std::size_t kShownAttempts = 8, kShownKernel = 700, kShownMessage = 4000, kShownTail = 300;

// What independent answers to one question try, so that they do not all try the same.
constexpr auto kApproaches = std::to_array<const char*>({
    "take the way that is simplest to get right, with good block sizes.",
    "put everything into one kernel, if it can be done without computing anything twice.",
    "make programs large (big tiles, several rows each), so that every load is wide and reused.",
    "make programs small and many, so that all multiprocessors are busy also for few rows.",
    "let `@triton.autotune` choose among a handful of block sizes.",
    "look for a way of computing it that reads every input once.",
});

struct Strategy {
  const char* name;
  const char* meaning;
};
constexpr auto kStrategies = std::to_array<Strategy>({
    {"kernelagent", "one kernel file is written for the whole program at once: for programs that are one loop with cheap operations around it"},
    {"fuser", "the program is cut into parts, kernels are written for each part, and the parts are put together: for programs of several long loops"},
    {"kernel_then_fuser", "the first way, and the second if it fails"},
    {"fuser_then_kernel", "the second way, and the first if it fails"},
});

std::string index_words(const model::WorstElement& worst) {
  return fmt::format("output {} at ({}): got {:g}, want {:g}, off by {:g}", worst.output, fmt::join(worst.index, ", "), worst.got, worst.want, worst.error);
}

// Newest first while there is room, then back into their order; a kernel is shown once.
std::vector<Values> history_rows(const RefinementPrompt& prompt, const Marks& marks) {
  std::set<std::string> seen = {source_identity(prompt.kernel)};
  std::vector<Values> rows;
  for (auto attempt = prompt.history.rbegin(); attempt != prompt.history.rend() && rows.size() < kShownAttempts; ++attempt) {
    const bool known = attempt->kernel.empty() || !seen.insert(source_identity(attempt->kernel)).second;
    const std::string shortened = known ? std::string() : elide_middle(attempt->kernel, kShownKernel);
    rows.insert(rows.begin(), {{"past_round", std::to_string(attempt->round)}, {"past_reason", excerpt(attempt->reason, 300)},
        {"past_kernel", marks.around("kernel", shortened)}});
  }
  return rows;
}

std::vector<Values> fact_rows(const model::Route& route) {
  std::vector<Values> rows;
  const model::RouteFeatures& features = route.features;
  const auto add = [&](bool holds, std::string words) {
    if (holds) rows.push_back({{"fact", std::move(words)}});
  };
  add(features.has_attention_like, "it has attention, or something like it");
  add(features.has_conv, "it has convolutions");
  add(features.has_conv_transpose, "it has transposed convolutions");
  add(features.has_group_norm, "it has a group norm");
  add(features.has_control_flow, "`forward` has loops or branches");
  add(features.pool_ops > 0, fmt::format("pooling operations: {}", features.pool_ops));
  add(features.act_ops > 0, fmt::format("activations: {}", features.act_ops));
  add(true, fmt::format("longest chain of operations: {}", features.chain_length));
  for (const model::RouteRule& rule : route.rules) add(rule.matched, fmt::format("rule {}: {}", rule.name, excerpt(rule.reason, 200)));
  return rows;
}

}  // namespace

Feedback feedback_of(const model::Verdict& verdict) {
  Feedback feedback;
  feedback.rule = verdict.rule;
  feedback.reason = verdict.reason;
  if (verdict.worst) feedback.worst = index_words(*verdict.worst);
  (verdict.rule == "compile.failed" ? feedback.compiler : feedback.detail) = elide_middle(verdict.detail, kShownMessage);
  return feedback;
}

Messages generation_messages(const PromptFiles& files, const GenerationPrompt& prompt, std::string_view seed) {
  const Marks marks(seed, texts_of(prompt.task));
  KA_ASSIGN(std::string task, task_text(files, prompt.task, marks));
  const std::string approach = prompt.variant > 0 ? kApproaches[static_cast<std::size_t>(prompt.variant - 1) % kApproaches.size()] : "";
  KA_ASSIGN(std::string question, files.render("kernel_generation.md",
                                         {{"task", std::move(task)}, {"variant", prompt.variant > 0 ? std::to_string(prompt.variant) : std::string()}, {"approach", approach},
                                             {"entry", prompt.task.entry}}));
  return ask_with(files, marks, std::move(question));
}

Messages refinement_messages(const PromptFiles& files, const RefinementPrompt& prompt, std::string_view seed) {
  std::vector<std::string_view> texts = texts_of(prompt.task);
  const Feedback& feedback = prompt.feedback;
  texts.insert(texts.end(), {prompt.kernel, feedback.detail, feedback.compiler, feedback.output});
  for (const Attempt& attempt : prompt.history) texts.push_back(attempt.kernel);
  const Marks marks(seed, texts);
  const auto message = [&](std::string_view name, const std::string& text) { return marks.around(name, elide_middle(text, kShownMessage)); };
  KA_ASSIGN(std::string task, task_text(files, prompt.task, marks));
  KA_ASSIGN(std::string question, files.render("kernel_refinement.md",
                                         {{"task", std::move(task)},
                                          {"round", std::to_string(prompt.round)},
                                          {"kernel", prompt.kernel.empty() ? "There is none: no code could be taken out of the answer." : marks.around("kernel", prompt.kernel)},
                                          {"rule", feedback.rule},
                                          {"reason", excerpt(feedback.reason, 1000)},
                                          {"worst", feedback.worst},
                                          {"detail", message("detail", feedback.detail)},
                                          {"compiler", message("compiler", feedback.compiler)},
                                          {"output", message("output", feedback.output)},
                                          {"history", history_rows(prompt, marks)},
                                          {"entry", prompt.task.entry}}));
  return ask_with(files, marks, std::move(question));
}

Messages sentence_messages(const PromptFiles& files, const SentencePrompt& prompt, std::string_view seed) {
  const Marks marks(seed, {prompt.sentence, prompt.complaint, prompt.program});
  KA_ASSIGN(std::string question, files.render("problem_from_sentence.md",
                                         {{"sentence", marks.around("sentence", prompt.sentence)},
                                          {"complaint", marks.around("message", elide_middle(prompt.complaint, kShownMessage))},
                                          {"program", marks.around("program", prompt.program)}}));
  return ask_with(files, marks, std::move(question));
}

Messages route_messages(const PromptFiles& files, const RoutePrompt& prompt, std::string_view seed) {
  const Marks marks(seed, {prompt.program});
  std::vector<Values> strategies;
  for (const Strategy& strategy : kStrategies) strategies.push_back({{"name", strategy.name}, {"meaning", strategy.meaning}});
  KA_ASSIGN(std::string question, files.render("route.md",
                                         {{"program", marks.around("program", prompt.program)},
                                          {"facts", fact_rows(prompt.by_rules)},
                                          {"strategies", std::move(strategies)},
                                          {"by_rules", prompt.by_rules.strategy},
                                          {"because", excerpt(prompt.by_rules.rationale, 300)}}));
  return ask_with(files, marks, std::move(question));
}

Messages partition_messages(const PromptFiles& files, const PartitionPrompt& prompt, std::string_view seed) {
  const Marks marks(seed, {prompt.program});
  std::vector<Values> operations, groups;
  for (const PartitionPrompt::Operation& operation : prompt.operations) operations.push_back({{"id", operation.id}, {"what", operation.what}, {"reads", operation.reads}});
  for (const std::vector<std::string>& group : prompt.groups) groups.push_back({{"members", join(group, ", ")}});
  KA_ASSIGN(std::string machine, machine_text(files, prompt.machine));
  KA_ASSIGN(std::string question, files.render("partition.md",
                                         {{"program", marks.around("program", prompt.program)},
                                          {"operations", std::move(operations)},
                                          {"groups", std::move(groups)},
                                          {"time", prompt.seconds > 0 ? time_words(prompt.seconds) : std::string()},
                                          {"machine", std::move(machine)},
                                          {"complaint", excerpt(prompt.complaint, 1000)}}));
  return ask_with(files, marks, std::move(question));
}

Messages compose_messages(const PromptFiles& files, const ComposePrompt& prompt, std::string_view seed) {
  std::vector<std::string_view> texts = texts_of(prompt.task);
  for (const ComposePrompt::Part& part : prompt.parts) texts.insert(texts.end(), {part.calls, part.source});
  const Marks marks(seed, texts);
  std::vector<Values> parts;
  for (const ComposePrompt::Part& part : prompt.parts) parts.push_back({{"id", part.id}, {"calls", part.calls}, {"source", marks.around("kernel", part.source)}});
  KA_ASSIGN(std::string task, task_text(files, prompt.task, marks));
  KA_ASSIGN(std::string question, files.render("compose.md", {{"task", std::move(task)}, {"parts", std::move(parts)}, {"complaint", excerpt(prompt.complaint, 1000)},
      {"entry", prompt.task.entry}}));
  return ask_with(files, marks, std::move(question));
}

Messages continuation_messages(const PromptFiles& files, const ContinuationPrompt& prompt) {
  const std::size_t from = prompt.first.size() - std::min(prompt.first.size(), kShownTail);
  std::string_view tail = std::string_view(prompt.first).substr(from);
  while (from > 0 && !tail.empty() && (static_cast<unsigned char>(tail[0]) & 0xC0) == 0x80) tail.remove_prefix(1);  // not inside a character
  KA_ASSIGN(std::string question, files.render("continuation.md", {{"tail", std::string(tail)}}));
  std::vector<llm::Message> messages = prompt.asked;
  messages.push_back({llm::Role::assistant, prompt.first});
  messages.push_back({llm::Role::user, std::move(question)});
  return messages;
}

}  // namespace ka::prompt

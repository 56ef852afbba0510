#include "pipeline/model_moves.h"

#include <algorithm>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/strings.h"
#include "pipeline/linked_cancel.h"
#include "synth/prompt/reply.h"

namespace ka::pipeline {
namespace {

constexpr std::size_t kShownCauses = 3, kShownEvidence = 3, kShownFixes = 2;

prompt::OptimizationPrompt::Cause cause_of(const model::Bottleneck& one) {
  std::vector<std::string> evidence, fixes;
  for (const model::RootCause& cause : one.root_causes) {
    for (const model::Evidence& seen : cause.evidence) evidence.push_back(fmt::format("{} = {:.4g}{}{}", seen.metric, seen.value, seen.interpretation.empty() ? "" : ", ", seen.interpretation));
    for (const model::Fix& fix : cause.fixes) fixes.push_back(fix.fix);
  }
  evidence.resize(std::min(evidence.size(), kShownEvidence));
  fixes.resize(std::min(fixes.size(), kShownFixes));
  return {fmt::format("{}{}{}", one.kernel, one.kernel.empty() ? "" : ": ", one.summary), join(evidence, "; "), join(fixes, "; ")};
}

// What was said, as the move of a candidate.
optimise::Move move_of(const prompt::Reply& reply, const std::string& text, const std::string& bottleneck, const std::string& model) {
  const prompt::SaidAbout said = prompt::said_about(text);
  optimise::Move out{"", fmt::format("{} (said by {})", said.change.empty() ? "a rewritten kernel" : said.change, model), bottleneck, model, said.expected, ""};
  if (const auto* file = std::get_if<prompt::WholeFile>(&reply)) out.text = file->text;
  else if (const auto* edited = std::get_if<prompt::EditedFile>(&reply)) out.text = edited->text;
  else if (const auto* refusal = std::get_if<prompt::Refusal>(&reply)) out.refused = refusal->sentence;
  else out.refused = "the answer stopped in the middle twice; a shorter file is needed";
  if (out.refused.empty() && trim(out.text).empty()) out.refused = "the file is empty";
  return out;
}

}  // namespace

std::vector<prompt::OptimizationPrompt> ModelProposer::questions(const optimise::Program& program, const optimise::State& state, int bottlenecks) const {
  prompt::OptimizationPrompt base;
  base.task = facts_.task;
  base.kernel = program.text;
  base.seconds = program.ms / 1e3;
  base.best_seconds = state.best_program().ms / 1e3;
  base.interpreted = facts_.interpreted;
  base.floor_seconds = facts_.floor_ms / 1e3;
  base.target = facts_.target;
  base.basis = facts_.basis;
  base.ceilings = facts_.ceilings;
  for (const optimise::Attempt& one : state.attempts) base.attempts.push_back({one.round, one.move, one.outcome, one.reason, one.ms.value_or(0) / 1e3});
  for (const optimise::Reflection& one : state.reflections) base.lessons.push_back({one.move, one.expected, one.actual, one.avoid, one.next});
  std::vector<prompt::OptimizationPrompt> out;
  for (const model::Bottleneck& one : diagnose_ ? diagnose_(program) : std::vector<model::Bottleneck>()) {
    auto found = std::find_if(out.begin(), out.end(), [&](const prompt::OptimizationPrompt& other) { return other.bottleneck == one.category; });
    if (found == out.end()) {
      if (out.size() >= static_cast<std::size_t>(bottlenecks)) continue;
      found = out.insert(out.end(), base);
      found->bottleneck = one.category;
    }
    if (found->causes.size() < kShownCauses && !one.summary.empty()) found->causes.push_back(cause_of(one));
  }
  if (out.empty()) out.push_back(std::move(base));
  return out;
}

Result<ModelProposer::Answered> ModelProposer::ask(const optimise::Program& program, int round, const prompt::OptimizationPrompt& question, const std::string& seed, const os::CancelToken& cancel) const {
  const std::string key = fmt::format("optimize/round_{}/program_{}{}{}", round, program.id, question.bottleneck.empty() ? "" : "_", question.bottleneck);
  llm::ChatRequest request;
  request.model = side_.model;
  request.effort = side_.effort;
  KA_ASSIGN(request.messages, prompt::optimization_messages(side_.prompts, question, seed));
  KA_ASSIGN(const llm::ChatReply reply, side_.conversations.ask(key, request, cancel));
  Answered out;
  out.talk = {round, program.id, question.bottleneck, request.messages.front().text + "\n" + request.messages.back().text, ""};
  const llm::Answer answer = reply.answers.empty() ? llm::Answer{} : reply.answers[0];
  out.talk.reply = answer.text;
  prompt::Asked asked;
  asked.entries = {facts_.task.entry, "ModelNew"};
  asked.previous = program.text;
  asked.prompt = request.messages.back().text;
  prompt::Reply read = answer.finish == llm::Finish::refused ? prompt::Reply(prompt::Refusal{"the model would not answer"}) : prompt::read_reply(asked, answer.text, answer.finish == llm::Finish::truncated);
  if (std::holds_alternative<prompt::NeedsContinuation>(read)) {
    llm::ChatRequest rest = request;
    KA_ASSIGN(rest.messages, prompt::continuation_messages(side_.prompts, {request.messages, answer.text}));
    KA_ASSIGN(const llm::ChatReply second, side_.conversations.ask(key, rest, cancel));
    const llm::Answer more = second.answers.empty() ? llm::Answer{} : second.answers[0];
    out.talk.reply += more.text;
    read = prompt::read_continued(asked, answer.text, more.text, more.finish == llm::Finish::truncated);
  }
  out.move = move_of(read, answer.text, question.bottleneck, side_.model);
  return out;
}

// Nothing that a model does ends the search; what the user or the disk does ends it.
Status ModelProposer::fall_silent(const Error& error) {
  if (means_.cancel.cancelled() || error.kind == ErrorKind::internal || error.kind == ErrorKind::io) return error;
  silent_ = error.kind == ErrorKind::cancelled ? fmt::format("{} is not asked any more: there is no time left", side_.model) : fmt::format("{} is not asked any more: {}", side_.model, error.message);
  if (means_.log != nullptr) means_.log->warning("synth", "silent", silent_);
  return ok();
}

Result<std::vector<optimise::Move>> ModelProposer::asked(const optimise::Program& program, const optimise::State& state, int bottlenecks) {
  KA_ASSIGN(const std::string seed, side_.conversations.seed());
  const std::vector<prompt::OptimizationPrompt> all = questions(program, state, bottlenecks);
  std::vector<std::optional<Result<Answered>>> answers(all.size());
  {
    const LinkedCancel cancel(means_.cancel, facts_.end);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < all.size(); ++i) threads.emplace_back([&, i] { answers[i].emplace(ask(program, state.round, all[i], seed, cancel.token())); });
  }
  std::vector<optimise::Move> out;
  for (std::optional<Result<Answered>>& answer : answers) {
    if (!*answer) {
      KA_TRY(fall_silent(answer->error()));
      continue;
    }
    out.push_back(std::move((*answer)->move));
    talks_.push_back(std::move((*answer)->talk));
  }
  return out;
}

Result<std::vector<optimise::Move>> ModelProposer::propose(const optimise::Program& program, const optimise::State& state, int bottlenecks) {
  std::vector<optimise::Move> out;
  if (silent_.empty()) {
    KA_ASSIGN(out, asked(program, state, bottlenecks));
  }
  KA_ASSIGN(const std::vector<optimise::Move> others, others_.propose(program, state, bottlenecks));
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

}  // namespace ka::pipeline

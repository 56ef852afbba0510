#include "pipeline/sentence_problem.h"

#include <chrono>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/strings.h"
#include "problem/sentence.h"
#include "synth/prompt/prompts.h"
#include "synth/prompt/reply.h"

namespace ka::pipeline {
namespace {

constexpr std::size_t kMaxUnderstood = 300;

// The first line of the file's docstring, which says what is computed.
std::string first_words(const std::string& text) {
  std::string rest = trim(text);
  if (!rest.starts_with("\"\"\"") && !rest.starts_with("'''")) return {};
  const std::string quote = rest.substr(0, 3);
  rest = trim(rest.substr(3));
  return elide_middle(trim(rest.substr(0, std::min(rest.find(quote), rest.find('\n')))), kMaxUnderstood);
}

bool is_for_the_model(const Error& error) { return error.kind == ErrorKind::invalid_input || error.kind == ErrorKind::unsupported || error.kind == ErrorKind::timeout; }

class Conversation {
 public:
  Conversation(const std::string& sentence, const SentenceHelper& helper, const os::CancelToken& cancel, EventLog* log) : helper_(helper), cancel_(cancel), log_(log) {
    out_.record.sentence = prompt_.sentence = sentence;
    out_.record.by = helper.model;
  }

  // `refused`: what the rules have said.
  Result<SentenceProgram> run(const Error& refused) {
    KA_ASSIGN(seed_, helper_.conversations->seed());
    const auto begin = std::chrono::steady_clock::now();
    if (log_ != nullptr) log_->debug("problem", "start", fmt::format("{} is asked for the program of the sentence", helper_.model));
    for (int answer = 1; answer <= kMostSentenceAnswers; ++answer) {
      const Result<bool> good = attempt();
      if (!good && answered_ && good.error().kind == ErrorKind::unsupported)
        return unsupported(fmt::format("{} before {} had written a program for the sentence that can be used; the last answer: {}", good.error().message, helper_.model, prompt_.complaint));
      if (!good && answered_) return good.error();
      if (!good) return told(refused, good.error());
      if (*good) {
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (log_ != nullptr) log_->write({LogLevel::info, "problem", "done", fmt::format("the program is written by {}", helper_.model), {{"seconds", seconds}}});
        return std::move(out_);
      }
      if (log_ != nullptr) log_->info("problem", "answer_refused", fmt::format("answer {} of {} cannot be used: {}", answer, helper_.model, prompt_.complaint));
    }
    return invalid_input(fmt::format("{} wrote no program for the sentence that can be used in {} answers, the last one: {}; the rules say: {}",
                                     helper_.model, kMostSentenceAnswers, prompt_.complaint, refused.message));
  }

 private:
  // Nobody could be asked.
  Error told(const Error& refused, const Error& error) const {
    if (error.kind == ErrorKind::cancelled || error.kind == ErrorKind::internal || error.kind == ErrorKind::io) return error;
    return Error{error.kind, fmt::format("{}; and {} cannot be asked: {}", refused.message, helper_.model, error.message)};
  }

  Result<llm::Answer> ask(const std::vector<llm::Message>& messages) {
    llm::ChatRequest request;
    request.model = helper_.model;
    request.messages = messages;
    request.effort = helper_.effort;
    KA_ASSIGN(const llm::ChatReply reply, helper_.conversations->ask(kSentenceKey, request, cancel_));
    answered_ = true;
    ++out_.record.questions;
    out_.record.input_tokens += reply.usage.input_tokens;
    out_.record.output_tokens += reply.usage.output_tokens;
    out_.record.dollars += reply.usage.dollars;
    return reply.answers.empty() ? llm::Answer{} : reply.answers.front();
  }

  Result<prompt::Reply> answer_to(const std::vector<llm::Message>& messages) {
    const prompt::Asked asked{{"Model"}, prompt_.program, messages.back().text};
    KA_ASSIGN(const llm::Answer first, ask(messages));
    if (first.finish == llm::Finish::refused) return invalid_input(fmt::format("{} does not want to answer this", helper_.model));
    if (const std::optional<std::string> unclear = prompt::unclear_reason(first.text))
      return invalid_input(fmt::format("{} does not understand the sentence either: {}", helper_.model, *unclear));
    prompt::Reply reply = prompt::read_reply(asked, first.text, first.finish == llm::Finish::truncated);
    if (!std::holds_alternative<prompt::NeedsContinuation>(reply)) return reply;
    KA_ASSIGN(const std::vector<llm::Message> more, prompt::continuation_messages(helper_.prompts, {messages, first.text}));
    KA_ASSIGN(const llm::Answer second, ask(more));
    return prompt::read_continued(asked, first.text, second.text, second.finish == llm::Finish::truncated);
  }

  // False: the complaint says why not.
  Result<bool> attempt() {
    KA_ASSIGN(const std::vector<llm::Message> messages, prompt::sentence_messages(helper_.prompts, prompt_, seed_));
    KA_ASSIGN(const prompt::Reply reply, answer_to(messages));
    std::string text;
    if (const auto* whole = std::get_if<prompt::WholeFile>(&reply)) text = whole->text;
    else if (const auto* edited = std::get_if<prompt::EditedFile>(&reply)) text = edited->text;
    else if (const auto* refusal = std::get_if<prompt::Refusal>(&reply)) prompt_.complaint = refusal->sentence;
    else prompt_.complaint = "the answer was cut off twice; write a shorter file";
    if (text.empty()) return false;
    if (!text.ends_with('\n')) text += '\n';
    prompt_.program = text;
    const Status checked = helper_.check(text);
    if (!checked && !is_for_the_model(checked.error())) return checked.error();
    if (!checked) {
      prompt_.complaint = checked.error().message;
      return false;
    }
    const std::string words = first_words(text);
    out_.record.understood = words.empty() ? "the program that the model has written" : words;
    out_.record.problem_sha256 = sha256_hex(text);
    out_.text = std::move(text);
    return true;
  }

  const SentenceHelper& helper_;
  const os::CancelToken& cancel_;
  EventLog* log_;
  std::string seed_;
  bool answered_ = false;
  prompt::SentencePrompt prompt_;
  SentenceProgram out_;
};

}  // namespace

Result<SentenceProgram> problem_for(const std::string& sentence, const SentenceHelper& helper, const os::CancelToken& cancel, EventLog* log) {
  Result<problem::SentenceProblem> by_rules = problem::problem_of_sentence(sentence);
  if (by_rules) {
    SentenceProgram out{std::move(by_rules->text), {}};
    out.record.sentence = sentence;
    out.record.understood = std::move(by_rules->understood);
    out.record.problem_sha256 = sha256_hex(out.text);
    return out;
  }
  if (helper.model.empty()) return by_rules.error();
  return Conversation(sentence, helper, cancel, log).run(by_rules.error());
}

}  // namespace ka::pipeline

#include "pipeline/workers.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "pipeline/linked_cancel.h"
#include "synth/prompt/normal_form.h"
#include "synth/prompt/reply.h"

namespace ka::pipeline {
namespace {

constexpr const char* kOutcome = "outcome.json";

struct Written {
  std::string kernel;          // empty: the reply had none
  prompt::Feedback feedback;   // why not
};

class Session {
 public:
  Session(const ModelWork& work, const ModelSide& side, const Means& means) : work_(work), side_(side), means_(means), cancel_(means.cancel) {}

  Result<ModelKernel> run() {
    KA_ASSIGN(seed_, side_.conversations.seed());
    if (const std::optional<std::string> before = side_.conversations.noted(work_.key, kOutcome)) winner_before_ = winner_of(*before);
    tell("asking", fmt::format("{} {} of {}", side_.workers, side_.workers == 1 ? "worker" : "workers", side_.model));
    {
      std::vector<std::jthread> threads;
      for (int number = 1; number <= side_.workers; ++number) threads.emplace_back([this, number] { work(number); });
    }
    if (means_.cancel.cancelled()) return cancelled_error("interrupted");
    if (error_) return *error_;
    if (out_.kernel.empty()) {
      out_.rounds = most_rounds_;
      out_.message = message();
    } else {
      KA_TRY(side_.conversations.note(work_.key, kOutcome, to_pretty_json_text({{"worker", out_.worker}, {"round", out_.rounds}})));
    }
    tell(out_.kernel.empty() ? "not_written" : "accepted", out_.message);
    return std::move(out_);
  }

 private:
  static int winner_of(const std::string& text) {
    const Result<Json> json = parse_json(text, kOutcome);
    return json && json->is_object() && json->contains("worker") && (*json)["worker"].is_number_integer() ? (*json)["worker"].get<int>() : 0;
  }

  void tell(const char* name, const std::string& message) const {
    if (means_.log != nullptr) means_.log->write({LogLevel::info, "synth", name, fmt::format("{}: {}", work_.key, message), {{"key", work_.key}}});
  }

  std::string message() const {
    const std::string limit = side_.conversations.spent().limit;
    if (!limit.empty()) return fmt::format("{} was reached before the judge accepted a kernel of {}", limit, side_.model);
    if (last_.empty()) return fmt::format("no worker of {} could be asked", side_.model);
    return fmt::format("no kernel of {} was accepted in {} {}; the last word: {}", side_.model, most_rounds_, most_rounds_ == 1 ? "round" : "rounds", last_);
  }

  // One worker: a conversation of its own, its own history.
  void work(int number) {
    std::vector<prompt::Attempt> history;
    std::string kernel = work_.task.starting_point;
    std::vector<std::string> seen;
    if (!kernel.empty()) seen.push_back(prompt::source_identity(kernel));
    prompt::Feedback feedback;
    for (int round = 1; round <= side_.rounds && !cancel_.token().cancelled(); ++round) {
      const Result<Written> written = ask(number, round, kernel, feedback, history);
      if (!written) return end(written.error(), number, round);
      std::optional<model::Verdict> verdict;
      feedback = written->feedback;
      if (!written->kernel.empty()) {
        kernel = written->kernel;
        const std::string identity = prompt::source_identity(kernel);
        if (std::find(seen.begin(), seen.end(), identity) != seen.end()) {
          feedback = {"", "this kernel is the one that is there already, or was tried before; a different one is needed", "", "", "", ""};
        } else {
          seen.push_back(identity);
          Result<model::Verdict> judged = judge(identity, number, round, kernel);
          if (!judged) return stop(judged.error());
          verdict = std::move(*judged);
          feedback = prompt::feedback_of(*verdict);
        }
      }
      keep(number, round, *written, feedback, verdict);
      if (verdict && verdict->accepted && win(number, round, kernel, *verdict)) return;
      history.push_back({round, feedback.rule.empty() ? feedback.reason : feedback.rule + ": " + feedback.reason, written->kernel});
    }
  }

  Result<Written> ask(int number, int round, const std::string& kernel, const prompt::Feedback& feedback, const std::vector<prompt::Attempt>& history) {
    const std::string key = fmt::format("{}/worker_{}", work_.key, number);
    llm::ChatRequest request;
    request.model = side_.model;
    request.effort = side_.effort;
    if (round == 1 && !work_.parts.empty()) {
      KA_ASSIGN(request.messages, prompt::compose_messages(side_.prompts, {work_.task, work_.parts, ""}, seed_));
    } else if (round == 1) {
      KA_ASSIGN(request.messages, prompt::generation_messages(side_.prompts, {work_.task, side_.workers > 1 ? number : 0}, seed_));
    } else {
      KA_ASSIGN(request.messages, prompt::refinement_messages(side_.prompts, {work_.task, round, kernel, feedback, history}, seed_));
    }
    KA_ASSIGN(const llm::ChatReply reply, side_.conversations.ask(key, request, cancel_.token()));
    if (reply.answers.empty()) return Written{"", {"", "the answer was empty", "", "", "", ""}};
    const llm::Answer& answer = reply.answers[0];
    if (answer.finish == llm::Finish::refused) return Written{"", {"", "the model would not answer", "", "", "", ""}};
    prompt::Asked asked;
    asked.entries = {work_.task.entry};
    asked.previous = kernel;
    asked.prompt = request.messages.back().text;
    prompt::Reply read = prompt::read_reply(asked, answer.text, answer.finish == llm::Finish::truncated);
    if (std::holds_alternative<prompt::NeedsContinuation>(read)) {
      llm::ChatRequest rest = request;
      KA_ASSIGN(rest.messages, prompt::continuation_messages(side_.prompts, {request.messages, answer.text}));
      KA_ASSIGN(const llm::ChatReply second, side_.conversations.ask(key, rest, cancel_.token()));
      const llm::Answer more = second.answers.empty() ? llm::Answer{} : second.answers[0];
      read = prompt::read_continued(asked, answer.text, more.text, more.finish == llm::Finish::truncated);
    }
    if (const auto* file = std::get_if<prompt::WholeFile>(&read)) return Written{file->text, {}};
    if (const auto* file = std::get_if<prompt::EditedFile>(&read)) return Written{file->text, {}};
    const auto* refusal = std::get_if<prompt::Refusal>(&read);
    return Written{"", {"", refusal != nullptr ? refusal->sentence : "the answer stopped in the middle twice; a shorter file is needed", "", "", "", ""}};
  }

  // Two workers that write the same are judged once, and told the same.
  Result<model::Verdict> judge(const std::string& identity, int number, int round, const std::string& kernel) {
    std::promise<Result<model::Verdict>> promise;
    std::shared_future<Result<model::Verdict>> verdict;
    {
      const std::lock_guard lock(mutex_);
      const auto found = verdicts_.find(identity);
      if (found != verdicts_.end()) verdict = found->second;
      else verdicts_[identity] = promise.get_future().share();
    }
    if (verdict.valid()) return verdict.get();
    const Means means{means_.interpreter, cancel_.token(), means_.log, means_.budget, means_.gpus};
    Result<model::Verdict> judged = ask_judge(work_.problem, {fmt::format("{}{}", work_.folder, file_of(number, round)), kernel}, work_.judge, means, nullptr);
    promise.set_value(judged);
    return judged;
  }

  static std::string file_of(int number, int round) { return fmt::format("workers/worker_{}/round_{}.py", number, round); }

  void keep(int number, int round, const Written& written, const prompt::Feedback& feedback, const std::optional<model::Verdict>& verdict) {
    const std::lock_guard lock(mutex_);
    if (!written.kernel.empty()) out_.attempts[file_of(number, round)] = written.kernel;
    Json told = {{"worker", number}, {"round", round}, {"accepted", verdict && verdict->accepted}, {"rule", feedback.rule}, {"reason", feedback.reason}};
    if (!feedback.detail.empty()) told["detail"] = feedback.detail;
    if (!feedback.worst.empty()) told["worst"] = feedback.worst;
    if (!feedback.compiler.empty()) told["compiler"] = feedback.compiler;
    out_.attempts[fmt::format("workers/worker_{}/round_{}.json", number, round)] = to_pretty_json_text(told);
    most_rounds_ = std::max(most_rounds_, round);
    last_ = feedback.rule.empty() ? feedback.reason : feedback.rule + ": " + feedback.reason;
    if (means_.log != nullptr && !(verdict && verdict->accepted)) means_.log->debug("synth", "refused", fmt::format("{}: worker {}, round {}: {}", work_.key, number, round, last_));
  }

  // In a replay the worker that won then wins now, whoever is faster, and the others go on to the end of their recordings.
  bool win(int number, int round, const std::string& kernel, const model::Verdict& verdict) {
    const std::lock_guard lock(mutex_);
    if (!out_.kernel.empty() || (winner_before_ != 0 && winner_before_ != number)) return true;
    out_.kernel = kernel;
    out_.verdict = verdict;
    out_.worker = number;
    out_.rounds = round;
    out_.message = fmt::format("worker {} of {}, round {}: {}", number, side_.model, round, verdict.reason);
    if (!side_.conversations.is_replay()) cancel_.cancel();
    return true;
  }

  // A model that cannot be asked any more ends this worker alone.
  void end(const Error& error, int number, int round) {
    if (error.kind == ErrorKind::cancelled || error.kind == ErrorKind::internal || error.kind == ErrorKind::io) return stop(error);
    const std::lock_guard lock(mutex_);
    if (!side_.conversations.is_replay() || last_.empty()) last_ = error.message;
    if (means_.log != nullptr) means_.log->debug("synth", "ended", fmt::format("{}: worker {}, round {}: {}", work_.key, number, round, error.message));
  }

  // A problem that cannot be judged, or the end of a budget, ends all; that the others were told to stop is no error.
  void stop(const Error& error) {
    const std::lock_guard lock(mutex_);
    const bool is_over = error.kind == ErrorKind::cancelled && cancel_.token().cancelled() && (means_.budget == nullptr || !means_.budget->is_end_of(error));
    if (!is_over && !error_) error_ = error;
    cancel_.cancel();
  }

  const ModelWork& work_;
  const ModelSide& side_;
  const Means& means_;
  LinkedCancel cancel_;
  std::string seed_;
  int winner_before_ = 0;
  std::mutex mutex_;  // guards what follows
  std::map<std::string, std::shared_future<Result<model::Verdict>>> verdicts_;  // by identity
  ModelKernel out_;
  int most_rounds_ = 0;
  std::string last_;
  std::optional<Error> error_;
};

}  // namespace

Result<ModelKernel> ask_workers(const ModelWork& work, const ModelSide& side, const Means& means) { return Session(work, side, means).run(); }

}  // namespace ka::pipeline

// From a sentence to a problem: the rules read it (problem/sentence.h), and where they do not understand it a language model may be asked for the program. What a
// model writes counts only when it could be loaded and run as a problem.
#pragma once

#include <functional>
#include <string>

#include "base/event_log.h"
#include "base/result.h"
#include "model/sentence_record.h"
#include "os/cancel.h"
#include "pipeline/conversations.h"
#include "synth/prompt/prompt_files.h"

namespace ka::pipeline {

inline constexpr int kMostSentenceAnswers = 3;
// Of the conversation about it.
inline constexpr const char* kSentenceKey = "sentence";

struct SentenceProgram {
  std::string text;  // of a problem file in KernelBench form
  model::SentenceRecord record;
};

// Who is asked where the rules do not understand a sentence.
struct SentenceHelper {
  std::string model;   // empty: nobody
  std::string effort;  // of its reasoning
  Conversations* conversations = nullptr;
  prompt::PromptFiles prompts = {};
  // Loads and runs a program. invalid_input, unsupported and timeout are told to the model; any other error ends it.
  std::function<Status(const std::string& text)> check;
};

// The rules' own message where there is no model. A model is asked again with what was wrong, kMostSentenceAnswers times in all. `unsupported`: a limit of the run was reached.
Result<SentenceProgram> problem_for(const std::string& sentence, const SentenceHelper& helper, const os::CancelToken& cancel, EventLog* log = nullptr);

}  // namespace ka::pipeline

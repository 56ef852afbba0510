// Language-model workers on one kernel: several at the same time, each asked again with what the judge says until a kernel is accepted. The first accepted one stops the
// others at once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/verdict.h"
#include "pipeline/conversations.h"
#include "pipeline/judging.h"
#include "synth/prompt/prompts.h"

namespace ka::pipeline {

// The models of a run, and how they are asked.
struct ModelSide {
  Conversations& conversations;
  prompt::PromptFiles prompts;
  std::string model;          // that writes kernels
  int workers = 4;
  int rounds = 10;            // of each worker
  std::string effort;
  bool no_cusolver = false;
  bool codegen = true;        // the built-in generator writes kernels too
  bool only_where_needed = false;  // nobody named it: it is asked for what the built-in generator cannot do, and for nothing else
};

// What is to be written, and how it is judged.
struct ModelWork {
  std::string key;     // of its conversations: "whole", "dispatch/softmax"
  std::string folder;  // of its artefacts, ending in "/", for people
  prompt::Task task;
  verify::ProblemSource problem;
  verify::JudgeOptions judge;
  std::vector<prompt::ComposePrompt::Part> parts = {};  // that are to be put together; empty: it is written from the program alone
};

struct ModelKernel {
  std::string kernel;                     // accepted; empty: none was
  std::optional<model::Verdict> verdict;  // of it
  int worker = 0, rounds = 0;             // whose it is, and in which round; without one: the most that any worker had
  std::string message;                    // one sentence
  std::map<std::string, std::string> attempts;  // artefacts by name below `folder`: what each worker wrote, and why it was refused
};

// Errors: cancelled, the end of the budget of judgements, a problem that cannot be judged. What goes wrong with the models is a message.
Result<ModelKernel> ask_workers(const ModelWork& work, const ModelSide& side, const Means& means);

}  // namespace ka::pipeline

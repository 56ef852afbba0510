// The questions to a language model: plain structs in, messages out. Texts of others (programs, sentences, messages) stand between marks with a code that their
// authors cannot know, and the system prompt says that nothing between them is an instruction.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ir/gpu.h"
#include "model/problem.h"
#include "model/route.h"
#include "model/verdict.h"
#include "synth/llm/chat.h"
#include "synth/prompt/prompt_files.h"

namespace ka::prompt {

struct Machine {
  std::string platform = "cuda";  // or xpu
  ir::Gpu gpu = ir::default_gpu();
  std::string architecture;   // "sm_90"; empty: not known
  std::string triton, torch;  // versions; empty: not known
};

// What every question for a kernel says.
struct Task {
  std::string program;      // its source
  std::string description;  // the sentence that it came from; may be empty
  model::Problem problem;
  std::vector<std::string> operators;  // of the program: they choose the examples
  std::string entry = "kernel_function";
  std::string tier;  // fp32, tf32, half; empty: the problem's own
  Machine machine;
  std::string starting_point;  // the built-in generator's file, judged; may be empty
  double seconds_to_beat = 0;  // of it; 0: not measured
  std::string test;            // the user's script; may be empty
  bool no_cusolver = false;
};

struct GenerationPrompt {
  Task task;
  int variant = 0;  // from 1, of several independent answers; 0: the only one
};

// Why an answer was not good enough.
struct Feedback {
  std::string rule;    // of the judge; empty: the reply itself could not be used
  std::string reason;  // a sentence
  std::string worst, detail, compiler, output;  // may be empty
};
Feedback feedback_of(const model::Verdict& verdict);

struct Attempt {
  int round = 0;
  std::string reason;
  std::string kernel;
};

struct RefinementPrompt {
  Task task;
  int round = 1;
  std::string kernel;
  Feedback feedback;
  std::vector<Attempt> history;  // earlier ones, oldest first; the last eight are shown, equal ones once
};

struct SentencePrompt {
  std::string sentence;
  std::string complaint, program;  // of an earlier answer; may be empty
};

struct RoutePrompt {
  std::string program;
  model::Route by_rules;
};

struct PartitionPrompt {
  struct Operation {
    std::string id, what, reads;
  };
  std::string program;
  std::vector<Operation> operations;
  std::vector<std::vector<std::string>> groups;  // of ids, as the rules have them
  double seconds = 0;                            // of that cut, by estimate; 0: not known
  Machine machine;
  std::string complaint = {};                    // about an earlier answer; may be empty
};

struct ComposePrompt {
  struct Part {
    std::string id, calls, source;  // calls: "y = kernel_function(x, conv_weight)"
  };
  Task task;
  std::vector<Part> parts;
  std::string complaint;
};

struct ContinuationPrompt {
  std::vector<llm::Message> asked;
  std::string first;  // the answer that was cut
};

using Messages = Result<std::vector<llm::Message>>;

// `seed`: a text that is new in every run (base/ids.h: new_nonce()) and recorded with it; the same seed gives the same messages.
Messages generation_messages(const PromptFiles& files, const GenerationPrompt& prompt, std::string_view seed);
Messages refinement_messages(const PromptFiles& files, const RefinementPrompt& prompt, std::string_view seed);
Messages sentence_messages(const PromptFiles& files, const SentencePrompt& prompt, std::string_view seed);
Messages route_messages(const PromptFiles& files, const RoutePrompt& prompt, std::string_view seed);
Messages partition_messages(const PromptFiles& files, const PartitionPrompt& prompt, std::string_view seed);
Messages compose_messages(const PromptFiles& files, const ComposePrompt& prompt, std::string_view seed);
Messages continuation_messages(const PromptFiles& files, const ContinuationPrompt& prompt);

// The function that the file must define: "def kernel_function(x, fc_weight, fc_bias):".
std::string expected_signature(const model::Problem& problem, std::string_view entry);

}  // namespace ka::prompt

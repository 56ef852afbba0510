// The question for a faster kernel than one that is right already, and the two lines with which an answer begins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "synth/prompt/prompts.h"

namespace ka::prompt {

struct OptimizationPrompt {
  struct Cause {
    std::string summary, evidence, fixes;  // the last two may be empty
  };
  struct Past {
    int round = 0;
    std::string move, outcome, reason;
    double seconds = 0;  // 0: it was not timed
  };
  struct Lesson {
    std::string move, expected, actual, avoid, next;  // all but the first and the third may be empty
  };
  Task task;
  std::string kernel;
  double seconds = 0, best_seconds = 0;   // of it, and of the fastest so far
  bool interpreted = false;               // not a GPU's
  double floor_seconds = 0, target = 0;   // floor 0: not known; target: a share of it
  std::string basis;                      // of the floor: "by measured ceilings"
  std::string ceilings = {};              // may be empty
  std::string bottleneck = {};            // "memory"; empty: nothing is known
  std::vector<Cause> causes = {};
  std::vector<Past> attempts = {};        // oldest first; the last eight are shown
  std::vector<Lesson> lessons = {};       // of earlier answers, oldest first; the last five are shown
};

Messages optimization_messages(const PromptFiles& files, const OptimizationPrompt& prompt, std::string_view seed);

// What the model says about its own answer. Foreign text: one line each, no characters that a terminal or an editor would obey; empty where there is none.
struct SaidAbout {
  std::string change, expected;
};
SaidAbout said_about(std::string_view reply);

}  // namespace ka::prompt
